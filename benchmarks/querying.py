"""Stage: run the same queries on every engine, first to compare answers, then for time."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from argsearch.ranking.similarities.registry import SIMILARITIES
from benchmarks import corpora, lucene_peer, servers_peer, serving
from benchmarks.exactness import Answer, check_all
from benchmarks.load import CLIENTS, load, request
from benchmarks.measuring import Times, job, say
from benchmarks.plan import BM25, BOOSTED, CUTOFFS, PLAIN, WORKERS, Plan
from tests.servers.launcher import ServerUnavailableError

LUCENE_MODES = {"plain": PLAIN, "bm25": BM25, "function": BOOSTED, "collector": BOOSTED}
"""Lucene's ways, and the configuration of ours that they equal."""
CONFIGS = (PLAIN, BOOSTED, BM25)


class Querying:
    """One run of the stage."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        long = corpora.paragraphs(plan.corpus, plan.paragraphs)
        self.questions = {**plan.questions(), "paragraphs": long}
        self.times: dict[str, dict[str, list[dict[str, float]]]] = {g: {} for g in self.questions}
        self.found: dict[str, Any] = {"compared": {}, "servers": {}, "postings": {}, "loads": []}
        self.lucene = plan.folder / "lucene-query"

    def run(self) -> dict[str, Any]:
        """Build missing indexes, compare the answers, and return all measurements."""
        self._build_lucene()
        tables = self._tables("touche")
        ours = {(c, k): self._answers("touche", c, k) for c in CONFIGS for k in CUTOFFS}
        self._compare_lucene(ours)
        self._check_pruning()
        self._measure_models()
        with contextlib.ExitStack() as stack:
            running = self._servers(stack)
            for server in running:
                self._compare_server(server, ours, tables)
            for number in range(self.plan.passes):
                say(f"queries, pass {number + 1} of {self.plan.passes}")
                for group in self.questions:
                    self._pass(group)
                for server in running:
                    self._server_pass(server, tables)
                if running:
                    self.found["loads"].append(self._loads(running, tables))
        return {**self.found, "times": self.times}

    def _texts(self, group: str) -> list[str]:
        return [question.text for question in self.questions[group]]

    def _tables(self, group: str) -> dict[str, Any]:
        answer = job(
            "factors", index=str(self.plan.index), queries=self._texts(group), config=BOOSTED
        )
        return dict(answer)

    def _build_lucene(self) -> None:
        say("Lucene's index of the same documents, clusters and quality")
        documents = self.plan.folder / "documents.jsonl"
        job("lucene_documents", index=str(self.plan.index), out=str(documents))
        shutil.rmtree(self.lucene, ignore_errors=True)
        lucene_peer.build(documents, self.lucene, threads=1)
        documents.unlink()

    def _answers(self, group: str, config: str, k: int) -> dict[str, Answer]:
        """Return our answers, after the check that reading every posting gives the same bits."""
        asked = {"index": str(self.plan.index), "queries": self._texts(group), "config": config}
        answer = job("answer_engine", **asked, k=k)
        self.found["postings"][f"{group},{config},{k}"] = answer["postings"]
        ids = [question.id for question in self.questions[group]]
        found = zip(ids, answer["answers"], strict=True)
        return {id: Answer(*each) for id, each in found}

    def _check_pruning(self) -> None:
        """Check that reading every posting changes no bit for queries that nothing was tuned to."""
        for k in CUTOFFS:
            asked = len(self._answers("conclusions", BOOSTED, k))
            self.found["compared"][f"reading every posting, k={k}"] = asked
            say(f"equal answers: reading every posting, k={k}, {asked} queries")

    def _measure_models(self) -> None:
        """Measure each similarity, pruned and with every posting read from stored scores."""
        tasks = [(model, k) for model in SIMILARITIES for k in CUTOFFS]
        asked = {"index": str(self.plan.index), "queries": self._texts("touche")}
        measured = job("models", **asked, tasks=tasks, rounds=self.plan.rounds)
        self.found["models"] = {
            task: asdict(Times.of(rounds)) for task, rounds in measured["times"].items()
        }
        say(f"equal answers: reading every posting, {len(SIMILARITIES)} similarities")

    def _peer_questions(self, group: str) -> list[lucene_peer.Question]:
        tables = self._tables(group)
        return [
            lucene_peer.Question(one.id, one.text, table, tables["quality_weight"])
            for one, table in zip(self.questions[group], tables["tables"], strict=True)
        ]

    def _compare_lucene(self, ours: dict[tuple[str, int], dict[str, Answer]]) -> None:
        tasks = [(mode, k) for mode in LUCENE_MODES for k in CUTOFFS]
        theirs = lucene_peer.query(self.lucene, self._peer_questions("touche"), tasks, rounds=1)
        for mode, k in tasks:
            given = {
                row["query"]: Answer(row["ids"], row["scores"])
                for row in theirs
                if (row["mode"], row["k"]) == (mode, k)
            }
            self._agree(f"Lucene {mode}, k={k}", ours[LUCENE_MODES[mode], k], given)

    def _agree(self, who: str, ours: dict[str, Answer], theirs: dict[str, Answer]) -> None:
        self.found["compared"][who] = check_all(who, ours, theirs)
        say(f"equal answers: {who}, {len(ours)} queries")

    def _servers(self, stack: contextlib.ExitStack) -> list[servers_peer.Server]:
        running = []
        for product in self.plan.servers:
            say(f"{product}: starting and writing")
            try:
                one = stack.enter_context(servers_peer.server(product, self.plan.index))
            except ServerUnavailableError as error:
                say(f"left out: {error}")
                continue
            self.found["servers"][product] = asdict(one)
            running.append(one)
        return running

    def _bodies(
        self, k: int, tables: dict[str, Any], config: str, documents: bool = False
    ) -> dict[str, bytes]:
        boosted = tables["tables"] if config == BOOSTED else ()
        questions = self.questions["touche"][: self.plan.server_queries]
        return servers_peer.bodies(questions, k, documents, boosted, tables["quality_weight"])

    def _compare_server(self, server: servers_peer.Server, ours: Any, tables: Any) -> None:
        for config in (PLAIN, BOOSTED):
            given = servers_peer.answers(server.port, self._bodies(1000, tables, config))
            asked = {query: ours[config, 1000][query] for query in given}
            self._agree(f"{server.name} {config}, k=1000", asked, given)

    def _note(self, group: str, task: str, rounds: Sequence[Sequence[float]]) -> None:
        self.times[group].setdefault(task, []).append(asdict(Times.of(rounds)))

    def _pass(self, group: str) -> None:
        rounds = self.plan.rounds if group == "touche" else 2
        modes = ("plain", "bm25", "collector") if group == "touche" else ("plain", "bm25")
        tasks = [(mode, k) for mode in modes for k in CUTOFFS]
        rows = lucene_peer.query(self.lucene, self._peer_questions(group), tasks, rounds)
        for mode, k in tasks:
            chosen = [row for row in rows if (row["mode"], row["k"]) == (mode, k)]
            self._note(group, f"Lucene {mode},{k}", [row["milliseconds"] for row in chosen])
        ours = [(config, k) for config in CONFIGS for k in CUTOFFS]
        answer = job(
            "query_engine",
            index=str(self.plan.index),
            queries=self._texts(group),
            tasks=ours,
            rounds=rounds,
        )
        for config, k in ours:
            self._note(group, f"argsearch {config},{k}", answer["times"][f"{config},{k}"])

    def _server_pass(self, server: servers_peer.Server, tables: Any) -> None:
        for config in (PLAIN, BOOSTED):
            for k in CUTOFFS:
                bodies = self._bodies(k, tables, config)
                rounds = servers_peer.times(server.port, bodies, self.plan.server_rounds)
                self._note("touche", f"{server.name} {config},{k}", rounds)

    def _loads(self, running: Sequence[servers_peer.Server], tables: Any) -> dict[str, Any]:
        """Measure each server under load, one after the other."""
        say("argsearch: answers under load")
        ours, _ = serving.loads(
            self.plan.index, WORKERS, self.plan.load_seconds, self.questions["touche"]
        )
        theirs = {server.name: self._load(server, tables) for server in running}
        return {f"argsearch, {WORKERS} workers": ours, **theirs}

    def _load(self, server: servers_peer.Server, tables: Any) -> list[dict[str, Any]]:
        path = f"/{servers_peer.INDEX}/_search"
        bodies = self._bodies(10, tables, BOOSTED, documents=True)
        requests = [request(path, body) for body in bodies.values()]
        say(f"{server.name}: answers under load")
        return [load(server.port, n, self.plan.load_seconds, requests) for n in CLIENTS]


def measure(plan: Plan) -> dict[str, Any]:
    """Run the whole stage."""
    return Querying(plan).run()
