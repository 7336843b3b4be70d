"""The types that a kernel takes and returns, for problems that bring no ``task`` module of their own."""

from typing import Any, TypeVar

input_t = TypeVar("input_t", bound=Any)
output_t = TypeVar("output_t", bound=Any)
