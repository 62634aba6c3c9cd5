"""The words of a text, their roots, and the terms that a model counts."""

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance import lexicon
from argsearch.engine.stance.claims import WORD, plain, root
from argsearch.engine.stance.model import StanceModel
from argsearch.engine.stance.wording import (
    CACHED_WORDS,
    HEAD,
    TAIL,
    WORD_WIDTH,
    canonical,
    masked,
    read_words,
    terms,
)
from argsearch.indexer.corpus.argument import Argument, Premise

PIECES = st.sampled_from(
    ["can't", "won’t", "Plastic_bags", "a", " ", ". ", "ÉTÉ ", "ΣΑΣ ", "don't "]
)


@given(st.lists(PIECES, max_size=40), st.integers(1, 60))
def test_the_words_at_both_ends_are_those_of_reading_the_whole_text(pieces, times):
    text = "".join(pieces) * times

    def words(part):
        part = part.lower().replace("’", "'").replace("can't", "can not")
        return WORD.findall(part.replace("won't", "will not").replace("n't", " not"))

    if len(text) <= (HEAD + TAIL) * WORD_WIDTH:
        read = words(text)
        expected = read if len(read) <= HEAD + TAIL else read[:HEAD] + read[-TAIL:]
    else:
        begin, end = words(text[: HEAD * WORD_WIDTH]), words(text[-TAIL * WORD_WIDTH :])
        expected = begin[:HEAD] + end[-TAIL:]
    assert read_words(text) == expected


def test_a_single_word_has_the_root_of_its_synonym():
    assert canonical("cannabis") == canonical("marijuana")
    assert plain("Pot, and e-cigarettes") == "marijuana, and ecigarette"
    for word in (one for one in lexicon.SYNONYMS if " " not in one):
        assert canonical(word) == root(plain(word).split(" ")[0])


def test_only_so_many_words_are_remembered():
    assert canonical.cache_info().maxsize == CACHED_WORDS


def test_words_of_the_subject_are_masked_and_classes_have_terms_of_their_own():
    words = masked(["zoos", "are", "not", "good"], frozenset({canonical("zoo")}))
    assert words == ["SUBJECT", "are", "not", "good"]
    assert {"SUBJECT are not", "not good", "<it> <is> <not>", "<good>"} <= set(terms(words))


def test_what_is_read_does_not_depend_on_other_threads():
    model = StanceModel.load()
    texts = [Argument("", None, (Premise(f"Zoos hurt animals, number {i}."),)) for i in range(9)]
    first = model.sides("Should zoos be closed?", texts)
    with ThreadPoolExecutor(4) as pool:
        many = pool.map(lambda _: model.sides("Should zoos be closed?", texts), range(16))
        assert list(many) == [first] * 16
