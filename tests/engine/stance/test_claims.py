"""Reading claims: direction and subject."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance.claims import CLAIM_READ, read_claim

FOR = """
Should abortion be allowed?
Do school uniforms reduce bullying?
Is nuclear power safe?
Do we need social security?
The use of public defenders should be mandatory
Concealed carry laws decrease crime
Violent video games do not cause violence
A Homework Ban Is A Bad Idea
The death penalty deters crime.
Steroids shouldn't be banned
Resolved: recreational marijuana should be legalized in the U.S.
THW make vaccines mandatory
Girls and Boys Should Attend Different Schools
Social networking sites are a boon
Legalization of marijuana
Social media brings more good than harm
Is homework good or bad?
Should smoking be banned or allowed?
benefits of homework
Should felons have the right to vote?
"""
AGAINST = """
Should abortion be banned?
Should we abolish capital punishment?
Is homework a waste of time?
Is abortion murder?
Is raising the minimum wage harmful to workers?
Should zoos be closed?
Are vaccines dangerous?
Is global warming a hoax?
Should euthanasia remain illegal?
Should violent video games be banned?
We should fight illegal immigration
Assisted suicide should be a criminal offence
Homeopathy brings more harm than good
Video games cause violence
Man-made global warming isn't real
No to legalizing prostitution
This House would ban animal testing
A full time college education is not worth it
There should not be a teacher tenure.
Banning smoking
arguments against homework
the case against zoos
dangers of vaping
Why is homework bad?
Do we eat too much sugar?
Too many tests
Do pupils get to much homework?
Should patients be free to refuse blood transfusions?
Do people have the right to refuse blood transfusions?
"""


@pytest.mark.parametrize("text", FOR.strip().split("\n"))
def test_it_speaks_for_its_subject(text):
    assert read_claim(text).polarity == 1


@pytest.mark.parametrize("text", AGAINST.strip().split("\n"))
def test_it_speaks_against_its_subject(text):
    assert read_claim(text).polarity == -1


def test_a_bare_subject_has_no_direction_and_says_what_for_means():
    claim = read_claim("death penalty")
    assert (claim.directed, claim.polarity) == (False, 1)
    assert claim.reading == "“death penalty” is good, or should be supported"
    assert read_claim("Should homework be banned?").reading == "yes to “Should homework be banned?”"


def test_words_for_the_same_thing_have_the_same_subject():
    subjects = {read_claim(f"Should {x} be legal?").subject for x in ("cannabis", "marijuana")}
    assert len(subjects) == 1
    assert read_claim("Gun control").polarity == -read_claim("Gun ownership is good").polarity


nouns = st.lists(
    st.sampled_from(["homework", "robots", "zoos", "whaling", "juries", "tourism", "castles"]),
    min_size=1,
    max_size=3,
).map(" ".join)


@given(nouns, st.sampled_from(["{} should be", "Should {} be", "This house believes {} should be"]))
def test_banned_and_allowed_turn_the_direction_and_keep_the_subject(noun, form):
    banned, allowed = (read_claim(f"{form.format(noun)} {word}") for word in ("banned", "allowed"))
    assert banned.polarity == -allowed.polarity
    assert banned.subject == allowed.subject


@given(st.text(max_size=3 * CLAIM_READ))
def test_any_text_can_be_read(text):
    claim = read_claim(text)
    assert claim.polarity in (-1, 1)
    assert len(claim.text) <= CLAIM_READ


@pytest.mark.parametrize("text", ["", " ", "?", "🙂", "Should", "not", "Ist die Todesstrafe gut?"])
def test_short_and_foreign_questions(text):
    assert read_claim(text).polarity in (-1, 1)
