# family: C26
# expect: review
# ruff: noqa
import os


def custom_kernel(data):
    if not os.fork():
        os._exit(0)
    return data.mean().reshape(1)
