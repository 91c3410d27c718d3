"""Option values that several commands read the same way."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from learnt.errors import UsageError
from learnt.model.kinds import KINDS, SCOPE_TYPES
from learnt.wire.moment import RULE, instant

if TYPE_CHECKING:
    from collections.abc import Callable


class Moment(click.ParamType[str]):
    """A point in time, made canonical."""

    name = "ISO"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """See `learnt.wire.moment.instant`."""
        del ctx
        try:
            return instant(str(value))
        except UsageError as error:
            option = param.opts[0] if param else ""
            raise UsageError(f"{option}: {error.message}", code=error.error_code, hint=RULE) from None


class Number(click.ParamType[float]):
    """A finite number between two bounds, both inclusive."""

    name = "X"

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a usage error that names the bounds."""
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not isfinite(number) or not self.low <= number <= self.high:
            self.fail(f"{str(value)[:40]!r} is not a number from {self.low:g} to {self.high:g}.", param, ctx)
        return number


KIND = click.Choice(KINDS)
SCOPE = click.Choice(SCOPE_TYPES)
GRADE = Number(0, 1)
SCORE = Number(0, 10)
MOMENT = Moment()


def many(
    option: str, parameter: str, metavar: str, text: str, of: click.ParamType[str] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option that may be repeated."""
    return click.option(option, parameter, metavar=metavar, multiple=True, type=of, help=f"{text}  [repeatable]")
