# family: G94
# expect: review
# ruff: noqa
code = r"""
#include <sys/timerfd.h>
void arm() { for (int i = 0; i < 300; i++) timerfd_create(1, 0); }
"""


def custom_kernel(data):
    return data
