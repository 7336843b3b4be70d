"""Reading ``task.yml``: YAML's safe subset, without aliases and repeated keys, and with ``1e-5`` a number."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

MAX_BYTES = 1 << 20


# libyaml reads a problem ten times faster, on the way of every verdict.
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.YAMLError(f"key {key!r} is not a word, line {key_node.start_mark.line + 1}")
            if key in seen:
                raise yaml.YAMLError(f"key {key!r} appears twice, line {key_node.start_mark.line + 1}")
            seen.add(key)
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        return made


# YAML 1.1, which PyYAML speaks, takes a float without a dot for a string.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+\Z"), list("-+0123456789")
)


def _refuse_aliases(text: str) -> None:
    """A few aliases of aliases are a bomb; and libyaml's composer cannot be made to refuse them."""
    for event in yaml.parse(text, Loader=_Base):
        if isinstance(event, yaml.AliasEvent):
            where = f", line {event.start_mark.line + 1}" if event.start_mark else ""
            raise yaml.YAMLError(f"aliases (*name) are not allowed{where}")


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping that the file holds. Raises ValueError, naming the file, for anything else."""
    if not path.is_file():
        raise ValueError(f"{path.name}: there is no such file in {path.parent.name or path.parent}")
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(f"{path.name}: larger than {MAX_BYTES} bytes")
    try:
        text = path.read_text(encoding="utf-8")
        _refuse_aliases(text)
        value = yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path.name}: not valid YAML: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"{path.name}: expected keys such as 'files', 'lang' and 'tests'")
    return value
