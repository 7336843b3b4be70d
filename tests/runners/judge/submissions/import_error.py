# expect: error
# says: import failed
import a_package_that_is_not_there


def custom_kernel(x):
    return a_package_that_is_not_there.mean(x)
