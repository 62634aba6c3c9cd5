"""Builds and asks Lucene itself: the referee of tokens and scores.

The small Java program in `lucene/` is built once by Maven (Lucene from Maven Central) into
`.cache/lucene/` at the root of the repository, and again when its sources change.

`python -m tests.golden.lucene_referee` writes Lucene's answers into `tokens.json`,
`scores.json` and `models.json` anew, from the texts, documents and queries that stand in them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.servers.launcher import Product, ServerUnavailableError, find_java

SOURCES = Path(__file__).resolve().parent / "lucene"
CACHE = SOURCES.parents[2] / ".cache" / "lucene"
LUCENE = Product("Lucene 10", "referee.Referee", range(21, 100))


@cache
def classpath(sources: Path = SOURCES) -> str:
    """Build a Java program when needed (the referee unless told); the class path that runs it.

    Raises ServerUnavailableError, which says what to install.
    """
    digest = hashlib.sha256()
    for path in sorted(path for path in sources.rglob("*") if path.suffix in (".java", ".xml")):
        digest.update(path.read_bytes())
    folder = CACHE / digest.hexdigest()[:12]
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        import fcntl  # where there is none, this is not run

        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            part = folder.with_suffix(".part")
            _build(sources, part)
            part.rename(folder)
    return os.pathsep.join([str(folder / "classes"), str(folder / "lib" / "*")])


def _build(sources: Path, target: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise ServerUnavailableError("asking Lucene needs Maven; install maven")
    command = [maven, "-q", "-B", "-f", str(sources / "pom.xml"), "process-classes"]
    done = subprocess.run(
        [*command, f"-Djava.target={target}"],
        env={**os.environ, "JAVA_HOME": str(find_java(LUCENE).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no output"]
        raise ServerUnavailableError(f"Maven cannot build {sources}: {lines[0][:300]}")


def _ask(*arguments: str, lines: Iterable[str] = ()) -> list[Any]:
    """Run one command; its JSON lines."""
    done = subprocess.run(
        [str(find_java(LUCENE)), "-Xmx4g", "-cp", classpath(), LUCENE.runner, *arguments],
        input="".join(f"{line}\n" for line in lines).encode("utf-8"),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the referee failed: {done.stderr.decode()[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def lucene_tokens(texts: Iterable[str]) -> list[list[str]]:
    """The tokens of each text by Lucene's StandardAnalyzer without stop words."""
    return _ask("tokens", lines=map(json.dumps, texts))


def lucene_automaton() -> dict[str, Any]:
    """The tables of Lucene's tokenizer: classes of code points, steps, where a token may end."""
    return dict(_ask("automaton")[0])


def lucene_scores(
    docs: Iterable[tuple[str, str]],
    queries: Sequence[str],
    k: int | None = None,
    similarity: float | str = 2000,
) -> list[list[tuple[str, float]]]:
    """For each query the best k (None: all that match) as (id, score).

    similarity: the μ of LMDirichletSimilarity, or another similarity in the words of
    `Similarities.java`, such as "bm25 1.2 0.75".

    docs: (id, text), indexed in the order of the ids, so that equal scores are ordered by id. A
    query is analysed as the documents are; each of its tokens is an optional term, repeated ones
    count each time.
    """
    with tempfile.TemporaryDirectory(prefix="lucene-referee-") as folder:
        corpus, topics = Path(folder, "docs.jsonl"), Path(folder, "queries.jsonl")
        with corpus.open("w", encoding="utf-8") as stream:
            for name, text in sorted(docs):
                stream.write(json.dumps({"id": name, "text": text}) + "\n")
        topics.write_text("".join(json.dumps(query) + "\n" for query in queries), "utf-8")
        depth = str(2**31 - 1 if k is None else k)
        answers = _ask("scores", str(corpus), str(similarity), str(topics), depth)
    return [[(name, score) for name, score in hits] for hits in answers]


def answer_golden_files() -> None:
    """Write Lucene's tokens and scores into the golden files beside this one."""
    tokens, scores = SOURCES.with_name("tokens.json"), SOURCES.with_name("scores.json")
    texts = [case["text"] for case in json.loads(tokens.read_text("utf-8"))]
    answers = zip(texts, lucene_tokens(texts), strict=True)
    cases = [json.dumps({"text": text, "tokens": found}) for text, found in answers]
    tokens.write_text("[\n" + ",\n".join(cases) + "\n]\n", encoding="ascii")
    golden = json.loads(scores.read_text("utf-8"))
    docs = list(golden["documents"].items())
    golden["hits"] = [lucene_scores(docs, golden["queries"], None, mu) for mu in golden["mu"]]
    _write(scores, golden)
    models = SOURCES.with_name("models.json")
    golden = json.loads(models.read_text("utf-8"))
    asked = (golden["queries"], None)
    golden["hits"] = [lucene_scores(docs, *asked, words) for words in golden["similarities"]]
    _write(models, golden)


def _write(path: Path, golden: dict[str, Any]) -> None:
    parts = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in golden.items()]
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="ascii")


if __name__ == "__main__":
    answer_golden_files()
