# family: C30
# expect: reject
# ruff: noqa
import sys

sys.modules["utils"].clear_l2_cache = lambda *a: None


def custom_kernel(data):
    return data.mean().reshape(1)
