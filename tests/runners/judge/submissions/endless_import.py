# expect: timeout
# seconds: 2
# says: loading the submission
import time

time.sleep(3600)


def custom_kernel(x):
    return x.mean().reshape(1)
