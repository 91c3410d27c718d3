"""The files of a task, looked up in the evidence: those a question names, and those its caller does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from learnt.model.anchor import relative
from learnt.model.wording import folded, paths, question_terms
from learnt.recall.touched import Touched, touched

if TYPE_CHECKING:
    from learnt.flows.means import Means
    from learnt.model.search import SearchQuery

MOST_FILES: Final = 8
"""Of a longer list the first: each costs a look into the full text."""

DEPTH: Final = 200
"""Units looked at for each."""


def task_files(means: Means, query: SearchQuery) -> Touched:
    """Who names the files of the task; nothing where there is none."""
    given = [folded(relative(path, means.place.root)) for path in query.files if path.strip("./ ")][:MOST_FILES]
    asked = paths(query.text)[:MOST_FILES] if query.group else ()
    if not (given or asked) or query.profile != "default":
        return Touched()
    sight, store = means.context.sight, means.store
    found = {
        match.unit.id: match.unit
        for file in dict.fromkeys((*given, *asked))
        for match in store.evidence.match(sight, question_terms(file), query.wanted, DEPTH).best
    }
    return touched(given, asked, tuple(found.values()))
