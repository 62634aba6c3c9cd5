"""Argdown (argdown.org): statements and arguments, and which supports or attacks which.

Each relation is a document: what supports or attacks is its premise, PRO or CON, and what it is
about its conclusion. Of a statement that only others argue about no document is made; of what
stands in no relation one without a conclusion. Relations are told by their indentation, in both
directions; undercuts and contradictions count as attacks. `{…}` behind an element is YAML: `id`,
`conclusion`, `premises` and `context` are the document's own (as `--format argdown` writes them),
all else goes into its context, with title, tags and the front matter's title. Comments and
headings are passed over, emphasis is taken off. Of a premise-conclusion structure each inference is
a document of several premises; what its argument says beside it is for the last conclusion.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import orjson
import yaml

from argsearch.indexer.corpus.ids import file_name
from argsearch.indexer.corpus.jsonlines import Record
from argsearch.indexer.corpus.mending import whole_text
from argsearch.indexer.corpus.report import DocumentFault, ReadReport, shown

LONGEST_YAML = 1 << 16
"""Characters of metadata that is not JSON."""
LONGEST_TITLE = 128
"""Bytes of a title that an id is made of; a longer one's digest stands for it."""
DEEPEST = 1024
"""Braces in braces, of which what is deeper than any reader goes is text."""
_CUT = re.compile(r"\\.|//|/\*|<!--|\{", re.DOTALL)
_CLOSES = {"/*": "*/", "<!--": "-->"}
_BRACES = re.compile(
    r'(?<=[\s\[{,:])(?:"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|\'[^\'\n]*+\')(?=\s*[,:}\]])'
    r"|\n[^\S\n]*\n|\{|\}(?:(?=[^\S\n]*(?:\n|\Z))())?"
)
"""Strings, blank lines, and braces; whether a line ends behind one that closes."""
_DATA = re.compile("\0D(\\d+);")
_FRONT = re.compile(r"\s*={3,}[ \t]*\n(.*?)\n={3,}[ \t]*(?=\n|\Z)", re.DOTALL)
_RELATION = re.compile(r"([ \t]*)(\+>|->|<\+|<-|<_|_>|><|[-+_])(?=[ \t<\[])[ \t]*")
_NUMBER = re.compile(r"[ \t]*\((\d+)\)[ \t]+")
_INFERENCE = re.compile(r"[ \t]*(-{2,})[ \t]*$")
_HEADING = re.compile(r"#+[ \t]")
_ITEM = re.compile(r"[ \t]*(?:\*|\d+\.)[ \t]+")
_TITLE = re.compile(r"(?:\[([^\]]+)\](?!\()|<([^>]+)>)(:?)")
_TAG = re.compile(r"(?<!\\)#(?:\(([^()]+)\)|([\w-]+))")
_INLINE = re.compile(
    r"\\(.)|@?\[([^\[\]]*)\]\([^()]*\)|@\[([^\[\]]+)\]|@<([^<>]+)>"
    r"|(?<![\w*])\*{1,2}(?=[^\s*])|(?<=[^\s*])\*{1,2}(?![\w*])"
    r"|(?<![\w_])_{1,2}(?=[^\s_])|(?<=[^\s_])_{1,2}(?![\w_])"
)
_OWN = ("conclusion", "premises", "context")
_OF_YAML = (LookupError, AttributeError, OverflowError)
"""What PyYAML raises for values that are not of their tags."""


@dataclass(eq=False)
class _Node:
    """A statement or an argument, wherever it is mentioned."""

    title: str
    line: int
    texts: dict[str, None] = field(default_factory=dict)
    data: dict[str, Any] = field(default_factory=dict)
    tags: dict[str, None] = field(default_factory=dict)
    twin: str = ""
    """Its title in brackets, where a statement and an argument have the same."""
    premises: list[_Node] = field(default_factory=list)
    """What it says, where it is an inference."""
    relations: dict[tuple[_Node, str], int] = field(default_factory=dict)
    """What it supports or attacks, PRO or CON, and the line that says so."""
    argued: bool = False
    """Whether another one supports or attacks it."""
    fault: DocumentFault | None = None

    @property
    def text(self) -> str:
        """What it says, else what it is called."""
        return next(iter(self.texts), self.title)


@dataclass
class _Structure:
    """A premise-conclusion structure while it is read."""

    argument: _Node
    premises: list[_Node] = field(default_factory=list)
    """What the next conclusion follows from."""
    conclusion: _Node | None = None
    """The last one."""
    inferred: bool = False
    """Whether the next statement is a conclusion."""
    ruled: bool = False
    """Whether lines are the rules of an inference."""


class _Plain(yaml.SafeLoader):
    """YAML without aliases, which could stand for more than any memory holds."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next node; raises YAMLError for an alias."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


def records(blocks: Iterable[bytes], report: ReadReport) -> Iterator[Record]:
    """The line and the document (or its fault) of each relation, and of what has none."""
    map_ = _Map(whole_text(blocks, report))
    found: list[Record] = list(map_.faults)
    name = file_name(report.sources[-1].name)
    given = {str(node.data["id"]): 1 for node in map_.nodes if "id" in node.data}
    for node in map_.nodes:
        if node.fault:
            found.append((node.line, node.fault))
            continue
        before = len(found)
        if not node.relations and not node.argued and (node.texts or node.data):
            found.append((node.line, _document(node, name, map_.about)))
        for (target, stance), line in node.relations.items():
            found.append((line, _document(node, name, map_.about, target, stance)))
        for number, (_, made) in enumerate(found[before:]):
            if number or "id" not in node.data:
                made["id"] = _new(str(made["id"]), given)
    return iter(sorted(found, key=lambda one: one[0]))


def _new(id_: str, given: dict[str, int]) -> str:
    """An id as it is or, where it was given, with the next number; given: ids and numbers."""
    new = id_
    while new in given:
        given[id_] += 1
        new = f"{id_}-{given[id_]}"
    given[new] = 1
    return new


def _document(
    node: _Node, name: str, about: dict[str, Any], target: _Node | None = None, stance: str = ""
) -> dict[str, Any]:
    texts = [one.text for one in node.premises] or [*node.texts] or [node.title]
    said = [*texts, stance, target.text] if target else texts
    others = {key: value for key, value in node.data.items() if key not in ("id", *_OWN)}
    title = {"title": node.title} if node.title and node.texts else {}
    tags = {"tags": [*node.tags]} if node.tags else {}
    document = {
        "id": node.data.get("id", f"{name}-{_called(node, said)}"),
        "conclusion": target.text or None if target else None,
        "premises": [{"text": text, "stance": stance or None} for text in texts],
        "context": about | title | tags | others,
    }
    return document | {key: node.data[key] for key in _OWN if key in node.data}


def _called(node: _Node, said: list[str]) -> str:
    """What tells a node from the others of its file: its title, or a digest of all that is said."""
    title = "_".join((node.twin or node.title).split())
    if title and title.isprintable() and len(title.encode()) <= LONGEST_TITLE:
        return title
    return sha256((node.twin or node.title or "\0".join(said)).encode()).hexdigest()[:12]


class _Map:
    """The statements and arguments of a text, in order."""

    def __init__(self, text: str) -> None:
        self.nodes: list[_Node] = []
        self.faults: list[Record] = []
        self.about: dict[str, Any] = {}
        """What the front matter says of all."""
        self._known: dict[tuple[str, str], _Node] = {}
        self._data: list[str] = []
        self._open = set[str]()
        """What begins comments and, from here on, never ends."""
        self._ends: dict[int, int] = {}
        """Where metadata begins and ends, of what was searched for it."""
        self._searched = 0
        self._above: list[tuple[int, _Node]] = []
        """The elements that the next relation may be of, and their indentation."""
        self._structure: _Structure | None = None
        self._argument: _Node | None = None
        """What a structure that begins here is of."""
        self._said: list[str] = []
        """The lines of the element that is being read."""
        self._begun = 0, -1, ""
        """Its line, its indentation, and its relation to the one above."""
        if front := _FRONT.match(text):
            meta = _mapping(front[1])
            if isinstance(meta, dict) and isinstance(meta.get("title"), str):
                self.about = {"discussionTitle": meta["title"]}
            text = "\n" * front[0].count("\n") + text[front.end() :]
        self._read(self._without_comments(text))

    def _without_comments(self, text: str) -> str:
        """The text with a mark for each comment and metadata, no longer than they were.

        A line break that they held is kept as a mark too: `\\0N`; NUL is in no text.
        """
        pieces, at = list[str](), 0
        while found := _CUT.search(text, at):
            begin, end = found.start(), self._closed(text, found)
            if end < 0:
                pieces.append(text[at : found.end()])
                at = found.end()
                continue
            data = found[0] == "{"
            mark = f"\0D{len(self._data)};" if data else "\0C"
            self._data += [text[begin:end]] * data
            pieces += [text[at:begin], mark, "\0N" * text.count("\n", begin, end)]
            at = end
        return "".join([*pieces, text[at:]])

    def _closed(self, text: str, opened: re.Match[str]) -> int:
        """Where a comment or metadata ends; -1 of what is text."""
        opens, begin, end = opened[0], opened.start(), -1
        if opens == "//" and text[begin - 1 : begin] != ":":
            end = text.find("\n", begin) % (len(text) + 1)  # or the text's own end
        elif opens in _CLOSES and opens not in self._open:
            end = text.find(_CLOSES[opens], begin + len(opens)) + len(_CLOSES[opens])
            end = end if end >= len(_CLOSES[opens]) else -1
        elif opens == "{":
            end = self._data_end(text, begin)
        if end < 0 and opens in _CLOSES:
            self._open.add(opens)
        return end

    def _data_end(self, text: str, begin: int) -> int:
        """Where the metadata ends that begins here, at the end of a line; -1 of text in braces."""
        if begin >= self._searched:
            opened = deque[int](maxlen=DEEPEST)
            self._ends = {}
            for found in _BRACES.finditer(text, begin):
                self._searched = found.end()
                if found[0] == "{":
                    opened.append(found.start())
                elif found[0][0] == "}":
                    self._ends[opened.pop()] = -1 if found[1] is None else found.end()
                if not opened or found[0][0] == "\n":
                    break
        return self._ends.get(begin, -1)

    def _read(self, text: str) -> None:
        number = 0
        for marked in text.split("\n"):
            number, begun = number + 1 + marked.count("\0N"), number + 1
            line = marked.replace("\0N", "").replace("\0C", "")
            if not marked.strip():
                self._close()
            elif line.strip():
                self._take(begun, line)
        self._close()

    def _take(self, number: int, line: str) -> None:
        """Read a line that says something."""
        inside = bool(self._said or self._above)
        if self._structured(number, line, inside):
            return
        if relation := _RELATION.match(line):
            self._end()
            indent = len(relation[1].expandtabs(4))
            while len(self._above) > 1 and self._above[-1][0] >= indent:
                self._above.pop()
            if not self._above:
                said = f"{shown(relation[2])} relates to nothing above it; allowed: indented below"
                self._fault(number, "relation", f"{said} a [statement] or an <argument>")
            self._begun, self._said = (number, indent, relation[2]), [line[relation.end() :]]
        elif inside and not _ITEM.match(line):
            self._said.append(line)
        elif inside or not _HEADING.match(line):
            self._end()
            self._above, self._begun = [], (number, -1, "")
            self._said = [line[item.end() :] if (item := _ITEM.match(line)) else line]

    def _structured(self, number: int, line: str, inside: bool) -> bool:
        """Read a line of a premise-conclusion structure; whether it is one."""
        within = self._structure
        if within and (rule := _INFERENCE.match(line)):
            self._end()
            within.ruled, within.inferred = len(rule[1]) < 4 and not within.ruled, True
            self._above = [(-1, within.argument)]
        elif not (within and within.ruled):
            stated = _NUMBER.match(line)
            if not stated or (inside and not within):
                return False
            self._end()
            self._structure = within or _Structure(self._argument or _Node("", number))
            self._above, self._begun = [], (number, -1, stated[1])
            self._said = [line[stated.end() :]]
        return True

    def _close(self) -> None:
        """End a block."""
        self._end()
        within, self._structure, self._above = self._structure, None, []
        if within and within.conclusion and within.argument.texts:
            key = within.conclusion, "PRO"
            within.argument.relations.setdefault(key, within.argument.line)

    def _fault(self, number: int, kind: str, problem: str) -> None:
        self.faults.append((number, DocumentFault(kind, problem)))

    def _end(self) -> None:
        """Keep the element that was being read, and its relation to the one above."""
        said, (number, indent, sign) = " ".join(" ".join(self._said).split()), self._begun
        self._said = []
        if not said:
            return
        node = self._node(said, number)
        above = self._above[-1][1] if self._above else None
        self._above.append((indent, node))
        if indent < 0 and not sign:
            self._argument = node if said.startswith("<") and node.title else None
        if self._structure and sign.isdigit():
            self._infer(self._structure, node, sign, number)
        if not sign or above is None:
            return
        one, other = (above, node) if sign in ("+>", "->", "_>") else (node, above)
        one.relations.setdefault((other, "PRO" if "+" in sign else "CON"), number)
        other.argued = True

    def _infer(self, within: _Structure, node: _Node, place: str, number: int) -> None:
        """Keep a statement of a structure: a premise, or what follows from those before."""
        argument = within.argument
        if within.inferred:
            about = {key: one for key, one in argument.data.items() if key not in ("id", *_OWN)}
            title = f"{argument.title}({place})" if argument.title else ""
            inference = _Node(title, number, data=about, premises=within.premises)
            inference.relations[node, "PRO"] = number
            self.nodes.append(inference)
            for one in (node, *within.premises):
                one.argued = True
            within.premises, within.inferred, within.conclusion = [], False, node
        within.premises.append(node)

    def _node(self, said: str, number: int) -> _Node:
        """The node that a text defines or refers to."""
        data = [int(one) for one in _DATA.findall(said)]
        said = _DATA.sub("", said).strip()
        tags, begin, end = dict[str, None](), 0, 0
        for tag in _TAG.finditer(said):
            if end == 0 or said[end : tag.start()].strip():
                tags, begin = {}, tag.start()
            tags[tag[1] or tag[2]], end = None, tag.end()
        tags, said = (tags, said[:begin].rstrip()) if end == len(said) else ({}, said)
        title = _TITLE.match(said)
        if title and not title[3] and said[title.end() :]:
            title = None  # a text that begins with brackets
        text = _INLINE.sub(_inline, said[title.end() :] if title else said).strip()
        key = (said[0], " ".join((title[1] or title[2]).split())) if title else ("", "")
        node = self._known.get(key) if title else None
        if node is None:
            node = _Node(key[1], number)
            self.nodes.append(node)
            if title:
                self._known[key] = node
                if other := self._known.get(("[" if key[0] == "<" else "<", key[1])):
                    kinds = f"[{key[1]}]", f"<{key[1]}>"
                    node.twin, other.twin = kinds if key[0] == "[" else kinds[::-1]
        node.texts |= {text: None} if text else {}
        node.tags |= tags
        for meta in map(_mapping, (self._data[one] for one in data)):
            if isinstance(meta, str):
                node.fault = DocumentFault("metadata", meta)
            else:
                node.data.update(meta)
        return node


def _inline(found: re.Match[str]) -> str:
    """What of an escape, a link or a mention is text; nothing of emphasis."""
    return next((one for one in found.groups() if one is not None), "")


def _mapping(text: str) -> dict[str, Any] | str:
    """The metadata that a text in braces holds, or what is wrong with it."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        allowed = f"allowed: {{key: value, ...}} as JSON or, up to {LONGEST_YAML >> 10} KiB, YAML"
        wrong = f"metadata is {shown(text)}; {allowed}, without aliases"
        if len(text) > LONGEST_YAML:
            return wrong
        block = re.fullmatch(r"\{[ \t]*\n(.*)\}", text, re.DOTALL)
        try:
            value = yaml.load(block[1] if block else text, _Plain)
            value = orjson.loads(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
        except (yaml.YAMLError, ValueError, TypeError, RecursionError, *_OF_YAML):
            return wrong
    return value if type(value) is dict else f"metadata is {shown(text)}; allowed: key: value"
