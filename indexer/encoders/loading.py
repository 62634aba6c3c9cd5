"""From a spec to a loaded encoder."""

from __future__ import annotations

from functools import lru_cache

from argsearch.indexer.encoders.protocol import Encoder, EncoderSpec, NoEncoder, parse_spec


def load_encoder(spec: str) -> Encoder:
    """The encoder that `spec` names; one object per model and process.

    spec: `wordllama` (the default: 256-d, no network), `use` or `use:FOLDER-OR-HANDLE`
    (Universal Sentence Encoder, H21), `sbert:NAME-OR-FOLDER` (sentence-transformers, W22), or
    `none` (no embedding: rows of length 0).

    Raises InvalidParameter (no such spec), MissingExtra (library not installed) or
    EncoderUnavailable (model missing, unreachable or of another kind).
    """
    return _load(parse_spec(spec))


def check_encoder(spec: str) -> None:
    """Raise at once what `load_encoder` would raise for a spec that cannot work here.

    Found without loading anything: an unknown spec, an extra that is not installed, a rival
    library in this process, a folder that does not exist. A build asks this before it reads.
    """
    parsed = parse_spec(spec)
    if parsed.kind == "use":
        from argsearch.indexer.encoders import use

        use.find(parsed.model)
    elif parsed.kind == "sbert":
        from argsearch.indexer.encoders import sbert

        sbert.find(parsed.model)


@lru_cache(maxsize=4)
def _load(spec: EncoderSpec) -> Encoder:
    if spec.kind == "use":
        from argsearch.indexer.encoders.use import UseEncoder

        return UseEncoder(spec.model)
    if spec.kind == "sbert":
        from argsearch.indexer.encoders.sbert import SbertEncoder

        return SbertEncoder(spec.model)
    if spec.kind == "none":
        return NoEncoder()
    from argsearch.indexer.encoders.wordllama import WordLlamaEncoder

    return WordLlamaEncoder()
