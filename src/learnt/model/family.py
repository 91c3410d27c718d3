"""Words that exclude one another, and words that say which role others play in a statement.

A family holds alternatives of which a project uses one: who says `use pnpm` after `use npm` says another thing of the
same. Deliberately short: a word that is not here costs a retirement that a person makes in its place, a word that
should not be here costs a memory. Source: own list.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from learnt.model.lexeme import stem_of

_FAMILIES: Final = {
    "js packages": "npm pnpm yarn bun",
    "python packages": "pip uv poetry pipenv pdm conda mamba rye",
    "ci": "jenkins buildkite circleci travis teamcity bamboo github-actions gitlab-ci azure-pipelines",
    "python tests": "pytest unittest nose nose2",
    "js tests": "jest vitest mocha jasmine ava",
    "browser tests": "playwright cypress selenium puppeteer",
    "python format": "black yapf autopep8 ruff",
    "js format": "prettier biome dprint",
    "python lint": "flake8 pylint ruff",
    "js lint": "eslint tslint biome oxlint",
    "types": "mypy pyright pyre pytype",
    "database": "postgres postgresql mysql mariadb sqlite mongodb cockroachdb oracle dynamodb",
    "cache": "redis memcached valkey",
    "broker": "rabbitmq kafka sqs nats pulsar activemq",
    "bundler": "webpack vite rollup parcel esbuild turbopack rspack",
    "vcs": "git svn subversion mercurial",
    "indent": "tab tabs space spaces",
    "containers": "docker podman",
    "orchestration": "kubernetes nomad swarm ecs",
    "cloud": "aws gcp azure",
    "python web": "django flask fastapi starlette tornado",
    "frontend": "react vue svelte angular solidjs preact",
    "css": "tailwind bootstrap bulma",
    "js orm": "prisma drizzle typeorm sequelize knex",
    "infrastructure": "terraform pulumi cloudformation opentofu",
    "tracker": "jira youtrack trello asana",
    "chat": "slack discord mattermost zulip",
    "hosting": "heroku fly.io vercel netlify railway",
    "build": "maven gradle bazel ninja meson cmake",
    "shell": "bash zsh fish powershell",
    "js versions": "nvm fnm volta",
    "api": "graphql grpc trpc soap",
    "python http": "httpx aiohttp urllib3",
    "js http": "axios ky superagent node-fetch",
    "merge": "squash rebase merge-commit",
    "case": "snake_case camelcase pascalcase kebab-case",
    "line ends": "lf crlf",
    "repositories": "monorepo monorepos polyrepo polyrepos",
    "secrets": "vault doppler sops",
    "errors": "sentry rollbar bugsnag honeybadger",
    "docs": "sphinx mkdocs docusaurus vitepress",
    "markup": "markdown asciidoc restructuredtext",
}
_SAME: Final = {"postgresql": "postgres", "subversion": "svn"}
_CONTEXT: Final = {
    "js packages": "package manager install dependency dependencies js javascript node script scripts project",
    "python packages": "package manager install dependency dependencies python project environment",
    "ci": "ci pipeline pipelines build builds",
    "python tests": "test tests testing runner framework python unit",
    "js tests": "test tests testing runner framework js javascript unit",
    "database": "database databases db store storage main primary",
    "python format": "format formatter formatting python code",
    "js format": "format formatter formatting javascript code",
    "indent": "indent indentation indenting",
    "types": "type types check checker checking python",
    "bundler": "bundle bundler bundling",
    "build": "build tool system",
    "repositories": "repository repositories",
}


def keyed(words: str) -> frozenset[str]:
    """The keys of some words."""
    return frozenset(_key(word) for word in words.split())


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _key(word: str) -> str:
    return word if "_" in word else stem_of(word)


FAMILIES: Final[dict[str, frozenset[str]]] = {name: keyed(words) for name, words in _FAMILIES.items()}
FAMILIES_OF: Final[dict[str, tuple[str, ...]]] = {
    word: tuple(name for name, held in FAMILIES.items() if word in held)
    for word in frozenset().union(*FAMILIES.values())
}
"""Families a key belongs to."""
CONTEXT: Final[dict[str, frozenset[str]]] = {name: keyed(words) for name, words in _CONTEXT.items()}
"""What naming a member says anyway: `the package manager is npm` and `use npm` are about the same."""
ONE_NAME: Final = {_key(word): _key(same) for word, same in _SAME.items()}


@lru_cache(maxsize=8_192)
def member(text: str) -> str:
    """The one name of a member of a family, however it is written; "" for any other word."""
    key = _key(text.casefold())
    return ONE_NAME.get(key, key) if key in FAMILIES_OF else ""


PAIRS: Final = {
    ("github", "action"): "github-actions",
    ("gitlab", "ci"): "gitlab-ci",
    ("azur", "pipelin"): "azure-pipelines",
    ("merg", "commit"): "merge-commit",
    ("camel", "case"): "camelcase",
    ("snake", "case"): "snake_case",
}
"""Names of two words."""

USES: Final = keyed("use like want prefer love favour favor employ adopt choose pick")
"""Verbs of which any says that something is wanted here."""
RELATIONS: Final = keyed(
    "run go live move switch migrate host manage handle write build happen work come ship do be make keep stay"
    " standardise standardize store"
)
"""Verbs that say no more than that the rest belongs together, once a family's member is named."""
FUNCTION_WORDS: Final = _split(
    "a an the this that these those we our us i my you your they their it its he she his her please always should "
    "must shall will would can could may have has had having is are was were be been being am do does did get "
    "gets got here there so just really very now currently today already still then thus to of in on at by with "
    "via through as and or for into onto within inside all any each every which who whom whose where what how why "
    "only also too let's lets need needs needed repository repo project codebase everyone everybody people simply "
    "'s"
)
"""Words that a comparison leaves out."""
ADDITIVE: Final = _split("also too additionally another either moreover besides plus well other further")
"""A statement with one of these adds to what was said; it takes nothing back."""
NEGATORS: Final = _split(
    "not no never don't doesn't didn't cannot can't won't shouldn't mustn't isn't aren't wasn't avoid stop "
    "without neither nor nobody nothing none nicht nie niemals kein keine keinen keiner ne pas jamais nunca não "
    "никогда не"
)
MANY: Final = keyed("support include contain offer provide handle accept allow list cover have see read know")
"""Verbs whose object is one of many: another object takes nothing back."""
EVENTS: Final = keyed(
    "fail break crash hang flake skip pass fix miss raise throw leak regress release ship add introduce remove"
    " deprecate change error bug issue warn reject close open land merge bump reproduce happen occur affect drop cause"
)
"""Verbs of what happened: a number beside them says where, not how much."""
CONDITIONS: Final = _split("if unless when while until before after since during because except once")
COUNTED: Final = keyed(
    "issue pr ticket step phase chapter section line room team shard replica rule item option code status exit http"
    " error bug pull request patch task sprint week day quarter stage level case test example number adr rfc pep layer"
)
"""Nouns whose number is a name: step 3 and step 4 are two things."""
FUNCTIONAL: Final = keyed(
    "version port owner maintainer branch default name url uri host hostname address endpoint limit timeout region zone"
    " database directory dir folder path location target manager runner tool framework language license licence format"
    " indent indentation width length size threshold interval frequency schedule cadence deadline"
    " date timezone budget price currency prefix suffix extension encoding charset locale mode strategy policy status"
    " state engine driver provider backend platform runtime interpreter compiler linter formatter bundler registry"
    " channel contact lead count ratio rate percentage coverage concurrency"
    " parallelism ttl retention entrypoint root parent primary workers retries replicas threads batch quota"
)
"""Nouns that a subject has one of: who gives it another value says that the first no longer holds."""
MEASURED: Final = keyed(
    "port limit timeout width length size threshold interval maximum max minimum min ratio rate percentage coverage"
    " concurrency parallelism ttl retention workers retries replicas threads batch quota version indent indentation"
    " budget price"
)
"""Those of them whose number says how much or which, and names nothing."""
ADJECTIVES: Final = keyed(
    "slow fast big small large good bad broken flaky stable new old easy hard important critical legacy empty full huge"
    " tiny safe unsafe down up ready late early wrong right correct missing same different shared common public private"
    " secret internal external too very not case-sensitive strict lenient optional required mandatory available"
)
OPPOSITES: Final = {
    "off": "on",
    "disabl": "enabl",
    "forbidden": "allow",
    "forbid": "allow",
    "ban": "allow",
    "prohibit": "allow",
    "disallow": "allow",
    "deni": "allow",
    "option": "requir",
    "unnecessari": "requir",
    "exclud": "includ",
    "fals": "true",
    "close": "open",
    "privat": "public",
    "async": "sync",
    "asynchron": "sync",
    "unsaf": "safe",
    "unstabl": "stabl",
    "unsupport": "support",
}
"""Words that say the contrary of another, by stems: they turn the statement round."""
SAME_WORD: Final = {"mandatori": "requir", "permit": "allow", "permiss": "allow", "synchron": "sync"}
GONE: Final = keyed("gone dead removed dropped deprecated retired abandoned obsolete decommissioned sunset")
"""What a statement says of a value that no longer holds."""
CHANGED: Final = keyed("move switch migrate replace change upgrade downgrade rename")
"""Verbs by which a statement says itself that something else held before."""
MONTHS: Final = keyed(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug"
    " sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday"
)
"""Words beside which a number is a date."""
POINTERS: Final = _split("it its they their them he she his her him there these those")
"""Words whose meaning stands elsewhere: a clause about them is about nothing that could be compared."""
POINTED: Final = _split(
    "is was are should would will can to makes made worked works means doesn't didn't isn't wasn't has had seems looks"
)
"""What follows `this` and `that` where they stand alone."""
TALK: Final = _split("lol ok okay yeah yes yep nope hmm haha wow likely really maybe thanks sorry hey hi hello oh")
"""Words of talk: who uses them states nothing."""
LABELS: Final = _split(
    "note warning todo lesson tip important hint rule fyi update decision convention example run use see do "
    "remember reminder caution fact summary question answer q why because"
)
"""What may stand before a colon and names nothing."""

ENVIRONMENTS: Final = keyed("staging production prod dev development qa ci local locally preview sandbox demo canary")
PLATFORMS: Final = keyed("linux windows macos mac osx darwin ios android wsl arm64 x86 amd64 alpine ubuntu debian")
