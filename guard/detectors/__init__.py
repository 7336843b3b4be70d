"""Detectors on the tree: each takes parameters from a rule and finds places in a source."""

from __future__ import annotations

from guard.detectors.base import Build, ParameterError
from guard.detectors.caches import call_counter, output_cache
from guard.detectors.effects import assembled, executed, heap_search, module_search
from guard.detectors.native import native
from guard.detectors.paths import call, read, store
from guard.detectors.threads import native_outliving, outliving

DETECTORS: dict[str, Build] = {
    "assembled": assembled,
    "call": call,
    "call_counter": call_counter,
    "executed": executed,
    "heap_search": heap_search,
    "module_search": module_search,
    "native": native,
    "native_outliving": native_outliving,
    "outliving": outliving,
    "output_cache": output_cache,
    "read": read,
    "store": store,
}

__all__ = ["DETECTORS", "ParameterError"]
