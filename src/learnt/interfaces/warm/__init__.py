"""The optional process that keeps a model loaded, so that a prompt hook can search by meaning.

In come a folder and a prompt over a private socket. Out go ids, scores and labels: what the engine's own recall in
injection mode finds there, in its order. Texts never cross: the hook reads them from the store itself, with its own
look at scope and clearance, makes its own block and writes its own receipt.

The invariant: nothing needs this process, and none is left behind. A hook that gets no answer in time answers by words
alone. The process ends when it was not asked for ten minutes, when the store, the installation or its socket is no
longer the one it began with, when it grew too large, and at once when another one holds the lock.

Tried and rejected: sending the vector back for the hook to compare (the vectors of a large scope are what must be
warm, not the model alone); one process a repository (a model each); a port on localhost (every user of the machine and
every web page may knock).
"""
