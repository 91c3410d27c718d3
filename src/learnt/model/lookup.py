"""Which tools of an agent read the web or documentation: what they answer is somebody else's text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_OWN: Final = {
    "WebSearch": "web_search",
    "WebFetch": "crawl",
    "web_search": "web_search",
    "web_fetch": "crawl",
    "google_web_search": "web_search",
    "websearch": "web_search",
    "webfetch": "crawl",
    "codesearch": "api_docs",
}
_DOCS: Final = frozenset({"docs", "documentation", "deepwiki", "wiki", "wikipedia", "arxiv", "manual", "godoc"})
_SEARCH: Final = frozenset({"tavily", "exa", "brave", "perplexity", "duckduckgo", "serp", "serpapi", "searxng", "kagi"})
_PAGES: Final = frozenset({"fetch", "crawl", "scrape", "firecrawl", "webpage", "url", "website", "jina"})
_WEB: Final = frozenset({"web", "internet", "google", "bing"})
_NOT: Final = frozenset(
    {"memory", "memories", "learnt", "file", "files", "filesystem", "issue", "issues", "git", "sql"}
)


@lru_cache(maxsize=1_024)
def source_type(tool: str) -> str:
    """`web_search`, `crawl` or `api_docs` for a tool that looks something up outside, "" for any other.

    A client's own tools are known by name. Of a tool on another server (`mcp__SERVER__TOOL`, in Gemini CLI
    `mcp_SERVER_TOOL`) the words of both names decide; one that speaks of memory, files, issues or databases is none,
    because its answers are the user's own.
    """
    if known := _OWN.get(tool):
        return known
    if not tool.startswith("mcp_"):
        return ""
    words = frozenset(word.lower() for word in _WORD.findall(tool[4:]))
    if words & _NOT:
        return ""
    if words & _DOCS or words >= {"context", "7"}:
        return "api_docs"
    if words & _SEARCH or (words & _WEB and "search" in words):
        return "web_search"
    return "crawl" if words & _PAGES or (words & _WEB and words & {"read", "open", "get", "browse"}) else ""
