"""C++ and CUDA sources, alone or inside a Python string: recognised, comments gone, macros expanded, strings joined."""

from __future__ import annotations

import re
from dataclasses import dataclass

from guard.lexing import spliced, without_cpp_comments
from guard.values import TooMuchWork

_LOOKS = re.compile(
    r'#\s*include\s*[<"]|__global__|__device__|extern\s+"C"|\btorch::Tensor\b|\bat::Tensor\b|PYBIND11_MODULE|TORCH_LIBRARY'
    r"|#\s*define\s+\w+|\btypedef\s+(?:struct|union|enum|unsigned|void|int|float|double)\b|\)\s*\{[^{}]*;[^{};]*\}"
    r"|\b(?:int|void|float|double|long|static|auto|size_t|u?int\d+_t)\s+\**\w+\s*\([^;{}]*\)\s*\{"
)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)\n]*\))?[ \t]*([^\n]*)$", re.MULTILINE)
_ADJACENT = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s+"(?:[^"\\\n]|\\.)*")+')
_WORD = re.compile(r'R"(?P<mark>[^()\\\s"]{0,16})\([\s\S]*?(?:\)(?P=mark)"|\Z)|"(?:[^"\\\n]++|\\.)*+"|\w+')
_MAX_DEPTH = 16
_MAX_ARGUMENTS = 20_000


@dataclass(frozen=True)
class Macro:
    """One ``#define``; `parameters` is None for a macro without an argument list."""

    parameters: tuple[str, ...] | None
    body: str


def looks_like_cpp(text: str) -> bool:
    """Whether a string is C++ or CUDA source rather than prose or a name."""
    return len(text) >= 24 and (";" in text or "{" in text) and _LOOKS.search(text) is not None


def expanded(text: str) -> str:
    """`text` as a compiler would see it, nearly: comments blanked, macros expanded with ``#`` and ``##``, adjacent
    strings joined. Lines keep their numbers. Raises TooMuchWork for macro bombs.
    """
    plain = without_cpp_comments(spliced(text))
    macros = _macros(plain)
    if macros:
        plain = _Expansion(macros, 4 * len(plain) + (256 << 10)).whole(plain)
    return _ADJACENT.sub(_joined, plain)


def _macros(text: str) -> dict[str, Macro]:
    found = {}
    for name, parameters, body in _DEFINE.findall(text):
        names = tuple(part.strip() for part in parameters[1:-1].split(",")) if parameters else None
        found[name] = Macro(() if names == ("",) else names, body.strip())
    return found


def _joined(found: re.Match[str]) -> str:
    pieces = re.findall(r'"((?:[^"\\\n]|\\.)*)"', found[0])
    return '"' + "".join(pieces) + '"' + "\n" * found[0].count("\n")


class _Expansion:
    """Expands the macros of one text; `limit` bounds the characters produced in all."""

    def __init__(self, macros: dict[str, Macro], limit: int) -> None:
        self._macros = macros
        self._left = limit

    def whole(self, text: str) -> str:
        """All lines but the preprocessor's own, which stay as they are."""
        made: list[str] = []
        block: list[str] = []
        for line in text.splitlines(keepends=True):
            if line.lstrip().startswith("#"):
                made += [self.expand("".join(block), frozenset()), line]
                block = []
            else:
                block.append(line)
        return "".join([*made, self.expand("".join(block), frozenset())])

    def expand(self, text: str, busy: frozenset[str]) -> str:
        """`text` with every macro but the `busy` ones expanded."""
        made: list[str] = []
        at = 0
        while found := _WORD.search(text, at):
            name = found[0]
            macro = self._macros.get(name) if name not in busy else None
            made.append(text[at : found.start()])
            at = found.end()
            if macro is None or len(busy) >= _MAX_DEPTH:
                made.append(name)
                continue
            arguments: list[str] = []
            if macro.parameters is not None:
                end = _arguments(text, at, arguments)
                if end < 0:
                    self._spend(_MAX_ARGUMENTS)
                    made.append(name)
                    continue
                lost, at = text[at:end].count("\n"), end
            else:
                lost = 0
            body = self._substituted(macro, arguments, busy)
            made.append(self.expand(body, busy | {name}) + "\n" * lost)
            self._spend(len(made[-1]) + 1)
        made.append(text[at:])
        return "".join(made)

    def _spend(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise TooMuchWork("the macros in this source expand without bound")

    def _substituted(self, macro: Macro, arguments: list[str], busy: frozenset[str]) -> str:
        """The macro's body with its parameters replaced. Arguments beside ``##`` are pasted unexpanded."""
        names = macro.parameters or ()
        given = dict(zip(names, arguments, strict=False))
        if names and names[-1] == "...":
            given["__VA_ARGS__"] = ", ".join(arguments[len(names) - 1 :])
        body = macro.body
        if given:
            body = re.sub(r"(?<!#)#[ \t]*(\w+)", lambda m: f'"{given[m[1]]}"' if m[1] in given else m[0], body)
            body = re.sub(
                r"(##[ \t]*)?\b(\w+)\b(?=([ \t]*##)?)",
                lambda m: self._argument(m, given, busy),
                body,
            )
        self._spend(len(body))
        return re.sub(r"[ \t]*##[ \t]*", "", body)

    def _argument(self, found: re.Match[str], given: dict[str, str], busy: frozenset[str]) -> str:
        if found[2] not in given:
            return found[0]
        pasted = found[1] is not None or found[3] is not None
        text = given[found[2]] if pasted else self.expand(given[found[2]], busy)
        self._spend(len(text))
        return (found[1] or "") + text


def _arguments(text: str, at: int, into: list[str]) -> int:
    """Read the parenthesised arguments that start at or after `at`; their end, or -1 if there are none."""
    start = at
    while start < len(text) and text[start].isspace():
        start += 1
    if start >= len(text) or text[start] != "(":
        return -1
    depth, begin = 0, start + 1
    for place in range(start, min(len(text), start + _MAX_ARGUMENTS)):
        letter = text[place]
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        if (letter == "," and depth == 1) or depth == 0:
            into.append(text[begin:place].strip())
            begin = place + 1
        if depth == 0:
            return place + 1
    return -1
