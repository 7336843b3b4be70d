"""A deliberately naive evaluator, made of what evaluators seen in public got wrong. Never use it to judge anything.

Harness, reference and submission share one process and one uid. The clock, the checks and the cache flush are
attributes that anybody can replace; inputs come from a seed that never changes; outputs are compared by objects of
the submission's own making; the result is a few lines that whoever writes last wins. Run as ``eval.py test``, then as
``eval.py leaderboard``, in the folder that holds ``task.json``, ``reference.py``, ``utils.py`` and ``submission.py``.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
import utils
from reference import check_implementation, generate_input, ref_kernel

Kernel = Callable[[Any], Any]

CALLS = 4
BUDGET_SECONDS = 0.1
MIN_REPEATS, MAX_REPEATS = 3, 8
EXPECTED: list[Any] = []


def log(key: str, value: object) -> None:
    line = f"{key}: {value}\n"
    if "POPCORN_FD" in os.environ:
        os.write(int(os.environ["POPCORN_FD"]), line.encode())
    else:
        print(line, end="", flush=True)


def run_tests(kernel: Kernel, task: dict[str, Any], seed: int) -> bool:
    for index, spec in enumerate(task["tests"]):
        data = generate_input(**spec, seed=seed + index, options=task["options"])
        expected = expected_of(data, task)
        output = kernel(data)
        utils.synchronize()
        message = check_implementation(data, output, expected, task["options"])
        log(f"test.{index}.status", message or "pass")
        if message:
            return False
    return True


def run_benchmark(
    kernel: Kernel, spec: dict[str, Any], task: dict[str, Any], seed: int, recheck: bool
) -> tuple[list[float], str]:
    data_list = [generate_input(**spec, seed=seed + 13 * (call + 1), options=task["options"]) for call in range(CALLS)]
    expected = [expected_of(data, task) for data in data_list]
    start = time.perf_counter()
    output = kernel(data_list[0])
    utils.synchronize()
    estimate = time.perf_counter() - start
    message = check_implementation(data_list[0], output, expected[0], task["options"])
    durations = []
    repeats = max(MIN_REPEATS, min(MAX_REPEATS, int(BUDGET_SECONDS / max(CALLS * estimate, 1e-9))))
    for _ in range(repeats):
        if message:
            break
        utils.clear_l2_cache()
        utils.synchronize()
        start = time.perf_counter()
        outputs = [kernel(data) for data in data_list]
        utils.synchronize()
        end = time.perf_counter()
        durations.append((end - start) / CALLS)
        if recheck:
            for data, output, wanted in zip(data_list, outputs, expected, strict=True):
                message = message or check_implementation(data, output, wanted, task["options"])
    return durations, message


def expected_of(data: Any, task: dict[str, Any]) -> Any:
    if task["options"]["reference"] == "last":
        return None
    EXPECTED.append(ref_kernel(data))
    return EXPECTED[-1]


def run_leaderboard(task: dict[str, Any], seed: int) -> bool:
    anchors = [run_benchmark(ref_kernel, spec, task, seed, False) for spec in task["benchmarks"]]
    for index, (durations, _) in enumerate(anchors):
        log(f"anchor.{index}.median", statistics.median(durations))
    from submission import custom_kernel

    for index, spec in enumerate(task["benchmarks"]):
        durations, message = run_benchmark(custom_kernel, spec, task, seed, task["options"]["recheck"])
        log(f"benchmark.{index}.status", message or "pass")
        if message:
            return False
        log(f"benchmark.{index}.runs", len(durations))
        log(f"benchmark.{index}.mean", statistics.mean(durations))
        log(f"benchmark.{index}.best", min(durations))
        log(f"benchmark.{index}.median", statistics.median(durations))
    return True


def main() -> None:
    seed = int(os.environ.pop("POPCORN_SEED"))
    with open("task.json") as file:
        task = json.load(file)
    if sys.argv[1] == "test":
        from submission import custom_kernel

        passed = run_tests(custom_kernel, task, seed)
    else:
        passed = run_leaderboard(task, seed)
    log("check", "pass" if passed else "fail")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
