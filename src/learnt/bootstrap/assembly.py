"""Who is asking, from where, with which parts: an engine's means put together."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from learnt.bootstrap import copy as copies
from learnt.bootstrap.anchors import anchors
from learnt.bootstrap.artifacts import Folder
from learnt.bootstrap.attic import FolderAttic
from learnt.bootstrap.configuration import Configuration, configuration
from learnt.bootstrap.home import Home, installation
from learnt.bootstrap.keyring import FileKeyring, FileSeals
from learnt.bootstrap.late import Late
from learnt.bootstrap.machine import GitWorkplace, RandomIds, SystemClock, since_start
from learnt.bootstrap.models import Models
from learnt.bootstrap.outlets import FileOutlets
from learnt.bootstrap.remote import named, person
from learnt.errors import StoreError, UnsupportedError
from learnt.flows.identify import Identity, identify
from learnt.flows.marker import refuse_unfinished
from learnt.flows.means import Means
from learnt.flows.writers import Enabled, Purse, reading
from learnt.gate.scan import Gate
from learnt.hosts.marker import host_of
from learnt.model.context import Context
from learnt.model.keys import short_id
from learnt.model.place import Place, place, user_id
from learnt.model.scope import Scope
from learnt.ports.embedder import Absent
from learnt.providers.people import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from learnt.bootstrap.models import Asked
    from learnt.ports.copy import Copy
    from learnt.ports.embedder import Reranker
    from learnt.ports.store import Store
    from learnt.ports.transcript import Transcripts
    from learnt.settings import Settings


def user_of(home: Home, store: Store) -> str:
    """Whose preferences are meant: the person the URL names, else the user of this machine.

    Who moved a store of their own to a server goes on as who they were there.
    """
    name = person(home.url) if home.url else ""
    if not name:
        return user_id()
    return store.meta.get(named(name)) or short_id(name)


def is_person(environment: Mapping[str, str]) -> bool:
    """Whether no agent started this process. Source: contract, who is a person."""
    return not (environment.get("LEARNT_AGENT") or environment.get("LEARNT_AGENT_ROLE") or host_of(environment))


def context(
    home: Home, at: Place, repository_id: str, user: str, curators: tuple[str, ...], redact: Callable[[str], str]
) -> Context:
    """Who is asking and what they may see. Source: contract, scopes and who is a person.

    Args:
        user: See `user_of`.
        redact: The gate's; the names of runs, units, sessions and agents are stored, so they pass it like any text.
    """
    env = home.environment
    host = host_of(env)

    def named(name: str) -> str:
        given = env.get(name, "")
        return redact(given) if given else ""

    agent, role = named("LEARNT_AGENT"), named("LEARNT_AGENT_ROLE")
    run, session = named("LEARNT_RUN"), named("LEARNT_SESSION")
    scopes = [
        Scope(type="global_user", user_id=user),
        Scope(type="repository", repo_id=repository_id, repo_root=at.root),
    ]
    if run or session:
        scopes.append(Scope(type="run", repo_id=repository_id, run_id=run or session))
    if agent or role:
        scopes.append(Scope(type="agent", repo_id=repository_id, run_id=run or session, agent_id=agent or role))
    return Context(
        scopes=tuple(scopes),
        user_id=user,
        person=is_person(env),
        curator=bool(role) and role in curators,
        root=at.root,
        run_id=run,
        unit_id=named("LEARNT_UNIT"),
        round=named("LEARNT_ROUND"),
        session_id=session,
        agent_id=agent,
        agent_role=role,
        host=host,
    )


@dataclass(frozen=True, slots=True)
class Assembly:
    """Everything an engine is made of, and what `doctor` shows about it."""

    means: Means
    home: Home
    place: Place
    identity: Identity


def assemble(
    project: str | os.PathLike[str] = ".",
    *,
    home: Home | None = None,
    store: Store | None = None,
    models: Models | None = None,
) -> Assembly:
    """Put the parts together for a folder.

    Args:
        store: An open store to use. `models`: loaded models to use; both for several engines in one process.

    Raises:
        ConfigError: No home directory, an unreadable configuration, an unknown engine.
        StoreError: The store does not open.
    """
    home = home or Home()
    at = place(os.fspath(project))
    settings = configuration(home, at)
    parts = _Parts(
        home,
        store or _whole(home),
        models or Models(home.environment),
        copies.opened(home),
        RandomIds().new("start"),
    )
    means = _means(parts, at, settings)
    return Assembly(means, home, at, means.identity)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What all repositories of one process share; `start` is what the ledger of models calls it."""

    home: Home
    store: Store
    models: Models
    copy: Copy | None
    start: str


def _transcripts(environment: Mapping[str, str], root: str) -> Transcripts:
    """Every host's sessions: as many modules as there are hosts, for which most commands have no use."""
    from learnt.hosts.local import LocalTranscripts

    return LocalTranscripts(environment, root)


def _means(parts: _Parts, at: Place, settings: Configuration) -> Means:
    home = parts.home
    workplace = GitWorkplace(at.root)
    found = identify(parts.store, at, workplace.root_commit)
    user = user_of(home, parts.store)
    purse = _purse(parts, settings, user)
    embedder, asking = _embedders(parts, settings.settings, purse)
    gate = Gate()
    return Means(
        store=parts.store,
        people=Names() if settings.settings.gate.pii_detector == "ner" else None,
        copy=parts.copy,
        artifacts=Folder(home.data_dir),
        outlets=FileOutlets(home.data_dir, Path(at.root)),
        writers=_writers(parts, settings, purse, found.repository_id),
        gate=gate,
        clock=SystemClock(),
        ids=RandomIds(),
        context=context(home, at, found.repository_id, user, settings.curators, gate.redact),
        workplace=workplace,
        transcripts=cast("Transcripts", Late(lambda: _transcripts(home.environment, at.root))),
        place=at,
        identity=found,
        settings=settings.settings,
        own=settings.own,
        accept_instructions=installation(home).accept_instructions,
        curators=settings.curators,
        rules=settings.rules,
        key=home.key("receipts"),
        digest_key=home.key("forgotten"),
        attic=FolderAttic(home.data_dir),
        served=bool(home.url),
        keyring=keyring(home),
        anchors=anchors(settings.own.audit, at.root),
        embedder=embedder,
        asking=asking,
        reranker=_reranker(parts, settings.settings, purse),
        elsewhere=lambda folder: _elsewhere(parts, at, folder),
        same=lambda folder: Path(folder).is_dir() and place(folder).value == at.value,
    )


def _embedders(parts: _Parts, settings: Settings, purse: Purse) -> Asked:
    """The embedder of stored texts, and the one of queries; none where the store keeps no vectors."""
    if "dense" in parts.store.lacks:
        absent = Absent("unsupported", hint=UnsupportedError.hint)
        return absent, absent
    it = settings.embeddings
    return parts.models.embedders(settings, reading(purse, "embedding", it.provider, it.model, it.price_usd, it.url))


def _reranker(parts: _Parts, settings: Settings, purse: Purse) -> Reranker | Absent:
    """What reads query and text together."""
    it = settings.retrieval
    meter = reading(purse, "reranking", it.rerank_provider, it.rerank_model, it.rerank_price_usd, it.rerank_url)
    return parts.models.reranker(settings, meter)


def _purse(parts: _Parts, settings: Configuration, user: str) -> Purse:
    """Who pays for models, and how much."""
    return Purse(
        store=parts.store,
        clock=SystemClock(),
        ids=RandomIds(),
        user_id=user,
        start=parts.start,
        caps=settings.writers.caps,
    )


def _writers(parts: _Parts, settings: Configuration, purse: Purse, repository_id: str) -> Enabled:
    """The models that a person lets write here."""
    return Enabled(
        choice=settings.writers,
        purse=purse,
        repository_id=repository_id,
        make=parts.models.writer,
        look=parts.models.look,
        trial=parts.models.trial,
        on=settings.settings.models.enabled,
        least_percent=settings.own.models.least_remaining_percent,
    )


def _elsewhere(parts: _Parts, here: Place, folder: str) -> Means | None:
    """The means of another repository on this machine; a folder that is gone counts only inside a repository."""
    there = place(folder)
    if there.value == here.value or not (there.common_dir or Path(folder).is_dir()):
        return None
    return _means(parts, there, configuration(parts.home, there))


def _whole(home: Home) -> Store:
    """The store, unless it is what an interrupted move left."""
    store = opened(home)
    try:
        refuse_unfinished(store)
    except BaseException:
        store.close()
        raise
    return store


def opened(home: Home) -> Store:
    """The store of a user.

    Raises:
        ConfigError: What the URL names is no store of this version.
        StoreError: It does not open.
    """
    if home.url:
        try:
            return _served(home)
        except StoreError as error:
            copies.stranded(home, error)
            raise
    if home.lines:
        from learnt.stores.jsonl.store import JsonlStore

        return JsonlStore(home.lines, now=SystemClock().now)
    from learnt.stores.sqlite.store import SqliteStore

    seals = FileSeals(keyring(home))
    return SqliteStore.open(home.database, now=SystemClock().now, since_start=since_start, seals=seals)


def _served(home: Home) -> Store:
    """The store on a server."""
    from learnt.bootstrap.server import served

    return served(home.url, seals=FileSeals(keyring(home)))


def keyring(home: Home) -> FileKeyring:
    """The keys of the audit trail of this user's store."""
    place = home.shown if home.url else os.path.realpath(home.shown)
    return FileKeyring(home.keys_dir, place, lambda: home.key("audit"))
