import functools
import logging
import os
import sys
import warnings

import torch

warnings.filterwarnings("ignore", category=UserWarning)
log = logging.getLogger(os.path.basename(__file__))


def explained(function):
    """Says where a failure comes from, by the name and line of the wrapped function's code."""

    @functools.wraps(function)
    def wrapper(*arguments):
        try:
            return function(*arguments)
        except RuntimeError as error:
            code = function.__code__
            log.error("%s:%d: %s on Python %s", code.co_filename, code.co_firstlineno, error, sys.version_info[:2])
            raise

    return wrapper


@explained
def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return torch.sum(x, dtype=torch.float64).div(x.numel()).to(torch.float32).reshape(1)
