"""opencode: the same session from its database, from an export or from the tree of files it kept before."""
