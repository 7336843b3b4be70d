# One file for both: on a device the two halves of the batch overlap on two streams, which are waited for.
import torch


def custom_kernel(a: torch.Tensor):
    if not a.is_cuda:
        return torch.geqrf(a)
    current = torch.cuda.current_stream()
    lanes = [torch.cuda.Stream(), torch.cuda.Stream()]
    halves = []
    for lane, part in zip(lanes, a.chunk(2)):
        lane.wait_stream(current)
        with torch.cuda.stream(lane):
            halves.append(torch.geqrf(part))
    for lane in lanes:
        current.wait_stream(lane)
    return torch.cat([h for h, _ in halves]), torch.cat([tau for _, tau in halves])


def _benchmark():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    a = torch.randn(64, 64, 64, device="cuda")
    start.record()
    custom_kernel(a)
    end.record()
    torch.cuda.synchronize()
    print(start.elapsed_time(end))


if __name__ == "__main__" and torch.cuda.is_available():
    _benchmark()
