"""The face that agents call: five tools over the Model Context Protocol, on standard input and output.

In come calls of a client that an agent drives; out go the answers of the engine as structured content, the same text
for clients that show text, and errors in the shape of the command line's. The invariant: this process is an agent's.
Nothing here decides, forgets or writes memory directly; what an agent wants kept is a proposal.

Tried and rejected: a protocol of our own over standard input, which would start in a third of the time (three protocol
versions with two handshakes are more than a face should carry); asynchronous twins of the engine's verbs (one thread
serves one agent). Nothing but `serve` imports the SDK: it costs half a second, which no other command should pay.
"""
