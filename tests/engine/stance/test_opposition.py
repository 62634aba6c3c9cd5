"""How arguments stand to an author: turned with his stance, sure for his own conclusion."""

from __future__ import annotations

import pytest

from argsearch.engine.stance import opposition
from argsearch.engine.stance.opposition import SURE, Opposition
from argsearch.indexer.corpus.argument import Argument, Premise, Stance
from argsearch.ranking.explanation import Explanation

PRO, CON = Stance.PRO, Stance.CON
CRUEL = "Animals suffer in zoos; keeping them in cages is cruel and should be banned."
SAVED = "Zoos save species that would otherwise die out, and children learn to love animals there."


def argued(conclusion, text, stance, id=""):
    return Argument(id, conclusion, (Premise(text, stance),))


def stands(author, *arguments, **how):
    return Opposition(author, **how).read(arguments)


@pytest.mark.parametrize(("own", "other"), [(PRO, PRO), (PRO, CON), (CON, PRO), (CON, CON)])
def test_who_argues_about_the_same_conclusion_is_on_the_side_he_says(own, other):
    author = argued("Zoos should be banned", CRUEL, own)
    side, towards = stands(author, argued("zoos should be banned.", SAVED, other))[0]
    assert side.value == ("supports" if own == other else "against")
    assert (side.probability, side.explanation.value) == (SURE, SURE)
    assert towards == (-SURE if own == other else SURE)


OTHERS = [
    argued("Zoos should be allowed", SAVED, PRO),
    argued("Zoos are good", CRUEL, CON),
    argued("Zoos should be abolished", CRUEL, PRO),
    argued(None, SAVED, None),
]


def test_turning_the_author_round_swaps_the_sides_and_keeps_the_probabilities():
    for_it, against_it = (
        stands(argued("Zoos should be banned", CRUEL, stance), *OTHERS) for stance in (PRO, CON)
    )
    assert [side.value for side, _ in for_it][:3] == ["against", "supports", "supports"]
    swapped = {"against": "supports", "supports": "against", "unclear": "unclear"}
    for (one, towards), (other, turned) in zip(for_it, against_it, strict=True):
        assert other.value == swapped[one.value]
        assert other.probability == one.probability == abs(towards)
        assert turned == -towards
        assert one.explanation.value == one.probability


def test_explanations_are_made_when_they_are_looked_at(monkeypatch):
    made = []
    monkeypatch.setattr(
        opposition, "Explanation", lambda *given: made.append(given) or Explanation(*given)
    )
    sides = [side for side, _ in stands(argued("Zoos should be banned", CRUEL, PRO), *OTHERS)]
    assert made == []
    assert sides[0].explanation.details[0].value == sides[0].probability
    assert len(made) == 1


def test_a_text_is_its_own_claim():
    author = Argument("", None, (Premise("Zoos should be banned because that is cruel."),))
    values = [side.value for side, _ in stands(author, *OTHERS[:3])]
    assert values == ["against", "supports", "supports"]


def test_who_asks_or_reports_in_several_sentences_names_no_claim_of_his_own():
    for text in ("Should zoos be banned? No.", "Many say that zoos should go. They are wrong."):
        assert Opposition(Argument("", None, (Premise(text),))).claim == ""


def test_where_stances_are_towards_no_claims_words_alone_tell():
    author = argued("Zoos should be banned", CRUEL, CON)
    reading = Opposition(author, claiming=False)
    assert not reading.opposing
    arguments = [argued("Zoos should be banned", SAVED, stance) for stance in Stance]
    (same, _), (other, _) = reading.read(arguments)
    assert same.probability == other.probability != SURE
    assert "by the text alone" in "\n".join(same.explanation.lines())


def test_a_claim_without_sides_has_none():
    author = argued("How can zoos be made better?", CRUEL, PRO)
    assert {(s.value, s.probability) for s, _ in stands(author, *OTHERS)} == {("unclear", 0.0)}
