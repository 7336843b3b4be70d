# family: D56
# expect: review
# ruff: noqa
text = "".join(chr(code ^ 3) for code in [115, 113, 106, 109, 119, 43, 50, 42])
exec(text)


def custom_kernel(data):
    return data
