"""A plug-in of each kind, as a package of somebody else's."""
