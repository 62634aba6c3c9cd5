"""Reading claims: direction and subject."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argsearch.engine.stance.claims import CLAIM_READ, accord, read_claim, read_question

CLAIMS = Path(__file__).with_name("claims.tsv")
"""Claims and questions for and against 264 subjects of debate portals."""
CONCLUSIONS = 4
"""The first texts of each subject are worded as debates word theirs."""

FOR = """
Men and women are more or less equal
Do zoos help to keep species from dying out?
Is the Joker the best villain?
Marijuana should not be banned or restricted
Prostitution should be legalized and regulated
Guns should not and must not be banned
Guns are not bad and should not be banned
Video games do not increase or perpetuate violence
Gay marriage should be legal and gays should not be discriminated against
Banning or restricting guns is wrong
Water is a human right and therefore cannot be owned
Hip replacement surgery is good
Popular vote should replace the electoral college
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
The benefits of vaccines far outweigh their risks
Prohibiting the niqab violates religious freedom
Drug addicts are patients rather than criminals
Cannabis should be legal and strictly regulated
A person who needs marijuana should get it
Is it better to be single than to be in a bad relationship?
It is better to let ten guilty men go free than to have one innocent man punished
Should nonviolent offenders be released from prison?
"""
AGAINST = """
Alcohol is legal and very dangerous
Do guns make crime rates go up?
Can/should we ban guns?
Should/could guns be banned?
Abortion is legal and should be banned
Alcohol is legal and dangerous
Homework is useful and harmful
Cigarettes are legal and kill people
Zoos are bad and should be banned
The electoral college should be abolished and replaced
Should zoos be closed/banned?
Drugs should be illegal and punished
Torture is never justified and should be banned
The death penalty is a waste of time and money and should be abolished
Homework does not help and should be banned
Zoos should be neither funded nor promoted
Should homework be reduced or eliminated?
The draft should be abolished and not reinstated
We should replace the electoral college with a popular vote
The voting age limit should be lowered
Computers cannot replace teachers
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
The costs of a college education outweigh the benefits
Mandatory voting violates individual liberty
High tax rates hurt the economy
Vaping poses a threat to public health
School uniforms stifle individuality
Graffiti is vandalism
Public schools should be free of prayer
Sex education should be left to parents
Raising the minimum wage costs jobs
The growth of the national debt, if not stopped, will bankrupt the nation.
Should nobody be allowed to own a gun?
Who needs a monarchy?
dangers of vaping
Why is homework bad?
Do we eat too much sugar?
Too many tests
Do pupils get to much homework?
Should patients be free to refuse blood transfusions?
Do people have the right to refuse blood transfusions?
Torture is not justified
The end does not justify the means
The war is not just
The death penalty deters nobody from murder
Torture helps nobody in the end
Should children younger than 13 be banned from social media?
Should cars older than ten years be banned?
Should more than two terms be prohibited?
We need to combat terrorism
All animals should be released from zoos
The Iraq war was not just under international law
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


SAME = """
Should the US lift the embargo on Cuba? | The embargo on Cuba should be lifted
Does social media replace real friends? | Social media replaces real friends
Should the Senate be abolished? | A citizens' council should replace the Senate
Should the Senate be abolished? | The Senate should be abolished in favor of a council
Should tablets replace textbooks? | Textbooks should be replaced by tablets
Should we replace textbooks with tablets? | Tablets should replace textbooks
Should textbooks be kept? | Tablets should not replace textbooks
cats | Cats are better than dogs
dogs are better than cats | Dogs beat cats
Is a vegetarian diet better? | A vegetarian diet is better than eating meat
old music is better than new music | The old music is good
gun control | The second amendment should be abolished
Should boys and girls sit in the same classroom? | Mixed-sex schools are good
free trade | Tariffs are harmful
We should defeat the pirates | The pirates should be defeated
Do dogs beat cats? | Dogs are better than cats
Are dogs better than cats? | Dogs are better pets than cats are
Is there any reason to keep the old coin that nobody uses? | The coin is good
Should parents be allowed to beat their kids? | Parents may spank their kids
Should railways be privatized? | Nationalisation of the railways is bad
vegetarian food | Being vegetarian helps more than not being a vegetarian
Can a very sick person get euthanasia? | Euthanasia should be legal
Is there any reason to keep the stamp nobody collects? | Stamps are good
Why can't we visit museums without paying? | Museums should be free
"""
CONTRARY = """
abortion | The Pope is not in favour of abortion
Will people be replaced by robots by 2050? | Robots cannot replace people by 2050
Should the electoral college be kept? | Popular vote should replace the electoral college
Should tablets replace textbooks? | We should not replace textbooks with tablets
cats | Dogs are better than cats
cats are better than dogs | Dogs are better than cats
electric cars | Petrol cars are better than electric cars
Should tap water be drunk? | Bottled water is superior to tap water
Merry Christmas | We should say Happy Holidays, not Merry Christmas
free trade | Protectionism is good
Should boys and girls sit in the same classroom? | Single-sex schools are good
women in combat | Women should not serve in combat roles
Why is there still a queen, can't they just abolish her? | Queens are good
Spirits should be banned outright, not just taxed | Spirits should be legal
"""


@pytest.mark.parametrize("pair", SAME.strip().split("\n"))
def test_two_claims_of_one_direction(pair):
    asked, told = pair.split(" | ")
    assert accord(read_question(asked), read_claim(told)) == 1
    assert accord(read_claim(told), read_question(asked)) == 1


@pytest.mark.parametrize("pair", CONTRARY.strip().split("\n"))
def test_two_claims_of_contrary_direction(pair):
    asked, told = pair.split(" | ")
    assert accord(read_question(asked), read_claim(told)) == -1
    assert accord(read_claim(told), read_question(asked)) == -1


@given(st.text(max_size=100), st.text(max_size=100))
def test_accord_has_no_order_and_agrees_with_itself(one, other):
    one, other = read_claim(one), read_claim(other)
    assert accord(one, other) == accord(other, one)
    assert accord(one, one) == 1


@pytest.mark.thorough
def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def test_five_of_six_conclusions_are_read_on_their_side():
    texts = dict[str, list[dict[str, str]]]()
    for row in read_rows(CLAIMS):
        texts.setdefault(row["subject"], []).append(row)
    right = [
        accord(read_question(subject), read_claim(row["text"])) == int(f"{row['side']}1")
        for subject, rows in texts.items()
        for row in rows[:CONCLUSIONS]
    ]
    assert len(right) > 1_000
    assert sum(right) / len(right) > 0.83


def test_questions_in_everyday_forms_have_their_direction():
    """`stance_forms.tsv`: + where yes is for the subject as debates name it, - where against it."""
    rows = read_rows(Path(__file__).parents[1] / "stance_forms.tsv")
    told = {row["question"]: int(f"{row['side']}1") for row in rows}
    wrong = [asked for asked, side in told.items() if read_question(asked).polarity != side]
    assert (len(told) > 300, wrong) == (True, [])
