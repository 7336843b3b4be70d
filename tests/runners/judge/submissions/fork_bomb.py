# expect: error timeout
# seconds: 4
# says: test case 1
import os


def custom_kernel(x):
    while True:
        if os.fork() == 0:
            while True:
                pass
