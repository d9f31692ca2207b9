"""What a program holds of a handler that serves."""

from __future__ import annotations

import dataclasses
from typing import Any, Awaitable, Callable, Dict, Literal, Mapping, Optional, Protocol

from ._link import LinkSettings, OnFailure
from ._request_line import Time
from .message import Message

#: What is awaited for an offer.
Body = Callable[[Message], Awaitable[object]]


class Keeper(Protocol):
    """Who carries out what a program wants of its links."""

    async def remove(self, link: Link) -> None:
        """Takes it out."""

    async def update(self, link: Link, changes: Dict[str, Any]) -> None:
        """Gives it other settings."""

    async def move(self, link: Link, place: Dict[str, Any]) -> None:
        """Gives it another place."""


@dataclasses.dataclass(eq=False)
class Place:
    """The place of one handler in its chain, which outlives connections."""

    settings: LinkSettings
    body: Body
    #: As the server wrote it last. With it the handler gets its old place.
    rank: Optional[str] = None
    #: Whether it has served. A name that is taken is then its own, from an older connection.
    has_served: bool = False
    #: Whether this client has it no more.
    is_gone: bool = False
    #: What people were told of it last.
    told: str = ""


class Link:
    """A handler of this client, in its place in its chain. `Client.add` returns it, and `Client.links` has all. What is
    done with it outlives connections."""

    __slots__ = ("_place", "_keeper")

    def __init__(self, place: Place, keeper: Keeper) -> None:
        self._place = place
        self._keeper = keeper

    @property
    def chain(self) -> str:
        """Its chain."""
        return self._place.settings.chain

    @property
    def handler(self) -> str:
        """Its name in the chain."""
        return self._place.settings.name

    @property
    def rank(self) -> Optional[float]:
        """Where it stands, as of the last connection; `None` before it has had a place."""
        return None if self._place.rank is None else float(self._place.rank)

    @property
    def rank_text(self) -> Optional[str]:
        """The same, byte for byte as the server wrote it."""
        return self._place.rank

    @property
    def is_gone(self) -> bool:
        """Whether it was removed, or another client has replaced it."""
        return self._place.is_gone

    async def remove(self) -> None:
        """Takes the handler out: it gets no more offers, finishes those that it has, and does not come back. Without a
        connection it leaves the plan; if the server keeps its place, the place is removed on return. Raises `Refused`
        where the server refuses that."""
        await self._keeper.remove(self)

    async def update(
        self,
        *patterns: str,
        timeout: Optional[Time] = None,
        window: Optional[int] = None,
        on_failure: Optional[OnFailure] = None,
        share: Optional[bool] = None,
        hold: Optional[Time] = None,
        required: Optional[bool] = None,
        shadow: Optional[bool] = None,
        percent: Optional[int] = None,
        when: Optional[Mapping[str, Any]] = None,
    ) -> None:
        """Gives it other patterns or settings, as with `Client.handler`; what is not given stays. Without a connection it
        comes back with them. Raises as `Client.send` does, and nothing is changed then; `NotAGuard` where the configuration
        file says less than a guard needs."""
        given = {
            "accepts": patterns or None,
            "timeout": timeout,
            "window": window,
            "on_failure": on_failure,
            "share": share,
            "hold": hold,
            "required": required,
            "shadow": shadow,
            "percent": percent,
            "when": when,
        }
        await self._keeper.update(self, {name: value for name, value in given.items() if value is not None})

    async def move(
        self,
        *,
        at: Optional[Literal["front", "back"]] = None,
        before: Optional[str] = None,
        after: Optional[str] = None,
        rank: Optional[float] = None,
    ) -> None:
        """Gives it another place. Raises as `Client.send` does, and `Unreachable` at once without a connection."""
        await self._keeper.move(self, {"at": at, "before": before, "after": after, "rank": rank})

    def __repr__(self) -> str:
        return f"<Link {self.chain}/{self.handler} at {self._place.rank or 'no place yet'}>"
