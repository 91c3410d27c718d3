"""What every verb of the engine works with: the assembly, and the copy of hooks kept up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, TypeVar

from learnt import flows

if TYPE_CHECKING:
    import os
    from types import TracebackType

    from learnt.bootstrap import Assembly, Home
    from learnt.flows.copy import Followed
    from learnt.ports.store import Store

T = TypeVar("T")


class Verbs:
    """The means of one project, open."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._means = assembly.means

    @classmethod
    def open(
        cls, project: str | os.PathLike[str] = ".", *, home: Home | None = None, store: Store | None = None
    ) -> Self:
        """The engine of the repository (or folder) `project` lies in.

        Args:
            home: Where data and configuration lie; by default what environment and platform say.
            store: An open store to use instead of the configured one.

        Raises:
            ConfigError: No home directory, or a configuration that cannot be read.
            StoreError: The store does not open.
        """
        from learnt.bootstrap import assemble

        engine = cls(assemble(project, home=home, store=store))
        engine.follow()
        return engine

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the store back; safe to call twice."""
        self._means.store.close()
        if self._means.copy is not None:
            self._means.copy.close()

    def follow(self, within_s: float = flows.copy.WITHIN_S, *, everywhere: bool = False) -> Followed:
        """Bring the copy that hooks read up to a store on a server, and send their receipts; never fails.

        An engine does so itself when it opens and after what it wrote.

        Args:
            within_s: When to leave the rest to the next time.
            everywhere: For all repositories used on this machine, not this one alone.
        """
        return flows.copy.follow(self._means, everywhere=everywhere, within_s=within_s)

    def _followed(self, answer: T, *, everywhere: bool = False) -> T:
        """An answer, after the copy of hooks took over what was written."""
        self.follow(everywhere=everywhere)
        return answer

    @property
    def assembly(self) -> Assembly:
        """What this engine is made of; for `doctor`, hooks and tests."""
        return self._assembly
