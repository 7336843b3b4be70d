# expect: passed
# says:
# prints: hello from the kernel
print("hello from the kernel")


def custom_kernel(x):
    return x.mean().reshape(1)
