"""Days and periods a question names, worked out from the present it is asked in.

Understood are calendar dates (`2026-04-28`, `7 May 2023`, `May 7th`), months, quarters and years (`in May`, `Q2 2024`,
`in 2023`), what is counted back (`yesterday`, `3 days ago`, `the past two weeks`, `last Tuesday`, `last month`), and
which side of a day is meant (`by`, `before`, `as of`, `until`; `since`, `after`). A date without a year is the latest
one that is not after the present. What is not a date in the calendar (`31 June`) is no date. English only.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Side = Literal["within", "until", "since"]

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_COUNTS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_MONTH = "|".join(f"{name}|{name[:3]}" if name != "september" else "september|sept?" for name in _MONTHS)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNT = rf"(?P<count>\d{{1,3}}|an?|couple of|few|{'|'.join(_COUNTS)})"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_LED = "|".join(f"(?<={word} )" for word in ("in", "during", "since", "by", "until", "of", "before", "after"))
"""What stands before a bare month or year; without it `may` is a verb and 2023 a number."""

_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE))
    for name, pattern in (
        ("iso", r"(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)(?:-(?P<d>\d\d))?"),
        ("day", rf"{_DAY}(?: of)? (?P<month>{_MONTH})\.?(?:,? {_YEAR})?"),
        ("day", rf"(?P<month>{_MONTH})\.? {_DAY}(?!\d)(?:,? {_YEAR})?"),
        ("month", rf"(?P<month>{_MONTH})\.?,? (?:of )?{_YEAR}"),
        ("month", rf"(?:{_LED}|(?<=last )|(?<=this ))(?:early |mid |late )?(?P<month>{_MONTH})"),
        ("quarter", rf"Q(?P<quarter>[1-4])(?:,? (?:of )?{_YEAR})?"),
        ("year", rf"(?:{_LED}){_YEAR}"),
        ("ago", rf"{_COUNT} {_UNIT} ago"),
        ("past", rf"(?:past|last|previous) {_COUNT} {_UNIT}"),
        ("unit", r"(?P<which>last|previous|this) (?P<unit>week|month|year|weekend)"),
        ("weekday", rf"(?:last|this past|on) (?P<weekday>{'|'.join(_WEEKDAYS)})"),
        ("word", r"(?P<word>today|tonight|this morning|yesterday|last night|(?:the )?day before yesterday)"),
    )
)  # fmt: skip
_UNTIL = re.compile(r"\b(?:by|as of|until|till|up to|before|prior to)(?: the)?(?: end of)? $", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|after)(?: the)?(?: start of| beginning of)? $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to `last`, both included, as `YYYY-MM-DD`; `side` says what the question wants of them."""

    first: str
    last: str
    side: Side = "within"

    def holds(self, at: str) -> bool:
        """Whether an instant (or day) fits: within the days, up to their last, or from their first on."""
        day = at[:10]
        if not day:
            return False
        return (self.side == "until" or day >= self.first) and (self.side == "since" or day <= self.last)


def periods(question: str, now: str) -> tuple[Period, ...]:
    """The periods a question names, in order, each once. `now` is a canonical instant."""
    try:
        today = date.fromisoformat(now[:10])
    except ValueError:
        return ()
    text = " ".join(question[:4_000].split())
    taken: list[tuple[int, Period]] = []
    spans: list[tuple[int, int]] = []
    for name, pattern in _SHAPES:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in spans):
                continue
            spans.append(match.span())
            days = _days(name, match, today)
            if days is not None:
                taken.append((match.start(), Period(str(days[0]), str(days[1]), _side(text[: match.start()]))))
    return tuple(dict.fromkeys(period for _, period in sorted(taken, key=lambda each: each[0])))


def _side(before: str) -> Side:
    if _UNTIL.search(before[-30:]):
        return "until"
    return "since" if _SINCE.search(before[-30:]) else "within"


def _days(name: str, match: re.Match[str], today: date) -> tuple[date, date] | None:
    """First and last day of what was matched; None when there is no such day."""
    try:
        return next(_READERS[name](match, today), None)
    except (ValueError, OverflowError):
        return None


def _month_of(name: str) -> int:
    return next(at for at, month in enumerate(_MONTHS, start=1) if month.startswith(name[:3].lower()))


def _whole_month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def _back(today: date, count: int, unit: str) -> date:
    """The day so many units before today; of a shorter month its last day."""
    if unit in ("day", "week"):
        return today - timedelta(days=count * (7 if unit == "week" else 1))
    months = today.year * 12 + today.month - 1 - count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(today.day, monthrange(year, month + 1)[1]))


def _counted(text: str) -> int:
    word = text.lower()
    if word.isdigit():
        return int(word)
    named = {"a": 1, "an": 1, "couple of": 2, "few": 3}
    return named[word] if word in named else _COUNTS.index(word)


def _iso(match: re.Match[str], _today: date) -> Iterator[tuple[date, date]]:
    year, month = int(match["y"]), int(match["m"])
    if match["d"]:
        day = date(year, month, int(match["d"]))
        yield day, day
    elif 1 <= month <= 12:
        yield _whole_month(year, month)


def _day(match: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    month, day = _month_of(match["month"]), int(match["day"])
    if match["year"]:
        found = date(int(match["year"]), month, day)
    else:
        years = (today.year - back for back in range(9) if day <= monthrange(today.year - back, month)[1])
        found = next(each for each in (date(year, month, day) for year in years) if each <= today)
    yield found, found


def _month(match: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    month = _month_of(match["month"])
    given = match.groupdict().get("year")
    yield _whole_month(int(given) if given else today.year - (month > today.month), month)


def _quarter(match: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    start = int(match["quarter"]) * 3 - 2
    year = int(match["year"]) if match["year"] else today.year - (start > today.month)
    yield date(year, start, 1), _whole_month(year, start + 2)[1]


def _year(match: re.Match[str], _today: date) -> Iterator[tuple[date, date]]:
    year = int(match["year"])
    yield date(year, 1, 1), date(year, 12, 31)


def _ago(match: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    """A day some days ago is that day; `two weeks ago` is the week around it, and so for months and years."""
    unit = match["unit"].lower()
    day = _back(today, _counted(match["count"]), unit)
    if unit == "day":
        yield day, day
    elif unit == "week":
        yield day - timedelta(days=3), day + timedelta(days=3)
    else:
        yield _whole_month(day.year, day.month) if unit == "month" else (date(day.year, 1, 1), date(day.year, 12, 31))


def _past(match: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    yield _back(today, _counted(match["count"]), match["unit"].lower()), today


def _unit(match: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    """Calendar weeks begin on Monday. `this` ends today."""
    unit, this = match["unit"].lower(), match["which"].lower() == "this"
    monday = today - timedelta(days=today.weekday())
    if unit == "week":
        yield (monday, today) if this else (monday - timedelta(days=7), monday - timedelta(days=1))
    elif unit == "weekend":
        saturday = monday + timedelta(days=5 if this else -2)
        yield saturday, saturday + timedelta(days=1)
    elif unit == "month":
        last = _back(today.replace(day=1), 1, "month")
        yield (today.replace(day=1), today) if this else _whole_month(last.year, last.month)
    else:
        year = today.year - (not this)
        yield date(year, 1, 1), today if this else date(year, 12, 31)


def _weekday(match: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    """The latest such day before today."""
    back = (today.weekday() - _WEEKDAYS.index(match["weekday"].lower()) - 1) % 7 + 1
    day = today - timedelta(days=back)
    yield day, day


def _word(match: re.Match[str], today: date) -> Iterator[tuple[date, date]]:
    word = match["word"].lower()
    back = 2 if "before" in word else 1 if word in ("yesterday", "last night") else 0
    day = today - timedelta(days=back)
    yield day, day


_READERS = {
    "iso": _iso, "day": _day, "month": _month, "quarter": _quarter, "year": _year, "ago": _ago, "past": _past,
    "unit": _unit, "weekday": _weekday, "word": _word,
}  # fmt: skip
