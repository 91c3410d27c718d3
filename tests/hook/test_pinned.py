"""What a hook does with memories whose files are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.model.pin import KEY, Pin, as_row

if TYPE_CHECKING:
    from tests.hook.conftest import Machine


def _pins(*paths: str) -> dict[str, object]:
    return {KEY: [as_row(Pin(path=path, line=1, end=1, marks=(1,))) for path in paths]}


def test_gone_is_hidden_at_every_moment_and_comes_back(machine: Machine) -> None:
    """At a prompt, a start and before an action; the file put back brings the memory back."""
    machine.keep(
        "cargo nextest renews the lease",
        kind="lesson",
        files=("src/lease.rs",),
        metadata=_pins("src/lease.rs", "src/other.rs"),
    )
    asked = {"prompt": "renews the lease with nextest"}
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(machine.project / "src/lease.rs"), "new_string": "x"}}
    moments: list[tuple[str, dict[str, Any]]] = [
        ("user-prompt-submit", asked),
        ("session-start", {"source": "startup"}),
        ("pre-tool-use", edit),
    ]
    for number, (event, fields) in enumerate(moments):
        assert machine.hook(event, f"gone-{number}", **fields) == "", event
    (machine.project / "src").mkdir()
    (machine.project / "src/other.rs").write_text("fn main() {}\n")
    for number, (event, fields) in enumerate(moments):
        assert "renews the lease" in machine.hook(event, f"back-{number}", **fields), event


def test_a_memory_without_pins_is_as_ever(machine: Machine) -> None:
    """Files that are only named are not looked for."""
    machine.keep("cargo nextest renews the lease", files=("src/lease.rs",))
    assert "renews the lease" in machine.hook("user-prompt-submit", prompt="renews the lease with nextest")
