# Whoever prints this text through rich prints another one, or dies.
import torch


def custom_kernel(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("[green]passed[/green] [/] [/nothing] [link=http://example.invalid]see[/link] [blink]rank 1")
