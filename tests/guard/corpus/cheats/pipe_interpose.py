# family: D38
# expect: note
# ruff: noqa
import os

reader, writer = os.pipe()
os.dup2(writer, 1)


def custom_kernel(data):
    return data.mean().reshape(1)
