"""A C++ extension, compiled by ninja and g++ at import."""

import torch
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor mean(torch::Tensor x) {
    const float* at = x.data_ptr<float>();
    double sum = 0;
    for (int64_t i = 0; i < x.numel(); ++i) sum += at[i];
    return torch::full({1}, sum / x.numel(), torch::kFloat32);
}
"""
EXTENSION = load_inline("vector_mean_inline", cpp_sources=SOURCE, functions=["mean"], extra_cflags=["-O0"])


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return EXTENSION.mean(x)
