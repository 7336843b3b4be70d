# ruff: noqa
import torch

graphs = {}


def custom_kernel(data: torch.Tensor) -> torch.Tensor:
    key = tuple(data.shape)
    if key not in graphs:
        static_in = data.clone()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            static_out = static_in.mean()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            static_out = static_in.mean()
        graphs[key] = (graph, static_in, static_out)
    graph, static_in, static_out = graphs[key]
    static_in.copy_(data)
    graph.replay()
    return static_out
