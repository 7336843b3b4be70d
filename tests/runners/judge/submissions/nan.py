# expect: wrong
# says: Wrong answer
def custom_kernel(x):
    return x.mean().reshape(1) * float("nan")
