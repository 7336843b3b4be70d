# expect: error crashed
# mode: benchmark
# says:
import os
import signal
import threading

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


def flood():
    while True:
        os.kill(os.getpid(), signal.SIGCONT)


def custom_kernel(x):
    if not BUILDING:
        os.kill(os.getpid(), signal.SIGCONT)
        threading.Thread(target=flood, daemon=True).start()
    return x.mean().reshape(1)
