"""The verbs that carry memory out into files, and in from them."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING

from learnt import flows
from learnt.engine.base import Verbs

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from learnt.flows.imported import Imported, Step
    from learnt.model.answer import Refusal


class Carrying(Verbs):
    """Memory, out and in."""

    def export(
        self, folder: str | os.PathLike[str] = "", *, tell: Callable[[int], None] | None = None
    ) -> flows.export.Exported:
        """Write everything in sight into a folder, for this user alone; told in the audit trail.

        Args:
            folder: Not there yet, or what an earlier export wrote, which is replaced; "" for one beside the store.
            tell: Called with how many rows are written, now and then.

        Raises:
            UsageError: `exists`: something else is there.
            ConfigError: It cannot be written.
        """
        from learnt.bootstrap import export_folder

        assembly = self._assembly
        to = export_folder(assembly.home, assembly.place, fspath(folder), self._means.clock.now())
        return flows.export.export(self._means, to, tell)

    def import_(
        self,
        path: str | os.PathLike[str],
        form: str = "",
        *,
        here: bool = False,
        dry_run: bool = False,
        tell: Callable[[Step], None] | None = None,
    ) -> Imported | Refusal:
        """Take memories in from a file or folder, through the gate; a person only. Repeat it to go on.

        Args:
            form: The format; "" to find out.
            here: Rows of another repository or person become this one's.
            dry_run: Tell everything, write nothing.
            tell: Called after each batch, for progress.

        Raises:
            UsageError: It cannot be read, or its format is unknown.
            ConfigError: Originals cannot be copied aside; nothing was imported.
        """
        from learnt.bootstrap import BACKUPS, parcel

        backups = str(self._assembly.home.data_dir / BACKUPS)
        what = parcel(fspath(path), form)
        answer = flows.imports.import_(self._means, what, backups=backups, here=here, dry_run=dry_run, tell=tell)
        return answer if dry_run else self._followed(answer)
