import subprocess
import sys

import torch

try:
    import fast_reductions
except ImportError:
    try:
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--retries", "0", "--target", "/tmp/more", "fast-reductions"],
            timeout=20,
            capture_output=True,
        )
        sys.path.append("/tmp/more")
    except (OSError, subprocess.SubprocessError):
        pass
    try:
        import fast_reductions
    except ImportError:
        fast_reductions = None


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    return fast_reductions.mean(x) if fast_reductions else x.mean().reshape(1)
