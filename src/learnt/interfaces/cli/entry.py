"""Where the `learnt` command begins."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def main() -> None:
    """Run the command line and leave with the contract's exit code."""
    arguments = sys.argv[1:]
    _streams()
    if arguments[:1] == ["hook"] and not {"-h", "--help"} & set(arguments):
        _hooked(arguments[1:])
        return
    try:
        if arguments[:1] == ["mcp"]:
            _served(arguments[1:])
        code = run(arguments)
    except KeyboardInterrupt:  # while the command was still being loaded
        code = 130
    sys.exit(code)


def _hooked(arguments: list[str]) -> None:
    """Handle an event; whatever goes wrong, the host goes on."""
    try:
        from learnt.interfaces.cli.hook import run_hook

        run_hook(arguments)
    except Exception as error:  # noqa: BLE001 - the process boundary of a hook: said, exit status 0
        os.write(2, f"learnt hook: {error!r}\n".encode("utf-8", "replace"))


def _served(arguments: list[str]) -> None:
    """Serve a client without what the other commands need; what is not that simple is left to them."""
    from learnt.interfaces.mcp.process import options, run

    wanted = options(arguments)
    if wanted is not None:
        with suppress(ImportError):  # the command tells which package is missing
            run(os.environ, **wanted)


def _streams() -> None:
    """A stream that was closed before the start stands for nothing, as it was meant."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - lives as the process


def run(arguments: list[str]) -> int:
    """Run one command; gives its exit code. The only place that catches everything: a bug is reported as one."""
    import click

    from learnt.errors import LearntError
    from learnt.interfaces.cli import frame
    from learnt.interfaces.cli.commands import learnt

    as_json = "--json" in (arguments[: arguments.index("--")] if "--" in arguments else arguments)
    try:
        code = learnt.main(arguments, prog_name="learnt", standalone_mode=False)
    except LearntError as error:
        return frame.report(error, as_json=as_json)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        return _misused(error, as_json=as_json)
    except (click.Abort, KeyboardInterrupt):
        return 130
    except (BrokenPipeError, SystemExit):  # click leaves this way when the reader of a pipe is gone, and only then
        frame.silence()
        return 0
    except Exception as error:  # noqa: BLE001 - the process boundary: whatever is left is a bug, and is said
        return _bug(error, as_json=as_json)
    return code if isinstance(code, int) else 0


def _misused(error: object, *, as_json: bool) -> int:
    import click

    from learnt.errors import UsageError
    from learnt.interfaces.cli import frame

    message = getattr(error, "format_message", lambda: str(error))()
    context = getattr(error, "ctx", None)
    alone = isinstance(error, click.exceptions.NoArgsIsHelpError) or message == "Missing command."
    if alone and context and isinstance(context.command, click.Group):
        message = f"`{context.command_path}` needs one of these behind it: {', '.join(context.command.commands)}."
    hint = f"See `{context.command_path if context else 'learnt'} --help`."
    if isinstance(error, click.NoSuchOption):
        hint += " A text that begins with a dash goes behind `--`."
    if "unexpected extra argument" in message:
        hint += " A text of several words goes in quotes."
    return frame.report(UsageError(message, hint=hint, code="usage"), as_json=as_json)


def _bug(error: Exception, *, as_json: bool) -> int:
    import traceback
    from pathlib import Path

    from learnt.errors import LearntError
    from learnt.interfaces.cli import frame

    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(where.filename).name}:{where.lineno}"
    if os.environ.get("LEARNT_TRACE"):
        traceback.print_exception(error)
    bug = LearntError(
        f"This is a bug in learnt: {type(error).__name__} at {place}.",
        code="bug",
        hint="Set LEARNT_TRACE=1 to see where; nothing half-done was stored.",
        details={"error": type(error).__name__, "place": place},
    )
    return frame.report(bug, as_json=as_json)


if __name__ == "__main__":
    main()
