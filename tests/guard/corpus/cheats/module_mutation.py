# family: D44
# expect: reject
# ruff: noqa
import reference

reference.check_implementation = lambda *args: (True, "")


def custom_kernel(data):
    return data
