# family: D55
# expect: reject
# ruff: noqa
import subprocess
import sys

subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "fastqr"], check=False)


def custom_kernel(data):
    return data
