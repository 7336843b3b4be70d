# family: D37
# expect: reject
# ruff: noqa
import os

line = bytes([99, 104, 101, 99, 107]) + b": pass"
for number in range(3, 32):
    try:
        os.write(number, line)
    except OSError:
        continue
os._exit(0)


def custom_kernel(data):
    return data
