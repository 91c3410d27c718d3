"""Providers: models, on this machine or behind a URL, behind the ports of `learnt.ports.embedder`.

In come texts; out go vectors or scores, or an error with a code and a hint. `local` runs an ONNX encoder (by default
the int8 all-MiniLM-L6-v2 that the extra `local` installs), `http` asks an OpenAI-compatible, Ollama or TEI server,
`rerank` reads query and text together, `cache` keeps the vectors of recent queries, `choose` picks what the settings
ask for and what is installed. Nothing is loaded, asked or imported before it is needed.

The invariant: what leaves here can be calculated with. Each vector is finite, of the one length its version names, and
L2-normalised, or it is None; each score is finite. And nothing is fetched unasked: a model is a file that is there,
whose hash is checked where we know it, and no environment variable of a model hub is read. There is no cache on disk.
Nor is anything sent but texts to the server that the settings name: onnxruntime's telemetry is off before it starts.

Tried and rejected: sentence-transformers (needs PyTorch, two gigabytes for the same vectors); the tokenizer's own JSON
file (twice the size of its vocabulary, and it lets a text smuggle in control tokens by spelling them); batches above 8
(a quarter off the time at 8, nothing beyond, and memory grows); a memory arena in onnxruntime (it keeps the peak for
ever); an HTTP library (one POST with a deadline is what the standard library does).
"""
