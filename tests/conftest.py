"""For all tests: Triton's kernels run in its interpreter, which has to be said before Triton is first imported."""

import os

os.environ["TRITON_INTERPRET"] = "1"
