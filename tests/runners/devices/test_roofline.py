"""The device's rates: kept while what they hold for holds, measured anew otherwise, and in sensible proportion."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runners.devices import cpu
from runners.sandbox.cores import plan_cores
from tests.runners.devices.test_caches import zen
from tests.runners.host_trees import host

RATES: cpu.Record = {
    "bytes_per_second": {
        "L1": {"copy": 200e9, "sum": 100e9},
        "L2": {"copy": 80e9},
        "DRAM": {"sum": 20e9, "copy": 24e9},
        "cold": {"sum of 1 MiB": 28e9},
    },
    "flops_per_second": {"matmul": {"float32": 90e9, "float64": 40e9}},
}


class Meter:
    """Stands for the measurement, which takes seconds, and counts how often it is made."""

    def __init__(self, rates: cpu.Record = RATES) -> None:
        self.rates = rates
        self.cores: list[tuple[int, ...]] = []

    def __call__(self, cores: tuple[int, ...]) -> cpu.Record:
        self.cores.append(cores)
        return self.rates


def kept_file(folder: Path) -> Path:
    [path] = folder.iterdir()
    return path


def test_rates_are_measured_once(tmp_path: Path) -> None:
    meter = Meter()
    first = cpu.roofline((0,), tmp_path, meter)
    assert cpu.roofline((0,), tmp_path, meter) == first
    assert meter.cores == [(0,)]
    assert first["facts"]["torch"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: "\0" * 100,
        lambda text: json.dumps({**json.loads(text), "format": cpu.FORMAT - 1}),
        lambda text: json.dumps({**json.loads(text), "facts": {**json.loads(text)["facts"], "torch": "1.0"}}),
        lambda text: json.dumps({**json.loads(text), "flops_per_second": {}}),
        lambda text: json.dumps({**json.loads(text), "flops_per_second": {"matmul": {"float32": 0.0}}}),
        lambda text: json.dumps({**json.loads(text), "flops_per_second": {"matmul": {"float32": "fast"}}}),
        lambda text: text.replace("90000000000.0", "NaN"),
        lambda text: text.replace('"cold"', '"warm"'),
    ],
)
def test_a_damaged_or_stale_record_is_measured_anew(tmp_path: Path, damage: Callable[[str], str]) -> None:
    sound = cpu.roofline((0,), tmp_path, Meter())
    path = kept_file(tmp_path)
    path.write_text(damage(path.read_text()))
    meter = Meter()
    again = cpu.roofline((0,), tmp_path, meter)
    assert meter.cores == [(0,)]
    assert {**again, "measured_at": ""} == {**sound, "measured_at": ""}
    assert json.loads(path.read_text()) == again


def test_other_cores_and_another_torch_have_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meter = Meter()
    cpu.roofline((0,), tmp_path, meter)
    cpu.roofline((0, 1), tmp_path, meter)
    monkeypatch.setattr("importlib.metadata.version", lambda _: "9.9")
    cpu.roofline((0,), tmp_path, meter)
    assert meter.cores == [(0,), (0, 1), (0,)]


def test_facts_tell_hosts_apart(tmp_path: Path) -> None:
    info = {"/proc/cpuinfo": "processor : 0\nmodel name : Fast 9000\nflags : avx2 fma\n"}
    files = host(tmp_path / "a", {**info, **zen(1, "0-7")})
    facts = cpu.facts_of((1,), files)
    assert (facts["processor"], facts["flags"], facts["cores"]) == ("Fast 9000", "avx2 fma", [1])
    assert facts["caches"] == [[1, 32 << 10], [2, 1 << 20], [3, 96 << 20]]
    other = host(tmp_path / "b", {"/proc/cpuinfo": info["/proc/cpuinfo"].replace("avx2", "avx512f"), **zen(1, "0-7")})
    assert cpu.facts_of((1,), other) != facts


def test_a_folder_that_cannot_be_written_costs_a_measurement_each_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    meter = Meter()
    for _ in range(2):
        assert cpu.roofline((0,), blocked, meter)["bytes_per_second"] == RATES["bytes_per_second"]
    assert len(meter.cores) == 2


def test_rates_that_make_no_sense_are_an_error_and_not_kept(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no sound rates"):
        cpu.roofline((0,), tmp_path, Meter({"bytes_per_second": {}, "flops_per_second": {}}))
    assert list(tmp_path.iterdir()) == []


def test_a_measurement_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="could not be measured"):
        cpu.roofline((99_999,), Path("/nonexistent"))


def test_peaks_are_the_best_of_each_kind_with_headroom() -> None:
    peaks = cpu.peaks_of({**RATES, "facts": {"cache_bytes": 1 << 20}})
    assert peaks["bytes_per_second"] == pytest.approx(28e9 * cpu.HEADROOM)
    assert peaks["cached_bytes_per_second"] == pytest.approx(200e9 * cpu.HEADROOM)
    assert peaks["flops_per_second"] == pytest.approx(90e9 * cpu.HEADROOM)
    assert peaks["cache_bytes"] == 1 << 20


@pytest.mark.timing
def test_what_is_measured_is_in_sensible_proportion(tmp_path: Path) -> None:
    cores = plan_cores().contestant
    record: dict[str, Any] = cpu.roofline(cores, tmp_path)
    moved = {level: max(rates.values()) for level, rates in record["bytes_per_second"].items()}
    levels = [moved[level] for level in moved if level.startswith("L")]
    assert levels[0] > 0.8 * max(moved.values())
    assert levels[0] > 2 * moved["DRAM"]
    assert levels[-1] > 0.8 * moved["DRAM"]
    assert 0.2 < moved["cold"] / moved["DRAM"] < 5
    flops = record["flops_per_second"]["matmul"]
    assert 1.2 < flops["float32"] / flops["float64"] < 4
    assert flops["float32"] * 4 > moved["DRAM"]
