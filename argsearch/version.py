"""The version, in the one place that the build, the commands and the manifests read it from."""

__version__ = "0.2.0"
