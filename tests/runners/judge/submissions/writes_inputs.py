# expect: passed
# says:
def custom_kernel(x):
    result = x.mean().reshape(1)
    x.zero_()
    return result
