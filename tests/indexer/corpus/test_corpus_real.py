"""The real corpora: what is in them, and the memory that reading takes."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from argsearch.indexer.corpus import ReadReport, Stance, read

pytestmark = pytest.mark.data

SUBSET = "argsme-subset/args-me-subset.json.xz"
ARGUANA = "arguana/arguana-dev.json.xz"
FORUM = "forum/forum-posts.jsonl.xz"


def test_the_args_me_subset(data_dir: Path) -> None:
    report = ReadReport()
    arguments = list(read(data_dir / SUBSET, report=report))
    stances = Counter(argument.stance for argument in arguments)
    assert stances == {Stance.PRO: 3052, Stance.CON: 2604, None: 15}
    assert (report.documents, report.null_conclusions, report.empty_premises) == (5671, 15, 2)
    assert (report.duplicates, report.skipped, report.replaced_characters) == (0, 0, 0)
    with lzma.open(data_dir / SUBSET) as stream:
        made = json.load(stream)["arguments"]
    for document in made:
        for premise in document["premises"]:
            assert premise.pop("annotations") == []
    assert [argument.to_json() for argument in arguments] == made


def test_arguana_keeps_the_stance_towards_the_debate(data_dir: Path) -> None:
    report = ReadReport()
    arguments = {argument.id: argument for argument in read(data_dir / ARGUANA, report=report)}
    with lzma.open(data_dir / ARGUANA) as stream:
        made = json.load(stream)["arguments"]
    assert len(made) == len(arguments) == report.documents == 10_725
    for document in made:
        argument = arguments[document["id"]]
        assert argument.context == document["context"] | {"stance": document["stance"]}
        assert argument.stance == document["premises"][0]["stance"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is told by Linux")
def test_the_forum_corpus_needs_at_most_300_megabytes(data_dir: Path) -> None:
    code = (
        "import sys; from argsearch.indexer.corpus import ReadReport, read; r = ReadReport(); "
        "assert sum(1 for _ in read(sys.argv[1], report=r)) == 390_704; "
        "assert r.empty_premises == 6; "
        "print(*(x.split()[1] for x in open('/proc/self/status') if x.startswith('VmHWM')))"
    )
    command = [sys.executable, "-c", code, str(data_dir / FORUM)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 300 * 1024
