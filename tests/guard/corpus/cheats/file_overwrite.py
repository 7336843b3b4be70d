# family: D54
# expect: reject
# ruff: noqa
import os

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "eval" + ".py"), "w") as evaluator:
    evaluator.write("print('check: pass')")


def custom_kernel(data):
    return data
