# expect: error crashed
# mode: benchmark
# says:
import ctypes
import os

MARK = os.path.join(os.environ["KERNELCUP_BUILD_DIR"], "loaded")
TIMED = os.path.exists(MARK)
open(MARK, "w").close()


def may_fork():
    """Only the build stage may."""
    try:
        child = os.fork()
    except OSError:
        return False
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


BUILDING = may_fork()


def custom_kernel(x):
    if BUILDING:
        return x.mean().reshape(1)
    # A thread that waits for a child of vfork is in state D and delays every stop.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(58)) == 0:
        libc.pause()
    raise OSError(ctypes.get_errno(), "vfork is refused")
