# family: C20
# expect: reject
# ruff: noqa
import torch


class Event(torch.cuda.Event):
    def elapsed_time(self, other):
        return 0.001


setattr(torch.cuda, Event.__name__ if False else "Event", Event)


def custom_kernel(data):
    return data.mean().reshape(1)
