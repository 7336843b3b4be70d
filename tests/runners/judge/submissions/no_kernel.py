# expect: error
# says: defines no `custom_kernel`
def kernel(x):
    return x.mean().reshape(1)
