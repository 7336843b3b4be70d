"""Who am I."""

from __future__ import annotations

from fastapi import APIRouter

from server.api.deps import CurrentUser
from server.schemas import Me

router = APIRouter(tags=["account"])


@router.get("/me")
def read_me(user: CurrentUser) -> Me:
    """The owner of the token."""
    return Me.model_validate(user)
