# expect: passed
# mode: benchmark
# says:
def custom_kernel(x):
    return x.mean().reshape(1)
