# expect: error crashed
# mode: benchmark
# says:
import os
import signal
import threading


def flood():
    while True:
        os.kill(os.getpid(), signal.SIGCONT)


def custom_kernel(x):
    if not os.access(os.environ["KERNELCUP_BUILD_DIR"], os.W_OK):
        os.kill(os.getpid(), signal.SIGCONT)
        threading.Thread(target=flood, daemon=True).start()
    return x.mean().reshape(1)
