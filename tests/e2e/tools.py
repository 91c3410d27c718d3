"""The programs of the tests' repository, each with the option it insists on, and what they have taught before."""

TOOLS = {"check": "suite", "build": "mode", "publish": "to"}
FAILS, WORKS = "./tools/check unit", "./tools/check --suite unit"
OTHERS = {"./tools/build fast": "./tools/build --mode fast", "./tools/publish draft": "./tools/publish --to draft"}
