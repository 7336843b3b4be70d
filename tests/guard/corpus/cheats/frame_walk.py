# family: D45
# expect: reject
# ruff: noqa
import inspect


def custom_kernel(data):
    frame = inspect.currentframe()
    while frame is not None:
        space = frame.f_globals
        space["passed"] = True
        frame = frame.f_back
    return data
