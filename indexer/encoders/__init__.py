"""Sentence encoders behind one protocol; a heavy library is imported only when asked for."""

from argsearch.indexer.encoders.loading import check_encoder, load_encoder
from argsearch.indexer.encoders.protocol import Encoder, EncoderUnavailable

__all__ = ["Encoder", "EncoderUnavailable", "check_encoder", "load_encoder"]
