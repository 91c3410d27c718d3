"""One data set measured from its folder to its report."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from learnt.errors import UsageError
from learnt.evals import anchored, bars, calibrate, measure, quality, subject, succession, taught, typed
from learnt.evals.datasets import anchors, labelled, learnings, supersede
from learnt.evals.datasets.files import too_large
from learnt.evals.datasets.table import ALSO, NAMES, SEARCHED
from learnt.evals.security import report as security
from learnt.model.kinds import PROFILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from learnt.evals.task import Dataset
    from learnt.model.kinds import Profile

Json = dict[str, Any]


def profiles_of(text: str, default: Sequence[Profile]) -> tuple[Profile, ...]:
    """The profiles of a comma-separated list, each once; `default` for an empty one.

    Raises:
        UsageError: There is no such profile.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in PROFILES:
            raise UsageError(f"There is no profile {name!r}. One of: {', '.join(PROFILES)}.", code="profile")
    return tuple(dict.fromkeys(profile for name in names for profile in PROFILES if profile == name)) or tuple(default)


def report(
    name: str,
    folder: Path,
    profiles: Sequence[Profile],
    environment: Mapping[str, str],
    *,
    calibration: bool = False,
    tell: Callable[[int, int], None] | None = None,
) -> Json:
    """The report on the data set `name` in `folder`.

    Raises:
        UsageError: There is no such data set, the folder holds other data, or more than fits into memory.
    """
    name = ALSO.get(name, name)
    if name not in NAMES:
        raise UsageError(f"There is no data set {name!r}. One of: {', '.join(NAMES)}.", code="dataset")
    try:
        return _measured(name, folder, profiles, environment, calibration=calibration, tell=tell)
    except MemoryError:
        raise too_large() from None
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        if _ours(error):
            raise
        raise UsageError(
            f"The data are not in the format of {name} ({type(error).__name__}: {error}).",
            code="bad_data",
            hint="Is it the folder of this data set?",
        ) from error


def _ours(error: BaseException) -> bool:
    """Whether an error comes from anywhere but the readers: then it is a bug, not bad data."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    module = at.tb_frame.f_globals.get("__name__", "") if at is not None else ""
    return not module.startswith("learnt.evals.datasets")


def _measured(
    name: str,
    folder: Path,
    profiles: Sequence[Profile],
    environment: Mapping[str, str],
    *,
    calibration: bool,
    tell: Callable[[int, int], None] | None,
) -> Json:
    if name == "supersede":
        found = succession.measured(supersede.read(folder), profiles, lambda: subject.engine(environment), tell)
        untold = found.pop("untold")
        return {
            "dataset": name,
            "profiles": found,
            "untold": untold,
            "bars": bars.judged(name, {**found, "untold": untold}),
        }
    if name == security.NAME:
        return security.measured(folder, environment, tell)
    if name == "entire-anchors":
        figures = anchored.measured(anchors.read(folder), lambda: subject.engine(environment), tell)
        return {"dataset": name, "profiles": {"default": figures}, "bars": bars.judged(name, {"default": figures})}
    if name == "mempalace-extraction":
        figures = typed.measured(labelled.read(folder))
        return {"dataset": name, "profiles": {"default": figures}, "bars": bars.held(typed.BARS, {"default": figures})}
    made = _searched(SEARCHED[name](folder), profiles, environment, calibration=calibration, tell=tell)
    sessions = learnings.read(folder) if name == "entire-sessions" else ()
    if sessions:
        with subject.engine(environment) as engine:
            made["extraction"] = taught.measured(sessions, engine.assembly.means.embedder, tell)
        made["bars"] += bars.held(taught.BARS, {"extraction": made["extraction"]})
    return made


def _searched(
    dataset: Dataset,
    profiles: Sequence[Profile],
    environment: Mapping[str, str],
    *,
    calibration: bool,
    tell: Callable[[int, int], None] | None,
) -> Json:
    @contextmanager
    def opened() -> Iterator[subject.EngineSubject]:
        with subject.engine(environment) as engine:
            yield subject.EngineSubject(engine)

    outcomes = list(measure.outcomes(dataset, profiles, opened, tell))
    by_profile = {profile: [each for each in outcomes if each.profile == profile] for profile in profiles}
    figures: Json = {name: quality.profile_figures(dataset, found, name) for name, found in by_profile.items()}
    made: Json = {"dataset": dataset.name, "profiles": figures, "bars": bars.judged(dataset.name, figures)}
    if calibration:
        made["calibration"] = {
            name: {
                **calibrate.reliability(calibrate.judged(by_profile[name])),
                "outcomes": calibrate.believed(by_profile[name]),
            }
            for name in profiles
            if figures[name]["status"] != "skipped"
        }
    return made
