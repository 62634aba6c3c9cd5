"""`python -m benchmarks`: speed beside Lucene, Elasticsearch, OpenSearch and others.

Measures on the real posts of ARGSEARCH_DATA and writes `table.md` and `results.json` to
docs/performance; `--quick` measures a part in two minutes and prints the table only.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from benchmarks import building, others, querying, report, starting
from benchmarks.corpora import DataMissing
from benchmarks.exactness import AnswersDiffer
from benchmarks.measuring import CACHE, ROOT, say
from benchmarks.plan import FULL, QUICK, Plan

SHAPE = 5
"""Raised when the results of a stage change their shape, so that kept ones are not read."""
STAGES: dict[str, Callable[[Plan], Any]] = {
    "build": building.measure,
    "query": querying.measure,
    "others": others.measure,
    "start": starting.start,
    "serve": starting.serve,
    "scale": starting.scale,
}


def _machine() -> dict[str, Any]:
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": os.cpu_count(),
        "memory": pages / 2**30,
        "load": os.getloadavg()[0],
        "date": time.strftime("%Y-%m-%d"),
    }


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a part, in two minutes")
    parser.add_argument(
        "--only", nargs="+", choices=STAGES, default=list(STAGES), help="stages to run"
    )
    parser.add_argument("--no-servers", action="store_true", help="leave search servers out")
    parser.add_argument("--passes", type=int, help="how often everything is measured")
    return parser.parse_args(words)


def _plan(given: argparse.Namespace) -> Plan:
    plan = QUICK if given.quick else FULL
    if given.no_servers:
        plan = replace(plan, servers=())
    if given.passes:
        plan = replace(plan, passes=given.passes)
    return plan


def main(words: Sequence[str]) -> int:
    """Run the requested stages. Earlier results of other stages are kept."""
    given = _arguments(words)
    plan = _plan(given)
    known = CACHE / f"results-{SHAPE}-{plan.documents}.json"
    try:
        results: dict[str, Any] = json.loads(known.read_text()) if known.exists() else {}
        results |= {"machine": _machine(), "documents": plan.documents}
        for stage in given.only:
            results[stage] = STAGES[stage](plan)
            known.write_text(json.dumps(results))
    except (DataMissing, AnswersDiffer) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    text = report.text(results)
    print(text)
    if not given.quick:
        out = ROOT / "docs" / "performance"
        (out / "table.md").write_text(text, encoding="utf-8")
        (out / "results.json").write_text(json.dumps(_short(results), indent=1), encoding="utf-8")
        say(f"wrote {out}/table.md and results.json")
    return 0


def _short(results: dict[str, Any]) -> dict[str, Any]:
    """Return the results without the postings of every query."""
    query = {key: value for key, value in results.get("query", {}).items() if key != "postings"}
    return {**results, "query": query}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
