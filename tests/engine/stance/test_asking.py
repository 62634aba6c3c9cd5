"""What a question asks: the sentence, and what of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance import claims
from argsearch.engine.stance.claims import CLAIM_READ, asking, bare, read_claim, read_question

ASKED = [
    ("My son hates it. Should homework be banned?", "Should homework be banned?"),
    ("Should homework be banned? My son hates it. So do I.", "Should homework be banned?"),
    (
        "Zoos are cruel, they say. Should zoos be closed? What do you think?",
        "Should zoos be closed?",
    ),
    (
        "It rains. I wonder whether zoos should be closed.",
        "I wonder whether zoos should be closed.",
    ),
    ("I live in the U.S. today. Is it safe?\nAre guns useful?", "Are guns useful?"),
    ("Is Dr. Smith vs. Mr. Jones a debate?", "Is Dr. Smith vs. Mr. Jones a debate?"),
    ("I saw one. Zoos are cruel.", "Zoos are cruel."),
    ("  death \n penalty ", "death penalty"),
    ("abortion", "abortion"),
    ("Ich mag Tiere. Sollte man Zoos abschaffen?", "Sollte man Zoos abschaffen?"),
]


@pytest.mark.parametrize(("text", "sentence"), ASKED)
def test_the_sentence_that_asks_is_found(text, sentence):
    assert asking(text) == sentence
    assert read_question(text).text == sentence


@pytest.mark.parametrize(
    ("text", "polarity", "subject"),
    [
        ("I met two teachers today. Should teachers get tenure?", 1, ("teache", "tenure")),
        ("Do you think that zoos should be closed?", -1, ("zoo",)),
        ("Isn't abortion murder?", -1, ("aborti",)),
        ("Shouldn't we ban zoos?", -1, ("zoo",)),
        ("Is homework useful, or does it only make families unhappy?", 1, ("homewo",)),
        ("Can anyone tell me whether vaccines are dangerous?", -1, ("vaccin",)),
        ("Is it true that vaccines cause autism?", -1, ("vaccin", "cause")),
        ("So, is it time to close zoos?", -1, ("zoo",)),
        ("Should zoos not be closed?", 1, ("zoo",)),
    ],
)
def test_direction_and_subject_are_those_of_what_is_asked(text, polarity, subject):
    claim = read_question(text)
    assert (claim.polarity, claim.subject) == (polarity, subject)
    assert claim.directed


def test_a_question_that_names_nothing_is_about_what_was_said_before():
    claim = read_question("I get a handful of pennies. Isn't it time to get rid of them?")
    assert claim.polarity == -1
    assert "penny" in claim.subject
    assert "penny" in claim.phrase


FOR = """
Should the internet stay unregulated?
Should capital punishment be kept?
Should the penny stay?
Should guns stay legal?
Should we stop banning books?
Is it time to legalize marijuana?
Are there good reasons to keep zoos?
Is there any point in homework?
Does homework make sense?
Is the death penalty effective?
Is the death penalty justified?
Is the monarchy still relevant?
Are zoos still needed?
Does the death penalty work?
Would the world be better off with zoos?
Would it be better if zoos were allowed?
the case for zoos
arguments in favour of zoos
benefits of zoos
Why are zoos good?
Zoos: yes or no?
What are the pros and cons of zoos?
What are the advantages and disadvantages of zoos?
arguments for and against zoos
advantages and disadvantages of school uniforms
Should museums be free?
Should the internet remain unrestricted?
Should entry to museums be free of charge?
What are the benefits of homework?
What speaks for zoos?
How useful is homework?
Should we hold on to the monarchy?
Should we stick with the penny?
Are zoos harmless?
Should we refrain from banning books?
Should zoos stay open?
Should we do more for zoos?
Is there nothing wrong with zoos?
Should we stop fighting illegal immigration?
To vaccinate or not to vaccinate children?
Why not allow zoos?
Can the death penalty be justified?
Is there a case for zoos?
What is good about zoos?
Is homework worth it?
Should homework be compulsory?
Should smacking not be banned?
Why we need zoos
Why zoos should not be closed
Should we pay for college athletes?
Should people pay for a border wall?
Should parents give up children for adoption?
Should companies give workers a heads up?
Should we charge the rich more?
Should the war on drugs end?
Should we take it easy in schools?
"""
AGAINST = """
Should we take the cameras off our streets again?
Should marriage stay between a man and a woman only?
war on drugs
Is it the parents' fault when a child is fat?
All the evidence shows that medicines cost too much.
Should we give up capital punishment?
Should we give zoos up?
Should capital punishment be given up?
Could we do without zoos?
Can we live without zoos?
Should we get rid of the penny?
Should we do away with zoos?
Would we be better off without zoos?
Would the world be a better place without religion?
What's wrong with zoos?
What is wrong with homework?
Should we stop keeping animals in zoos?
Should guns stay illegal?
Should guns remain banned?
Should we keep marijuana illegal?
Should voting be non-compulsory?
Should museums charge admission?
Should visitors pay for museums?
Should people have to pay for museums?
Should religion be kept out of schools?
Should prayer be taken out of schools?
Is the monarchy outdated?
Has the monarchy had its day?
Is the monarchy a thing of the past?
Has political correctness gone too far?
Is it time to close zoos?
Isn't it high time we closed zoos?
Has the time come to abolish the monarchy?
Would it be better if zoos were closed?
Would it be good if we banned zoos?
Is it better to abolish zoos?
the case against zoos
arguments against zoos
why zoos are bad
Why should zoos be closed?
What are the dangers of vaping?
What harm does vaping do?
How dangerous is vaping?
What speaks against zoos?
What are the arguments against zoos?
Should there be fewer zoos?
Should we have fewer zoos?
Are zoos unnecessary?
Is there no need for zoos?
Is there no point in homework?
Is homework pointless?
Should we turn our backs on nuclear power?
Should we move away from nuclear power?
Should we put an end to zoos?
Should we say no to nuclear power?
Should the UK leave the EU?
Should we pull out of NATO?
Should we stay out of NATO?
Should we phase out coal?
Should the police be defunded?
What if we abolished zoos?
How about banning zoos?
Why not ban zoos?
Why don't we ban zoos?
Should we throw out the monarchy?
Should we crack down on zoos?
Are there good reasons to abolish zoos?
Are there any good reasons against zoos?
Do zoos do more harm than good?
Is the death penalty ever unjustified?
Is nuclear power not worth the risk?
Should we make smoking illegal?
Should it be illegal to own a tiger?
Zoos should go
Do we still need zoos no longer?
Does homework do any harm?
Would it be bad if zoos stayed open?
Is there a case against zoos?
Should parents refrain from smacking?
Should the death penalty cease to exist?
"""
NO_SIDES = """
How can we reduce crime?
How do we stop climate change?
What is euthanasia?
What is the best way to fight poverty?
Who should pay for college?
Why do people smoke?
Why is the sky blue?
When does life begin?
How to stop bullying
Which party is better?
How many guns are there?
What causes crime?
What can be done about bullying?
Where should nuclear waste be stored?
How should drugs be regulated?
"""


@pytest.mark.parametrize("text", FOR.strip().split("\n"))
def test_an_everyday_question_for_something(text):
    claim = read_question(text)
    assert (claim.polarity, claim.sided) == (1, True)


@pytest.mark.parametrize("text", AGAINST.strip().split("\n"))
def test_an_everyday_question_against_something(text):
    claim = read_question(text)
    assert (claim.polarity, claim.sided) == (-1, True)


@pytest.mark.parametrize("text", NO_SIDES.strip().split("\n"))
def test_what_asks_for_neither_has_no_sides(text):
    claim = read_question(text)
    assert not claim.sided
    assert claim.reading == f"nothing: “{text}” has no sides"


def test_what_a_question_takes_for_granted_is_what_for_means():
    assert (
        read_question("Why are zoos bad?").reading == "what “Why are zoos bad?” takes for granted"
    )


@pytest.mark.parametrize("text", ["Why not ban zoos?", "What if we banned zoos?"])
def test_what_a_question_proposes_is_what_for_means(text):
    assert read_question(text).reading == f"yes to “{text}”"


TURNED = """
Should we give up zoos? | Should we keep zoos?
Should marriage be between one man and one woman? | Should gay marriage be legal?
Should we take cameras out of our schools? | Should we have cameras in our schools?
Should we end the war on drugs? | Should the drug war go on?
Could we do without zoos? | Do we need zoos?
Should museums charge admission? | Should museums be free?
Should zoos stay open? | Should zoos stay closed?
Should the internet remain unregulated? | Should the internet be regulated?
Is there a case against zoos? | Is there a case for zoos?
What is wrong with zoos? | What is good about zoos?
Why are zoos bad? | Why are zoos good?
Should we stop banning zoos? | Should we stop protecting zoos?
Would we be better off without zoos? | Would we be better off with zoos?
Are there good reasons to keep zoos? | Are there good reasons to abolish zoos?
Zoos: should they be closed? | Zoos: should they be kept?
"""


@pytest.mark.parametrize("pair", TURNED.strip().split("\n"))
def test_a_question_turned_round_swaps_direction_and_keeps_the_subject(pair):
    one, other = map(read_question, pair.split(" | "))
    assert one.polarity == -other.polarity
    assert {*one.subject} & {*other.subject} & {"zoo", "museum", "intern", "gay", "camera", "drug"}
    assert one.sided
    assert other.sided


PLAIN = ["Should zoos be closed?", "abortion", "Is golf a sport?", "We should fight zoos", "", "?"]


@pytest.mark.parametrize("text", PLAIN)
def test_what_leads_to_nothing_is_read_as_it_was(text):
    assert bare(text) == text
    assert read_question(text) == read_claim(text)


@pytest.mark.thorough
@given(st.text(max_size=200))
def test_any_text_has_a_claim(text):
    claim = read_question(text)
    assert claim.polarity in (-1, 1)
    assert len(claim.text) <= CLAIM_READ
    assert asking(text) in " ".join(text.split())


@pytest.mark.parametrize(
    "text", ["x" * 2000, "🙂🙂 " * 500, "a? " * 600, "Was meinst du? 🙂", ". . ."]
)
def test_odd_questions(text):
    assert read_question(text).polarity in (-1, 1)


def test_in_2000_characters_the_last_question_is_found():
    text = "Some say this and some say that about it. " * 46 + "Should zoos be closed?"
    assert 1900 < len(text) < 2000
    assert read_question(text).subject == ("zoo",)


def test_only_questions_that_are_read_whole_are_remembered():
    claims._read_question.cache_clear()
    question = "Should zoos be closed? " * 200
    assert claims.read_question(question) == claims.read_question(question[:22])
    assert claims._read_question.cache_info().currsize == 1
