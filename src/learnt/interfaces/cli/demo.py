"""`learnt demo`: the main job on three small sessions, in a throw-away directory."""

from __future__ import annotations

from learnt.interfaces.cli.frame import Desk, command


@command("demo", short_help="See the whole story in a few seconds.")
def demo(desk: Desk) -> None:
    """Play."""
    del desk
