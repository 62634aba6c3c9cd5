"""A small corpus with everything awkward in it, indexed once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ARGUMENTS = [
    {
        "id": "zoo/1#a?b=c&d%20",
        "conclusion": "Zoos should be abolished",
        "premises": [
            {
                "text": "Animals suffer behind bars. Zoos keep animals for our pleasure, and "
                "that is no reason to lock them up. I know this.",
                "stance": "PRO",
            }
        ],
        "context": {
            "sourceTitle": "Zoos & {braces} 100%",
            "sourceUrl": "https://example.org/zoos?a=1&b=2",
            "author": "Ann O'Nym",
            "date": "2019-05-06T07:08:09Z",
            "acquisitionTime": "2020-01-02T03:04:05Z",
        },
    },
    {
        "id": "zoo-2",
        "conclusion": "Zoos should be abolished",
        "premises": [
            {"text": 'Zoos save species, "says" the keeper.\nThey do, 😀 zoos!', "stance": "CON"}
        ],
        "context": {"sourceTitle": "Zoos", "sourceUrl": "javascript:alert(1)"},
    },
    {
        "id": "xss",
        "conclusion": '<img src=x onerror="window.hacked=1"> zoos',
        "premises": [
            {"text": "<script>window.hacked=1</script> zoos *are* `bad`", "stance": "PRO"}
        ],
        "context": {"sourceTitle": "<b>bold</b>", "sourceUrl": 'https://example.org/"><script>'},
    },
    {
        "id": "null",
        "conclusion": None,
        "premises": [{"text": "No conclusion about zoos.", "stance": "CON"}],
        "context": {},
    },
    {"id": "empty", "conclusion": "Zoos, and nothing more", "premises": [], "context": {}},
    {
        "id": "escape",
        "conclusion": "Zoos \u001b[31mred\u001b[0m",
        "premises": [{"text": "An escape \u001b]0;title\u0007 sequence in zoos.", "stance": None}],
        "context": {"sourceTitle": "\u001b[2J"},
    },
]
ARGUMENTS += [
    {
        "id": f"school-{n}",
        "conclusion": "School uniforms are good" if n % 3 else "School uniforms are bad",
        "premises": [
            {
                "text": f"Uniforms make {n} pupils equal. "
                + "A uniform costs less than fashion. " * (n % 5),
                "stance": "PRO" if n % 2 else "CON",
            }
        ],
        "context": {"sourceTitle": "Uniforms", "sourceUrl": f"https://example.org/{n}"},
    }
    for n in range(60)
]


@pytest.fixture(scope="session")
def awkward_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus as an args.me JSON file."""
    path = tmp_path_factory.mktemp("corpus") / "awkward.json"
    path.write_text(json.dumps({"arguments": ARGUMENTS}), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def awkward_index(awkward_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of it, without a quality model; not to be written to."""
    from indexer.build import BuildRequest, build
    from indexer.layout.settings import IndexSettings

    out = tmp_path_factory.mktemp("awkward") / "index"
    build(BuildRequest([str(awkward_corpus)], out, IndexSettings(quality_model="none")))
    return out
