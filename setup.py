"""Which folder is which package: `argsearch.engine` is the folder engine/, and so on."""

from setuptools import find_packages, setup

ROOMS = ("api", "configs", "engine", "indexer", "lab", "ranking")
FOLDERS = [pattern for room in ROOMS for pattern in (room, f"{room}.*")]

setup(
    packages=["argsearch", *(f"argsearch.{package}" for package in find_packages(include=FOLDERS))],
    include_package_data=False,  # the next lines say what belongs to it
    package_dir={f"argsearch.{room}": room for room in ROOMS},
    package_data={
        "argsearch": ["py.typed"],
        "argsearch.api": ["web/*"],
        "argsearch.configs": ["*.toml", "*/*.toml"],
        "argsearch.indexer": ["models/*", "sample/*"],
        "argsearch.indexer.analysis": ["*.txt"],
        "argsearch.ranking.lexicons": ["*.txt"],
        "argsearch.lab.training.stance": ["*.tsv"],
    },
)
