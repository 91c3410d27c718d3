"""What `learnt doctor` says of the audit trail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.interfaces.cli.check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from learnt.flows.audit import Verification
    from learnt.interfaces.cli.frame import Desk


def trail(desk: Desk) -> Iterator[Check]:
    """Whether it holds, and what is missing that would show more."""
    found = desk.engine.verify()
    report = found.report
    if not found.supported:
        yield Check("audit", "ok", "unsupported by this store")
    elif report.divergence is not None:
        first = report.divergence
        what = f"the trail of events does not hold: {first.kind} at event {first.position}"
        yield Check("audit", "problem", what, "`learnt audit verify` says more.")
    else:
        signed = f"signed up to event {report.vouched:,}" if report.vouched else "never signed"
        yield Check("audit", "ok", f"{report.events:,} events, trail whole, {signed}")
    yield from _guarded(desk, found)


def _guarded(desk: Desk, found: Verification) -> Iterator[Check]:
    """What is missing that would show more."""
    report, every = found.report, desk.engine.assembly.means.own.audit.checkpoint_events
    for each in report.anchors:
        if each.fault and not each.name.startswith("command"):
            yield Check("audit", "warning", f"{each.name}: {each.fault}", "Correct `[audit]` in your configuration.")
    crashes = [each.detail for each in report.notices if each.kind == "crash"]
    yield from (
        Check("audit", "warning", each, "After a power cut that is all; else see the manual.") for each in crashes
    )
    if found.supported and not desk.home.key("audit"):
        advice = f"Make {desk.home.keys_dir} writable: then events are marked with a key."
        yield Check("audit", "warning", "events are chained, and no key can be kept to mark them", advice)
    elif every and report.cut + report.events - report.vouched > 2 * every:
        advice = "`learnt audit checkpoint` makes one; `learnt worker` makes them by itself."
        yield Check("audit", "warning", f"no checkpoint for more than {2 * every:,} events", advice)
