"""Keys of 32 bytes for tests."""

import hashlib


def key(number: int = 0) -> bytes:
    return hashlib.sha256(b"test key %d" % number).digest()


def flipped(value: bytes, bit: int) -> bytes:
    return bytes(byte ^ (1 << bit % 8 if place == bit // 8 else 0) for place, byte in enumerate(value))
