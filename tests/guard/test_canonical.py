"""Views: whatever way a source spells something, a view spells it plainly, and knows where it came from."""

from __future__ import annotations

import base64
import zlib

import pytest

from guard.canonical import Views, views
from guard.scan import scan


def calls(source: str) -> list[str]:
    return [site.path for reading in views(source).readings for site in reading.calls]


def stores(source: str) -> list[str]:
    return [mention.path for reading in views(source).readings for mention in reading.stores]


def texts(source: str) -> list[str]:
    return [text.text for text in views(source).texts]


@pytest.mark.parametrize(
    "expression",
    [
        '"data" + "_ptr"',
        '"".join(["data", "_", "ptr"])',
        '"{}_{}".format("data", "ptr")',
        '"{a}_{b}".format(a="data", b="ptr")',
        '"%s_%s" % ("data", "ptr")',
        "f\"{'data'}_ptr\"",
        '"rtp_atad"[::-1]',
        '"".join(reversed("rtp_atad"))',
        '"".join(chr(n) for n in [100, 97, 116, 97, 95, 112, 116, 114])',
        '"".join(map(chr, (100, 97, 116, 97, 95, 112, 116, 114)))',
        "bytes([100, 97, 116, 97, 95, 112, 116, 114]).decode()",
        'bytes.fromhex("646174615f707472").decode("ascii")',
        '__import__("base64").b64decode("ZGF0YV9wdHI=").decode()',
        '__import__("codecs").decode("qngn_cge", "rot13")',
        '"DATA_PTR".lower()',
        '"data-ptr".replace("-", "_")',
        '"xdata_ptrx"[1:-1]',
        '"".join([c for c in "data_ptr"])',
        '"".join(chr(n ^ 1) for n in [101, 96, 117, 96, 94, 113, 117, 115])',
        '("data" "_ptr")',
        '"data_ptr" if 1 else "shape"',
        'str(b"data_ptr", "utf8")',
        '["shape", "data_ptr"][1]',
        '{"a": "data_ptr"}["a"]',
    ],
)
def test_constants_are_folded(expression: str) -> None:
    assert "?x.data_ptr" in calls(f"def f(x):\n    return getattr(x, {expression})()")


def test_text_that_a_loop_builds_is_folded() -> None:
    assert "time.sleep" in calls(
        "import time\ns = ''\nfor c in [115, 108, 101, 101, 112]:\n    s += chr(c)\ngetattr(time, s)()"
    )


@pytest.mark.parametrize(
    "source",
    [
        "import time as t\nt.sleep(1)",
        "from time import sleep as s\ns(1)",
        "from time import *\nsleep(1)",
        "import time\nnap = time.sleep\nlater = nap\nlater(1)",
        "import time\n(time).sleep(1)",
        "import time\ntime . sleep(1)",
        "import time\ntime.__dict__['sleep'](1)",
        "import time\nvars(time)['sleep'](1)",
        "import time\ntime.__getattribute__('sleep')(1)",
        "import time\nobject.__getattribute__(time, 'sleep')(1)",
        "import time, operator\noperator.attrgetter('sleep')(time)(1)",
        "__import__('time').sleep(1)",
        "__builtins__.__import__('time').sleep(1)",
        "import importlib as i\ni.import_module('ti' + 'me').sleep(1)",
        "import sys, time\nsys.modules['time'].sleep(1)",
        "import time\nglobals()['time'].sleep(1)",
        "import time\ntable = {'nap': time.sleep}\ntable['nap'](1)",
        "import time\npair = [print, time.sleep]\npair[1](1)",
        "import time\nclass Box:\n    nap = time.sleep\nBox.nap(1)",
        "import time\ndef outer():\n    nap = time.sleep\n    def inner():\n        nap(1)\n    inner()",
        "import time\nif (nap := time.sleep):\n    nap(1)",
        "exec('import time; time.sleep(1)')",
        "import time\neval('time.sleep')(1)",
        "exec(compile('import time\\ntime.sleep(1)', 'x', 'exec'))",
        "exec('exec(\"import time\\\\ntime.sleep(1)\")')",
    ],
)
def test_aliases_are_followed(source: str) -> None:
    assert "time.sleep" in calls(source)


def test_a_local_variable_that_shares_a_modules_name_is_not_the_module() -> None:
    assert "time.sleep" not in calls("def f(time):\n    time.sleep(1)")
    assert "time.sleep" not in calls("time = make()\ntime.sleep(1)")


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.x = 1",
        "import time\nsetattr(time, 'x', 1)",
        "import time\ndelattr(time, 'x')",
        "import time\ntime.__dict__['x'] = 1",
        "import time\ntime.__dict__.update(x=1)",
        "import time\ntime.__dict__.update({'x': 1})",
        "import time\ntime.__setattr__('x', 1)",
        "import time\ntype.__setattr__(time, 'x', 1)",
        "import time, operator\noperator.setitem(vars(time), 'x', 1)",
        "import time\ndel time.x",
        "import time\nfor time.x in [1]:\n    pass",
        "import time\nwith open('f') as time.x:\n    pass",
        "import time\n(a, time.x), b = (1, 2), 3",
        "import time\ntime.x += 1",
        "from unittest.mock import patch\npatch('time.x', 1).start()",
        "import time\nfrom unittest import mock\nmock.patch.object(time, 'x', 1).start()",
        "import time\nfor name in ('x_1', 'x'):\n    setattr(time, 'x', name)",
    ],
)
def test_every_way_to_assign_is_a_store(source: str) -> None:
    assert "time.x" in stores(source)


def test_comments_and_contents_of_strings_are_separable() -> None:
    made = views("a = 'b # c'  # d\n'''e\n# f'''\ng = 1 # \"h\"\n")
    assert made.code == "a = 'b # c'     \n'''e\n# f'''\ng = 1      \n"
    assert made.bare == "a = '     '     \n''' \n   '''\ng = 1      \n"
    assert len(made.code) == len(made.raw)


def test_docstrings_and_comments_are_no_texts() -> None:
    source = '"""/proc/1/environ"""\ndef f():\n    "ptrace"\n    # process_vm_readv\n    return "kept"\n'
    assert texts(source) == ["kept"]


def test_unknown_pieces_of_a_text_are_holes() -> None:
    source = "import os\nfrom pathlib import Path\np = Path('/proc') / str(os.getppid()) / 'environ'\nopen(p)"
    folded = [list(site.texts()) for site in views(source).readings[0].calls if site.path == "builtins.open"]
    assert folded == [["/proc/{}/environ"]]


def test_the_folded_view_maps_back_to_what_was_written() -> None:
    source = 'é = 1\nname = "data" + "_ptr"; other = upstream\nlast = getattr(x, name)()\n'
    made = views(source)
    assert made.folded == "é = 1\nname = 'data_ptr'; other = upstream\nlast = x.data_ptr()\n"
    data = made.encoded("folded")
    raw = made.encoded("raw")
    for word in (b"other", b"upstream", b"last"):
        assert made.folded_origin(data.index(word)) == raw.index(word)
    assert made.folded_origin(data.index(b"'data_ptr'")) == raw.index(b'"data" + "_ptr"')


@pytest.mark.parametrize("line", [0, 1])
def test_nested_cpp_is_pulled_out_with_its_lines(line: int) -> None:
    body = ["#include <signal.h>", "// SIGCONT", "void f() { raise(SIGCONT); }"]
    source = "\n" * line + "y = '''\n" + "\n".join(body) + "\n'''\n"
    hits = [hit for hit in scan(source) if hit.rule == "clock.self-resume-native"]
    assert [(hit.line, hit.excerpt) for hit in hits] == [(4 + line, "void f() { raise(SIGCONT); }")]


def test_source_nested_in_an_encoded_text_is_read_and_placed_at_the_call() -> None:
    payload = base64.b64encode(zlib.compress(b"import time\ntime.perf_counter = print\n")).decode()
    source = f"import base64 as b, zlib\nblob = '{payload}'\nexec(zlib.decompress(b.b64decode(blob)))\n"
    hits = {hit.rule: hit.line for hit in scan(source)}
    assert hits["clock.patched-host-clock"] == 3
    assert hits["verdict.hidden-code"] == 3


def test_a_cuda_file_is_a_source_of_its_own() -> None:
    hits = scan("// ptrace(PTRACE_ATTACH)\nint f() {\n  return ptrace(PTRACE_ATTACH, 1, 0, 0);\n}\n", "kernel.cu")
    assert [(hit.rule, hit.line) for hit in hits] == [("verdict.traced-process-native", 3)]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("def f(:\n", "not valid Python"),
        ("x = 1\0", "null characters"),
        ("x = '\ud800'", "not valid Unicode"),
        ("x = " + "(" * 1000, "not valid Python"),
        ("x = " + "-" * 50_000 + "1", "memory"),
        ("x = 1" + "+1" * 20_000, "nested too deeply"),
        ("x = a" + ".b" * 50_000, "nested too deeply"),
        ("x = 1\n" * 500_000, "longer than"),
        ("x = [1]\n" + "x = [x, x]\n" * 60, "too much work"),
        ("x = 'a' * 99999\n" + "y = x + 'b'\n" * 200, "too much work"),
        ("exec('*')", "not Python"),
    ],
)
def test_what_cannot_be_read_is_a_problem(source: str, problem: str) -> None:
    assert problem in views(source).problem
    assert "source.unreadable" in {hit.rule for hit in scan(source)}


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**8", "1 << 10**9", "'a' * 10**12", "[0] * 10**9", "(1,) * 10**9", "2**-99999999", "0.0 ** -1", "1 // 0",
        "'{:>999999999}'.format(1)", "'%999999999d' % 1", "'%s' % ()", "f'{1:>999999999}'", "'a'.encode('idna')",
        "'ab'.replace('', 'x' * 9999).replace('', 'y' * 9999)", "bytes(10**10)", "list(range(10**12))",
        "int('9' * 100000)",
    ],
)  # fmt: skip
def test_bombs_stay_unknown(expression: str) -> None:
    made: Views = views(f"x = {expression}\ny = 'after'\n")
    assert made.problem == ""
    assert "after" in [text.text for text in made.texts]
    assert len(made.folded) < 50_000


@pytest.mark.parametrize(
    "source",
    [
        "import time\nhooks = {'clock': time.time}\nhooks['clock'] = 1",
        "import time\nhooks = [time.time]\nhooks[0] = 1",
        "import time\nclock = time.time\nglobals()['clock'] = 1",
        "import time\nclass Timer:\n    clock = time.time\nTimer.clock = 1",
        "import time\nclass Timer:\n    clock = time.time\nsetattr(Timer, 'clock', 1)",
    ],
)
def test_an_assignment_is_one_to_the_place_and_not_to_what_lay_there(source: str) -> None:
    assert "time.time" not in stores(source)


def test_an_assignment_under_a_name_that_is_not_known_is_one_to_the_module() -> None:
    assert "time.__dict__[]" in stores("import time\nfor name in dir(time):\n    setattr(time, name, 1)")


@pytest.mark.parametrize("call", ["file.write({})", "pathlib.Path('x.py').write_text({})"])
def test_python_that_is_written_to_a_file_is_read(call: str) -> None:
    text = "import time\ntime.time = print\n"
    assert "time.time" in stores("import pathlib\n" + call.format(repr(text)))
    assert views("import pathlib\n" + call.format(repr("import things from somewhere"))).problem == ""


@pytest.mark.parametrize("library", ["ctypes.CDLL(None)", "ctypes.PyDLL(None)", "ctypes.cdll.LoadLibrary('x')"])
def test_a_function_of_a_library_is_the_same_by_item(library: str) -> None:
    assert calls(f"import ctypes\n{library}['mprotect'](1)")[-1] == calls(f"import ctypes\n{library}.mprotect(1)")[-1]
