"""Optional parts of an index, made from an index that is complete without them.

A part is a module here and an item of `adding._MAKERS`. `[index] parts`, `argsearch index --with`,
the manifest, `info` and `verify` pick it up from there.
"""
