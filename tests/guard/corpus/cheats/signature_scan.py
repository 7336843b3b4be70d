# family: D42
# expect: review
# ruff: noqa
def regions():
    with open("/proc/self/maps") as maps:
        return [line for line in maps if "heap" in line]


def custom_kernel(data):
    return data.mean().reshape(1)
