"""Makes a value of a type from a payload, and says which member has another shape."""

from __future__ import annotations

import dataclasses
import enum
import functools
import sys
import types
import typing
from typing import Any, Callable, Dict, Hashable, List, Literal, Mapping, Sequence, Tuple, Type, TypeVar, Union, cast

from .errors import BadValue

Value = TypeVar("Value")

_Reader = Callable[[Any, str], Any]

_UNIONS: Tuple[Any, ...] = (Union,) + ((types.UnionType,) if sys.version_info >= (3, 10) else ())

_WORDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", type(None): "null"}


def shaped(value: Any, kind: Type[Value], path: str = "payload") -> Value:
    """The value as a dataclass, a `TypedDict`, or any of `str`, `int`, `float`, `bool`, `None`, `Any`, `Literal`,
    `Optional`, `Union`, `List`, `Sequence`, `Tuple`, `Dict`, `Mapping` and `Enum`. Raises `BadValue` where it has
    another shape, `TypeError` for any other type. Members that the type does not have are passed over."""
    made: Value = _reader(cast(Hashable, kind))(value, path)
    return made


@functools.lru_cache(maxsize=256)
def _reader(kind: Any) -> _Reader:
    """What reads a type. It is found once for each."""
    if kind is Any or kind is object:
        return lambda value, path: value
    if kind is None or kind is type(None):
        return _basic(type(None))
    if kind in (bool, int, float, str):
        return _basic(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in _UNIONS:
        return _union(arguments)
    if origin is Literal:
        return _literal(arguments)
    if kind is list or origin in (list, typing.get_origin(Sequence[int])):
        return _list(arguments[0] if arguments else Any)
    if kind is tuple or origin is tuple:
        return _tuple(arguments)
    if kind is dict or origin in (dict, typing.get_origin(Mapping[str, int])):
        return _dict(arguments[1] if arguments else Any)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _literal([member.value for member in kind], kind)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind)
    if isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__required_keys__"):
        return _typed_dict(kind)
    raise TypeError(f"{kind!r} is no type that a payload can be read as")


def _other(value: Any, path: str, expected: str) -> BadValue:
    found = _WORDS.get(type(value)) or ("a list" if isinstance(value, list) else "an object")
    return BadValue(f"{path}: expected {expected}, found {found}")


def _basic(kind: Type[Any]) -> _Reader:
    def read(value: Any, path: str) -> Any:
        if type(value) is kind:
            return value
        if kind is float and type(value) is int:
            return float(value)
        raise _other(value, path, _WORDS[kind])

    return read


def _union(kinds: Tuple[Any, ...]) -> _Reader:
    def read(value: Any, path: str) -> Any:
        faults: List[BadValue] = []
        for kind in kinds:
            try:
                return _reader(kind)(value, path)
            except BadValue as fault:
                faults.append(fault)
        # Where only null was the other choice, the words of the one that is left say more.
        left = [fault for kind, fault in zip(kinds, faults) if kind is not type(None)]
        if len(left) == 1:
            raise left[0]
        wanted = [fault.message.partition(": expected ")[2].partition(", found")[0] for fault in left]
        raise _other(value, path, " or ".join(wanted))

    return read


def _literal(values: Sequence[Any], make: Callable[[Any], Any] = lambda value: value) -> _Reader:
    def read(value: Any, path: str) -> Any:
        for wanted in values:
            if type(wanted) is type(value) and wanted == value:
                return make(wanted)
        shown = ", ".join(repr(wanted) for wanted in values)
        raise BadValue(f"{path}: expected one of {shown}, found {value!r:.80}")

    return read


def _list(kind: Any) -> _Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, list):
            raise _other(value, path, "a list")
        reader = _reader(kind)
        return [reader(element, f"{path}[{index}]") for index, element in enumerate(value)]

    return read


def _tuple(kinds: Tuple[Any, ...]) -> _Reader:
    if not kinds or (len(kinds) == 2 and kinds[1] is Ellipsis):
        elements = _list(kinds[0] if kinds else Any)
        return lambda value, path: tuple(elements(value, path))

    def read(value: Any, path: str) -> Any:
        if not isinstance(value, list) or len(value) != len(kinds):
            raise _other(value, path, f"a list of {len(kinds)}")
        return tuple(_reader(kind)(element, f"{path}[{at}]") for at, (kind, element) in enumerate(zip(kinds, value)))

    return read


def _dict(kind: Any) -> _Reader:
    def read(value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            raise _other(value, path, "an object")
        reader = _reader(kind)
        return {name: reader(member, f"{path}.{name}") for name, member in value.items()}

    return read


def _dataclass(kind: Type[Any]) -> _Reader:
    hints = typing.get_type_hints(kind)
    fields = [field for field in dataclasses.fields(kind) if field.init]
    needed = {
        field.name
        for field in fields
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }

    def read(value: Any, path: str) -> Any:
        members = _members(value, path, {field.name: hints[field.name] for field in fields}, needed)
        return kind(**members)

    return read


def _typed_dict(kind: Any) -> _Reader:
    hints = typing.get_type_hints(kind)
    return lambda value, path: _members(value, path, hints, kind.__required_keys__)


def _members(value: Any, path: str, kinds: Mapping[str, Any], needed: Any) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise _other(value, path, "an object")
    missing = [name for name in kinds if name in needed and name not in value]
    if missing:
        raise BadValue(f"{path}.{missing[0]}: is missing")
    return {name: _reader(kind)(value[name], f"{path}.{name}") for name, kind in kinds.items() if name in value}
