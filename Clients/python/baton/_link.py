"""Where a handler stands in its chain, and how it is asked: the members of `insert`."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from ._contract import CAUSES
from ._names import check_name, check_pattern
from ._request_line import RequestLine, Time, checked_milliseconds
from .errors import BadValue

#: What says a place. A handler that comes back has another one, and of a declared link the file says it.
PLACES = ("at", "before", "after", "rank")

#: Without one of these as it was said, a guard is none.
GUARDING = ("accepts", "on_failure", "required", "shadow", "percent", "when")

OnFailure = Union[str, Mapping[str, str]]


@dataclasses.dataclass(frozen=True)
class LinkSettings:
    """Where a handler stands in its chain, and how it is asked. Raises `BadValue` or `Refused` for what the server would
    refuse."""

    name: str
    chain: str = "main"
    accepts: Tuple[str, ...] = (">",)
    guard: bool = False
    at: Optional[str] = None
    before: Optional[str] = None
    after: Optional[str] = None
    rank: Optional[float] = None
    timeout: Optional[Time] = None
    window: Optional[int] = None
    on_failure: Optional[OnFailure] = None
    share: Optional[bool] = None
    hold: Optional[Time] = None
    required: Optional[bool] = None
    shadow: Optional[bool] = None
    percent: Optional[int] = None
    when: Optional[Mapping[str, Any]] = None

    def __post_init__(self) -> None:
        check_name(self.name, "the name of a handler")
        check_name(self.chain, "the name of a chain")
        check_patterns(self.accepts)
        if self.guard:
            self._become_guard()
        _check_place({name: getattr(self, name) for name in PLACES})
        if self.timeout is not None:
            checked_milliseconds(self.timeout, "timeout")
        if self.hold is not None:
            checked_milliseconds(self.hold, "hold", least=0)
        if self.window is not None and (type(self.window) is not int or self.window < 1):
            raise BadValue(f"window: {self.window!r} is not a whole number above 0")
        if self.percent is not None and (type(self.percent) is not int or not 0 <= self.percent <= 100):
            raise BadValue(f"percent: {self.percent!r} is not a whole number from 0 to 100")
        if self.when is not None and not isinstance(self.when, Mapping):
            raise BadValue(f"when: {self.when!r} is not a dictionary, such as {{'payload': {{'tool': ['shell']}}}}")
        if self.on_failure is not None:
            _check_on_failure(self.on_failure)

    def _become_guard(self) -> None:
        """What people mean by it: messages do not pass while it is away, or when it fails, and nobody is before it."""
        contrary = {"required": self.required is False, "shadow": bool(self.shadow)}
        contrary["percent"] = self.percent not in (None, 100)
        contrary["on_failure"] = self.on_failure not in (None, "stop")
        for name, is_contrary in contrary.items():
            if is_contrary:
                said = f"{name}={getattr(self, name)!r}"
                raise BadValue(f"a guard is required and stops messages when it fails: {said} says otherwise")
        object.__setattr__(self, "required", True)
        object.__setattr__(self, "on_failure", "stop")
        # It says it also where it is the default: then the server tells whether the file says otherwise.
        object.__setattr__(self, "percent", 100)
        if all(getattr(self, name) is None for name in PLACES):
            object.__setattr__(self, "at", "front")

    @property
    def title(self) -> str:
        """Its chain and its name."""
        return f"{self.chain}/{self.name}"

    @property
    def is_kept(self) -> bool:
        """Whether the server keeps its place while nobody serves it."""
        return bool(self.required or self.hold)

    def changed(self, changes: Mapping[str, Any]) -> LinkSettings:
        """The settings with some others. It stays a guard, if it is one."""
        return dataclasses.replace(self, **changes)

    def insertion(self, rank: Optional[str] = None) -> RequestLine:
        """The line that inserts it: at `rank`, byte for byte as the server wrote it, where it has had one."""
        line = self._settings(RequestLine("insert"))
        return line.add_raw("rank", rank) if rank is not None else _add_place(line, self)

    def replacement(self) -> RequestLine:
        """The line that takes its place over from an older connection."""
        return self._settings(RequestLine("replace"))

    def updating(self, changes: Mapping[str, Any]) -> RequestLine:
        """The line that gives it some other settings, which are these already."""
        line = RequestLine("replace").add("chain", self.chain).add("handler", self.name)
        if "accepts" in changes:
            line.add("accepts", list(self.accepts))
        if "timeout" in changes:
            line.add_time("timeout_ms", self.timeout)
        if "hold" in changes:
            line.add_time("hold_ms", self.hold)
        for name in ("window", "on_failure", "share", "required", "shadow", "percent", "when"):
            if name in changes:
                line.add(name, getattr(self, name))
        return line

    def moving(self, place: Mapping[str, Any]) -> RequestLine:
        """The line that gives it another place. Raises `BadValue` where there is none."""
        _check_place(place)
        given = {name: value for name, value in place.items() if value is not None}
        if not given:
            raise BadValue("say where to: at, before, after or rank")
        line = RequestLine("move").add("chain", self.chain).add("handler", self.name)
        for name, value in given.items():
            line.add(name, value)
        return line

    def removal(self) -> RequestLine:
        """The line that removes it."""
        return RequestLine("remove").add("chain", self.chain).add("handler", self.name)

    def _settings(self, line: RequestLine) -> RequestLine:
        line.add("chain", self.chain).add("handler", self.name).add("accepts", list(self.accepts))
        line.add_time("timeout_ms", self.timeout).add_given("window", self.window)
        line.add_given("on_failure", dict(self.on_failure) if isinstance(self.on_failure, Mapping) else self.on_failure)
        line.add_flag("share", bool(self.share)).add_time("hold_ms", self.hold)
        line.add_flag("required", bool(self.required)).add_flag("shadow", bool(self.shadow))
        return line.add_given("percent", self.percent).add_given("when", self.when)


def check_patterns(patterns: Tuple[str, ...]) -> None:
    """Raises `TypeError` for what is no text, `Refused` for what is no pattern."""
    if not all(isinstance(pattern, str) for pattern in patterns):
        raise TypeError('patterns are texts: @client.handler("door.*"), or @client.handler() for all topics')
    for pattern in patterns:
        check_pattern(pattern)


def weaker(ignored: List[str]) -> List[str]:
    """What of the members that the configuration file overrules makes a guard none."""
    return [name for name in ignored if name in GUARDING]


def _add_place(line: RequestLine, settings: LinkSettings) -> RequestLine:
    for name in PLACES:
        line.add_given(name, getattr(settings, name))
    return line


def _check_place(place: Mapping[str, Any]) -> None:
    given = [name for name, value in place.items() if value is not None]
    if len(given) > 1:
        raise BadValue(f"a handler has one place, and {' and '.join(given)} say two")
    for name in given:
        value = place[name]
        if name == "at" and value not in ("front", "back"):
            raise BadValue(f'at: {value!r} is neither "front" nor "back"')
        if name == "rank" and (isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_finite(value)):
            raise BadValue(f"rank: {value!r} is not a number")
        if name in ("before", "after"):
            check_name(value, f"{name}: the name of a handler")


def _is_finite(value: Union[int, float]) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _check_on_failure(policy: object) -> None:
    policies: Dict[Any, Any] = dict(policy) if isinstance(policy, Mapping) else {None: policy}
    for cause, what in policies.items():
        if cause is not None and cause not in CAUSES:
            raise BadValue(f"on_failure: {cause!r} is no cause; the causes are {', '.join(CAUSES)}")
        if what not in ("continue", "stop"):
            raise BadValue(f'on_failure: {what!r} is neither "continue" nor "stop"')
