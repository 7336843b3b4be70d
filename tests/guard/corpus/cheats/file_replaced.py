# family: D54
# expect: reject
# ruff: noqa
import shutil
from pathlib import Path

shutil.copyfile("mine.py", Path("..") / "reference.py")


def custom_kernel(data):
    return data
