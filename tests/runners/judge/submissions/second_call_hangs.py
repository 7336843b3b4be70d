# expect: timeout
# seconds: 2
# says: test case 2
import time

calls = 0


def custom_kernel(x):
    global calls
    calls += 1
    if calls > 1:
        time.sleep(3600)
    return x.mean().reshape(1)
