# family: B18
# expect: reject
# ruff: noqa
from torch.utils.cpp_extension import load_inline

code = r"""
#include <torch/extension.h>
#include <unistd.h>
#define GLUE(a, b) a b
int seed() {
    char path[64];
    snprintf(path, 64, GLUE("/proc/%d/", "environ"), getppid());
    return open(path, 0);
}
"""
module = load_inline(name="s", cpp_sources=code, functions=["seed"])


def custom_kernel(data):
    return data.mean().reshape(1)
