"""What a caller holds: one short method a verb, no logic of its own."""

from __future__ import annotations

from os import fspath
from typing import TYPE_CHECKING, Self, TypeVar

from learnt.flows import capture as capturing
from learnt.flows import clear as clearing
from learnt.flows import copy as copying
from learnt.flows import decide as deciding
from learnt.flows import digest as digesting
from learnt.flows import lease as leasing
from learnt.flows import ledger, sessions, state, upkeep
from learnt.flows import models as trying
from learnt.flows import observe as observing
from learnt.flows import read as reading
from learnt.flows import reward as rewarding
from learnt.flows import stale as aging
from learnt.flows import work as working
from learnt.flows.migrate import migrate
from learnt.flows.propose import propose
from learnt.flows.recall import choices, recall
from learnt.flows.reembed import Progress, Reembedded, reembed
from learnt.flows.remember import remember
from learnt.flows.search import search
from learnt.model.backlog import JobFilter
from learnt.model.filter import MemoryFilter
from learnt.model.proposal import Decision
from learnt.model.ranking import Query
from learnt.model.request import ProposalRequest, WriteRequest
from learnt.model.search import EvidenceFilter, SearchQuery

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType

    from learnt.bootstrap import Assembly, Home
    from learnt.errors import StoreError
    from learnt.flows.copy import Followed
    from learnt.flows.moved import Moved, Step
    from learnt.flows.work import Jobs, Outcome, Worked
    from learnt.model.answer import Decided, Proposed, Refusal, Undone, Written
    from learnt.model.digest import Digest
    from learnt.model.evidence import Document, EvidenceUnit, SessionRecord, Turn
    from learnt.model.filter import Page
    from learnt.model.job import Job, JobStatus
    from learnt.model.kinds import Action, Kind, Mode, Operation, Profile, ScopeType, Status
    from learnt.model.memory import Memory
    from learnt.model.ranking import Bundle, Ranking
    from learnt.model.reading import Ingested, Reading
    from learnt.model.reward import Council, Rewarded
    from learnt.model.search import Grouping, SearchAnswer, Where
    from learnt.ports.store import Store


T = TypeVar("T")


class Engine:
    """The memory of one project, as one process sees it.

    Use it as a context manager, or call `close`. It may be shared by threads; it must not be shared by forked
    processes (open one each).
    """

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

    def follow(self, within_s: float = copying.WITHIN_S, *, everywhere: bool = False) -> Followed:
        """Bring the copy that hooks read up to a store on a server, and send their receipts; never fails.

        An engine does so itself when it opens and after what it wrote.

        Args:
            within_s: When to leave the rest to the next time.
            everywhere: For all repositories used on this machine, not this one alone.
        """
        return copying.follow(self._means, everywhere=everywhere, within_s=within_s)

    def _followed(self, answer: T, *, everywhere: bool = False) -> T:
        """An answer, after the copy of hooks took over what was written."""
        self.follow(everywhere=everywhere)
        return answer

    @property
    def assembly(self) -> Assembly:
        """What this engine is made of; for `doctor`, hooks and tests."""
        return self._assembly

    def remember(
        self,
        text: str,
        *,
        kind: Kind,
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        symbols: Sequence[str] = (),
        evidence: Sequence[str] = (),
        rationale: str = "",
        confidence: float | None = None,
        expires_at: str | None = None,
        scope: ScopeType | None = None,
        again: bool = False,
    ) -> Written | Proposed | Refusal:
        """Write a memory; in an agent's process, propose it.

        Args:
            evidence: References: `path[:line[-line]]`, 40-hex commit, URL, `run:ID`, `session:ID#record`, ...
            confidence: 0 to 1; 0.9 when left out.

        Raises:
            UsageError: The input breaks a rule; nothing was stored.
        """
        request = WriteRequest(
            text=text,
            kind=kind,
            tags=tuple(tags),
            files=tuple(files),
            symbols=tuple(symbols),
            evidence=tuple(evidence),
            rationale=rationale,
            confidence=confidence,
            expires_at=expires_at,
            scope=scope,
            again=again,
        )
        return self._followed(remember(self._means, request))

    def propose(
        self,
        operation: Operation,
        text: str = "",
        *,
        kind: Kind | None = None,
        target: str = "",
        related: Sequence[str] = (),
        rationale: str = "",
        evidence: Sequence[str] = (),
        tags: Sequence[str] = (),
        confidence: float | None = None,
    ) -> Proposed | Refusal:
        """Ask for a change; a person (or an enabled curator) decides.

        Raises:
            UsageError: The input breaks a rule; nothing was stored.
        """
        request = ProposalRequest(
            operation=operation,
            text=text,
            kind=kind,
            target_id=target,
            related=tuple(related),
            rationale=rationale,
            evidence=tuple(evidence),
            tags=tuple(tags),
            confidence=confidence,
        )
        return propose(self._means, request)

    def pending(self, limit: int = 50) -> reading.Queue:
        """What waits for a decision, most valuable first."""
        return reading.pending(self._means, limit)

    def decide(
        self,
        proposal: str,
        action: Action,
        *,
        reason: str = "",
        text: str | None = None,
        kind: Kind | None = None,
        confidence: float | None = None,
        tags: Sequence[str] | None = None,
    ) -> Decided | Refusal:
        """Answer a proposal.

        Raises:
            NotFoundError: No such proposal here.
            UsageError: The decision does not fit the proposal.
        """
        decision = Decision(
            proposal_id=proposal,
            action=action,
            reason=reason,
            text=text,
            kind=kind,
            confidence=confidence,
            tags=None if tags is None else tuple(tags),
        )
        return self._followed(deciding.decide(self._means, decision))

    def undo(self, event: str) -> Undone | Refusal:
        """Take a decision back.

        Raises:
            NotFoundError: No such event here.
            UsageError: The event is not a decision.
        """
        return self._followed(deciding.undo(self._means, event))

    def recall(
        self,
        query: str,
        *,
        task: str = "",
        kinds: Sequence[Kind] = (),
        role: str = "",
        mode: Mode = "manual",
        profile: Profile = "default",
        max_items: int | None = None,
        budget_tokens: int | None = None,
        min_score: float | None = None,
        as_of: str | None = None,
        include_low_q: bool = False,
        include_expired: bool = False,
    ) -> Ranking:
        """The memories that bear on a question, best first, and the block they make.

        Raises:
            UsageError: Fewer than three characters to search for.
        """
        asked = Query(
            text=query,
            task=task,
            kinds=tuple(kinds),
            role=role,
            mode=mode,
            profile=profile,
            max_items=max_items,
            budget_tokens=budget_tokens,
            min_score=min_score,
            as_of=as_of,
            include_low_q=include_low_q,
            include_expired=include_expired,
        )
        return recall(self._means, asked)

    def choices(self, prompt: str) -> Ranking:
        """Every memory that a recall of `prompt` in injection mode chooses from, best first.

        Without a block and without a receipt: a hook leaves out what it gave before, and makes both itself.
        """
        return choices(self._means, Query(text=prompt, mode="injection"))

    def search(
        self,
        query: str,
        where: Where = "all",
        k: int = 10,
        profile: Profile = "default",
        *,
        group: Grouping = "",
        files: Sequence[str] = (),
        wanted: EvidenceFilter | None = None,
    ) -> SearchAnswer:
        """Evidence and memories about a question in one list, best first.

        Args:
            group: `session` for one hit a session, its best unit.
            files: Of the task at hand: what names them rises, and so do the sessions that touched them.
            wanted: Narrows the evidence: types, who, session, time.

        Raises:
            UsageError: A place, profile or number that does not exist.
        """
        narrowed = wanted or EvidenceFilter()
        asked = SearchQuery(
            text=query, where=where, k=k, profile=profile, group=group, files=tuple(files), wanted=narrowed
        )
        return search(self._means, asked)

    def observe(self, turns: Iterable[Turn]) -> tuple[str, ...]:
        """Keep the turns of conversations as evidence, redacted; gives the reference of each.

        For programs that hold a conversation themselves. Turns of one session are given in order; one that was kept
        before (the same session and key) stays as it was.

        Raises:
            UsageError: A turn names no session, or its time is none.
        """
        return observing.observe(self._means, turns)

    def add_document(self, document: Document) -> EvidenceUnit | Refusal:
        """Keep a text somebody looked up, redacted and at most 4,000 characters of it.

        Raises:
            UsageError: The source type does not exist.
        """
        return observing.add_document(self._means, document)

    def evidence(self, name: str) -> EvidenceUnit:
        """A document, or any piece of evidence, by id or reference.

        Raises:
            NotFoundError: Unknown here.
        """
        return observing.document(self._means, name)

    def documents(self, limit: int = 50) -> Page[EvidenceUnit]:
        """Evidence documents, newest first."""
        return observing.documents(self._means, limit)

    def show(self, memory: str) -> Memory:
        """One memory.

        Raises:
            NotFoundError: Unknown here.
        """
        return reading.show(self._means, memory)

    def explain(self, memory: str) -> reading.Explanation:
        """Where a memory came from, what it replaced, and its events.

        Raises:
            NotFoundError: Unknown here.
        """
        return reading.explain(self._means, memory)

    def list(
        self,
        *,
        statuses: Sequence[Status] = ("active",),
        kinds: Sequence[Kind] = (),
        tag: str = "",
        as_of: str = "",
        limit: int = 50,
        after: str = "",
    ) -> Page[Memory]:
        """A page of memories, latest change first; no `statuses` for all; `as_of` for what held then."""
        wanted = MemoryFilter(
            statuses=tuple(statuses), kinds=tuple(kinds), tag=tag, as_of=as_of, limit=limit, after=after
        )
        return reading.listing(self._means, wanted)

    def receipts(self, run: str = "", limit: int = 200) -> tuple[Bundle, ...]:
        """What was recalled, newest first."""
        return reading.receipts(self._means, run, limit)

    def recall_log(self, run: str = "", limit: int = 200) -> ledger.RecallLog:
        """The newest recalls, of one run or of all, and what all of them come to."""
        return ledger.recall_log(self._means, run, limit)

    def reward(
        self, verdict: Council, *, bundle: str = "", run: str = "", unit: str = "", round_: str = ""
    ) -> Rewarded:
        """Apply a council's verdict to what was recalled: to one bundle, or to a run, its unit and its round.

        Args:
            unit: "" for every unit of the run. `round_`: "" for every round.

        Raises:
            UsageError: No such verdict, or neither one bundle nor one run.
        """
        work = rewarding.Work(bundle=bundle, run=run, unit=unit, round=round_)
        return self._followed(rewarding.reward(self._means, verdict, work))

    def value_log(self, limit: int = 20) -> tuple[ledger.Valued, ...]:
        """What recalled memories are worth by their outcomes, the latest recall first."""
        return ledger.value_log(self._means, limit)

    def digest(self, path: str | os.PathLike[str], *, host: str = "", full: bool = False) -> Digest:
        """The heuristic extract of one transcript; nothing is stored.

        Raises:
            NotFoundError: There is no such file.
            UsageError: The file is no transcript of a known host.
        """
        return digesting.digest(self._means, fspath(path), host=host, full=full)

    def ingest(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        host: str = "",
        tell: Callable[[Reading], None] | None = None,
    ) -> Ingested:
        """Read transcripts: keep their evidence and propose what they taught. Nothing is read twice.

        Args:
            tell: Called after each file, for progress.
        """
        done = capturing.ingest(self._means, [fspath(path) for path in paths], host=host, tell=tell)
        return self._followed(done, everywhere=True)

    def scan(self) -> tuple[sessions.Found, ...]:
        """The transcripts of this repository that the hosts of this user keep, newest first."""
        return sessions.scan(self._means)

    def sessions(self, limit: int = 200) -> tuple[SessionRecord, ...]:
        """Sessions that were read, the latest first."""
        return sessions.listing(self._means, limit)

    def session(self, name: str) -> SessionRecord:
        """One session that was read, by id, host session id or path.

        Raises:
            NotFoundError: Unknown here.
        """
        return sessions.show(self._means, name)

    def status(self) -> state.Status:
        """What is stored, what works, and what is missing."""
        return state.status(self._means)

    def stale(self, *, check: bool = False, limit: int = 20) -> aging.Staleness:
        """What could be cleared away; with `check` also what the work tree no longer bears out. Changes nothing.

        Args:
            limit: Most memories in one list of the report.
        """
        return aging.stale(self._means, check=check, limit=limit)

    def reembed(self, *, dry_run: bool = False, tell: Callable[[Progress], None] | None = None) -> Reembedded | Refusal:
        """Give a vector of the present model to everything that has none; resumes where an earlier run stopped.

        Args:
            dry_run: Only count.
            tell: Called after each batch, for progress.

        Raises:
            EmbedderError: There is no embedder.
        """
        return reembed(self._means, dry_run=dry_run, tell=tell)

    def work(
        self,
        *,
        once: bool = False,
        stop: Callable[[], bool] = leasing.never,
        began: Callable[[Job], None] = leasing.silent,
        went: Callable[[int, int], None] = leasing.quiet,
        ended: Callable[[Outcome], None] = leasing.silent,
        waits: Callable[[StoreError], None] = leasing.silent,
    ) -> Worked:
        """Do the jobs there are, as one of any number of workers.

        Args:
            once: End when nothing is due any more; else go on until `stop`.
            stop: Whether to end; a job in hand is then given back at the next good place.
            began: Told of each job that is taken up. `went`: of what is done, of how much. `ended`: of its outcome.
            waits: Told why the store does not answer; a worker without `once` waits for it.
        """
        watch = working.Watch(stop=stop, began=began, went=went, ended=ended, waits=waits)
        return working.work(self._means, once=once, watch=watch)

    def jobs(
        self,
        *,
        statuses: Sequence[JobStatus] = (),
        kinds: Sequence[str] = (),
        limit: int = 50,
        retry: Sequence[str] = (),
        retry_all: bool = False,
    ) -> Jobs:
        """The table of jobs, after some that wait or were given up were made due again.

        Args:
            limit: 1 to 1,000.
            retry: Ids. `retry_all`: all that were given up.
        """
        wanted = JobFilter(statuses=tuple(statuses), kinds=tuple(kinds), limit=limit)
        return working.jobs(self._means, wanted, retry, retry_all=retry_all)

    def migrate(self, to: str, *, tell: Callable[[Step], None] | None = None) -> Moved | Refusal:
        """Move everything in this store into the empty one that a URL names; resumes where an earlier run stopped.

        Args:
            to: `sqlite:///PATH` or `postgresql://USER@HOST/DATABASE`.
            tell: Called after each stretch, for progress.

        Raises:
            ConfigError: The URL names no store.
            UsageError: `same_store`: it names this one.
            StoreError: One of the two does not answer.
        """
        from learnt.bootstrap import way

        return migrate(self._means, way(self._assembly.home, to), tell)

    def verify(self) -> state.Verification:
        """Whether the audit trail is whole."""
        return state.audit(self._means)

    def models(self) -> tuple[trying.Tried, ...]:
        """The models in use, each tried once: loaded, or its server asked."""
        return trying.models(self._means)

    def disagreements(self) -> Mapping[str, int]:
        """What is missing, or does not agree with the rows it was made of, by name; reads the whole store."""
        return upkeep.disagreements(self._means)

    def repair(self) -> upkeep.Repaired:
        """Make full text, counters, anchors and codes of vectors anew from the rows; no text is touched."""
        return upkeep.repair(self._means)

    def backup(self, path: str | os.PathLike[str]) -> int | Refusal:
        """Copy the whole store into a new file, for this user alone; gives its size in bytes.

        Raises:
            UsageError: There is such a file, or this store is not copied like that.
        """
        return upkeep.backup(self._means, fspath(path))

    def clear(self) -> int:
        """Scan what the present pattern set has not cleared; gives how many memories were scanned."""
        return self._followed(clearing.clear(self._means))

    def adopt(self, repository: str = "") -> str | Refusal:
        """Make this folder a known repository (the one it looks like, when none is named); gives its id.

        Raises:
            NotFoundError: This folder looks like no known repository.
        """
        return self._followed(state.adopt(self._means, repository), everywhere=True)

    def enable(self, rows: Mapping[str, str]) -> None:
        """Record what hooks may do: rows of the store's `_meta` table, in one transaction."""
        state.enable(self._means, rows)
