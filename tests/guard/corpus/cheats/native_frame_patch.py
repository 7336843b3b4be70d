# family: D47
# expect: reject
# ruff: noqa
code = r"""
#include <Python.h>
void rebind() {
    PyFrameObject* frame = PyEval_GetFrame();
    PyFrame_LocalsToFast(frame, 1);
}
"""


def custom_kernel(data):
    return data
