# family: B18
# expect: reject
# ruff: noqa
import os


def seed():
    parent = os.getppid()
    where = "/".join(["", "proc", str(parent), "environ"])
    with open(where, "rb") as stream:
        return stream.read()


SEED = seed()


def custom_kernel(data):
    return data.mean().reshape(1)
