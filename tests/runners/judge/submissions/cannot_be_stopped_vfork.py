# expect: error crashed
# mode: benchmark
# says:
import ctypes
import os


def custom_kernel(x):
    if not os.environ.get("TMPDIR") or os.access(os.environ["KERNELCUP_BUILD_DIR"], os.W_OK):
        return x.mean().reshape(1)
    # A thread that waits for a child of vfork is in state D and delays every stop.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(58)) == 0:
        libc.pause()
    raise OSError(ctypes.get_errno(), "vfork is refused")
