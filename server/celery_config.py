"""Celery's configuration from the environment. Loaded by name, so that importing the app reads no settings."""

from server.celery_app import celery_config
from server.settings import get_settings

globals().update(celery_config(get_settings()))
