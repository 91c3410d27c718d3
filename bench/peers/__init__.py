"""learnt beside four other stores of memories: the same statements, questions, vectors and machine.

`python -m bench.peers` makes an environment for the others (versions in requirements.txt, outside the project), embeds
everything once with learnt's own model, and gives every store a process of its own, in which an embedder looks the
vectors up. Blocks of writes and of questions go round the stores in turn, one at a time, so that what else the machine
does falls on all alike. A store that cannot be installed, or does not run, is told with its reason.

What each does beside the race is not the same, and `Peer.leaves_out` says so: learnt scans each text for secrets, keeps
full text, a vector and a chained event in one transaction, ranks by words and vectors, and writes a receipt of each
recall; none of the others does all of that.
"""
