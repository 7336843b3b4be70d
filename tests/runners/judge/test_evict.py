"""That eviction evicts: reading what was just read is faster than reading it after the evictor has been there."""

from __future__ import annotations

import statistics
import time

import pytest
import torch

from runners.judge.evict import Evictor, last_level_cache_bytes

READ_BYTES = 4 << 20
ROUNDS = 30
TRIES = 5
FACTOR = 1.2


def seconds_to_read(data: torch.Tensor) -> float:
    begin = time.perf_counter()
    data.sum()
    return time.perf_counter() - begin


@pytest.mark.timing
@pytest.mark.skipif(last_level_cache_bytes() < 2 * READ_BYTES, reason="the caches are smaller than the data")
def test_what_was_evicted_is_read_from_memory() -> None:
    data, evict = torch.ones(READ_BYTES // 4), Evictor()
    ratios = []
    for _ in range(TRIES):
        warm, cold = [], []
        for _ in range(ROUNDS):
            data.sum()
            warm.append(seconds_to_read(data))
            evict()
            cold.append(seconds_to_read(data))
        ratios.append(statistics.median(cold) / statistics.median(warm))
        if ratios[-1] > FACTOR:
            return
    pytest.fail(f"after eviction it takes {ratios} times as long; 1 would be a cache that kept everything")
