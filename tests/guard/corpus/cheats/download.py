# family: D55
# expect: review
# ruff: noqa
from urllib.request import urlopen as fetch

source = fetch("http://localhost:1/kernel.so").read()


def custom_kernel(data):
    return data
