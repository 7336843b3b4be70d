"""Secret values: a key for every call, from the run's nonce, with all its bits."""

from __future__ import annotations

import hashlib
import hmac


def call_key(nonce: bytes, purpose: str, case: int, call: int) -> bytes:
    """32 bytes for one call of one case: HMAC-SHA256 of the nonce. `purpose` keeps inputs and checks apart."""
    return hmac.new(nonce, f"{purpose}/{case}/{call}".encode(), hashlib.sha256).digest()
