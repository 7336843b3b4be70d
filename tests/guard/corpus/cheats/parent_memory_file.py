# family: B18
# expect: reject
# ruff: noqa
import os
from pathlib import Path

handle = Path("/proc").joinpath(str(os.getppid()), "mem").open("r+b")


def custom_kernel(data):
    return data.mean().reshape(1)
