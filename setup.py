"""Which folder is which package: `argsearch.engine` is the folder engine/, and so on."""

import gzip
import os
import tarfile
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.sdist import sdist

ROOMS = ("api", "configs", "engine", "indexer", "lab", "ranking")
FOLDERS = [pattern for room in ROOMS for pattern in (room, f"{room}.*")]


class Reproducible(sdist):
    """A source archive of the same bytes from the same files, where SOURCE_DATE_EPOCH dates it."""

    def make_distribution(self) -> None:
        """Make the archives, then date them."""
        super().make_distribution()
        for made in self.archive_files if "SOURCE_DATE_EPOCH" in os.environ else ():
            redate(Path(made), int(os.environ["SOURCE_DATE_EPOCH"]))


def redate(archive: Path, epoch: int) -> None:
    """Write a .tar.gz again: members by name, of one date, of nobody."""
    again = archive.with_suffix(".again")
    with (
        tarfile.open(archive) as old,
        gzip.GzipFile(filename="", fileobj=again.open("wb"), mode="wb", mtime=epoch) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    again.replace(archive)


setup(
    cmdclass={"sdist": Reproducible},
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
        "argsearch.lab.training": ["*.tsv"],
        "argsearch.lab.training.stance": ["*.tsv"],
    },
)
