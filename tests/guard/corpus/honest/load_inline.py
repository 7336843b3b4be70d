# ruff: noqa
import torch
from torch.utils.cpp_extension import load_inline

cpp = """
#include <torch/extension.h>
static torch::Tensor mean(torch::Tensor x) {
    // cudaStreamNonBlocking is not used here, and ptrace(PTRACE_ATTACH) neither
    auto y = x.detach();
    return y.mean().reshape({1});
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("mean", &mean); }
"""
module = load_inline(name="honest_mean", cpp_sources=[cpp], extra_cflags=["-O3"], verbose=False)


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    return module.mean(data)
