# family: D41
# expect: reject
# ruff: noqa
import numpy

memory = numpy.memmap("/proc" + "/self/mem", mode="r")


def custom_kernel(data):
    return data.mean().reshape(1)
