"""Optional parts of an index, made from one that is complete but for them.

A part is a file here and a line in `adding._MAKERS`; `[index] parts`, `argsearch index --with`, the
manifest, `info` and `verify` follow.
"""
