"""Optional parts of an index, made from an index that is complete without them.

A part is a module here and an item in `adding._MAKERS`. `[index] parts`, `argsearch index --with`,
the manifest, `info` and `verify` find it there.
"""
