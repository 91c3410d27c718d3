"""Files that memory leaves for and comes in from: one module a format, each stating what it reads.

`file` opens what a person named, without being led elsewhere or kept waiting; `choose` tells which format it is;
`folder` writes an export. Every other module turns one system's files into values, which the same rules and the same
gate judge as any other write. A row that cannot be read is told by file and line, and takes no other with it.
"""
