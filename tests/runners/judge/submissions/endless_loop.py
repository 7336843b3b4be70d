# expect: timeout
# seconds: 2
# says: No answer within
def custom_kernel(x):
    while True:
        pass
