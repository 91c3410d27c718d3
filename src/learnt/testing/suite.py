"""The whole suite: a store passes it, or it is no store of learnt."""

from __future__ import annotations

from learnt.testing.archive import ArchiveSuite, RecipesSuite
from learnt.testing.cargo import CargoSuite
from learnt.testing.chain import ChainSuite, TamperingSuite
from learnt.testing.claims import ClaimsSuite, FormersSuite
from learnt.testing.erasure import DigestsSuite, ErasureSuite, LeaversSuite
from learnt.testing.evidence import DocumentsSuite, EvidenceSuite
from learnt.testing.feed import FeedSuite
from learnt.testing.generations import GenerationsSuite
from learnt.testing.jobs import JobsSuite
from learnt.testing.leases import LeasesSuite
from learnt.testing.leaving import RemovalSuite, RemovedVectorsSuite, SurveySuite
from learnt.testing.ledger import LedgerSuite
from learnt.testing.lexicon import AnchorsSuite, CandidatesSuite
from learnt.testing.memories import ListingSuite, MemoriesSuite, ScopesSuite
from learnt.testing.outcomes import FlagsSuite, OutcomesSuite
from learnt.testing.proposals import ProposalsSuite
from learnt.testing.threads import ExtractionsSuite, SummariesSuite, ThreadsSuite
from learnt.testing.trail import TrailSuite
from learnt.testing.transactions import TransactionsSuite
from learnt.testing.upkeep import UpkeepSuite
from learnt.testing.usage import MetaSuite, RewardSuite, UsageSuite
from learnt.testing.vectors import NearestSuite


class LinesSuite(
    MemoriesSuite,
    ScopesSuite,
    ListingSuite,
    ProposalsSuite,
    UsageSuite,
    RewardSuite,
    MetaSuite,
    ArchiveSuite,
    RecipesSuite,
    EvidenceSuite,
    DocumentsSuite,
    CandidatesSuite,
    ClaimsSuite,
    FormersSuite,
    AnchorsSuite,
    TransactionsSuite,
    UpkeepSuite,
    RemovalSuite,
    SurveySuite,
    OutcomesSuite,
    FlagsSuite,
    ErasureSuite,
    LeaversSuite,
    DigestsSuite,
    ThreadsSuite,
    ExtractionsSuite,
    SummariesSuite,
    LedgerSuite,
):
    """What a store passes that has neither vectors nor jobs nor an audit trail; fixtures as below."""


class StoreSuite(
    LinesSuite,
    ChainSuite,
    TamperingSuite,
    TrailSuite,
    FeedSuite,
    NearestSuite,
    GenerationsSuite,
    JobsSuite,
    LeasesSuite,
    CargoSuite,
    RemovedVectorsSuite,
):
    """Inherit, and give the fixtures `reopen` and `raw` (see `learnt.testing.base`)."""
