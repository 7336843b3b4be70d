# expect: error
# says: ValueError
def custom_kernel(x):
    raise ValueError("so it goes")
