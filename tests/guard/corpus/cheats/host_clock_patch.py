# family: C21
# expect: reject
# ruff: noqa
import time as tm

clock = tm.perf_counter


def slow_clock():
    return clock() * 0.001


for field in ("perf_counter", "monotonic"):
    setattr(tm, field, slow_clock)


def custom_kernel(data):
    return data.mean().reshape(1)
