# expect: error
# says: must be a function
custom_kernel = 3
