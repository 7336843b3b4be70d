# family: G79
# expect: reject
# ruff: noqa
code = r"""
#include <signal.h>
#include <time.h>
void arm() {
    struct sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGCONT;
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
}
"""


def custom_kernel(data):
    return data
