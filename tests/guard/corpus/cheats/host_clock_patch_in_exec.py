# family: C21
# expect: reject
# ruff: noqa
import base64

exec(base64.b64decode("aW1wb3J0IHRpbWUKdGltZS5wZXJmX2NvdW50ZXIgPSBsYW1iZGE6IDAuMA=="))


def custom_kernel(data):
    return data.mean().reshape(1)
