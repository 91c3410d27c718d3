"""Prompts as files of the package, read when first asked for, their variables filled once.

Source: autonomous-memory seed, extraction behaviour (the files and their variables).
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Prompt = Literal["stage_one_system", "stage_one_input", "consolidation_system", "consolidation", "read_path"]
_VARIABLE = re.compile(r"\{\{([a-z_]{1,40})\}\}")


@cache
def template(name: Prompt) -> str:
    """A prompt as it stands in its file."""
    return (files("learnt.distil") / "prompts" / f"{name}.md").read_text("utf-8")


def variables(name: Prompt) -> tuple[str, ...]:
    """What a prompt has to be given, in order, each once."""
    return tuple(dict.fromkeys(_VARIABLE.findall(template(name))))


def filled(name: Prompt, values: Mapping[str, str] | None = None) -> str:
    """A prompt with its variables in place; a value is never searched for variables.

    Raises:
        KeyError: A variable is not given.
    """
    given = values or {}
    return _VARIABLE.sub(lambda found: given[found[1]], template(name))
