import importlib.util
import os
import subprocess
import sysconfig

import torch

SOURCE = r"""
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject* mean(PyObject* self, PyObject* args) {
    unsigned long long address;
    Py_ssize_t n;
    double sum = 0, rest = 0;
    if (!PyArg_ParseTuple(args, "Kn", &address, &n)) return NULL;
    const float* x = (const float*)address;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i + 1 < n; i += 2) { sum += x[i]; rest += x[i + 1]; }
    if (n % 2) sum += x[n - 1];
    Py_END_ALLOW_THREADS
    return PyFloat_FromDouble((sum + rest) / (double)n);
}

static PyMethodDef methods[] = {{"mean", mean, METH_VARARGS, "The mean of n floats."}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "c_mean", NULL, -1, methods};

PyMODINIT_FUNC PyInit_c_mean(void) { return PyModule_Create(&module); }
"""

_path = os.path.join(os.environ.get("KERNELCUP_BUILD_DIR", "."), "c_mean" + sysconfig.get_config_var("EXT_SUFFIX"))
if not os.path.exists(_path):
    with open(_path + ".c", "w") as file:
        file.write(SOURCE)
    _include = sysconfig.get_paths()["include"]
    subprocess.run(["gcc", "-O3", "-shared", "-fPIC", f"-I{_include}", "-o", _path, _path + ".c"], check=True)
_spec = importlib.util.spec_from_file_location("c_mean", _path)
c_mean = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(c_mean)


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.tensor([c_mean.mean(x.data_ptr(), x.numel())], dtype=torch.float32)
