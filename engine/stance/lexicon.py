"""The words that give a claim its direction, by what they do to the claim's subject matter."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _forms(verbs: str) -> frozenset[str]:
    """Each verb with its regular forms: -s, -d or -ed, -ing (with the consonant doubled too)."""
    forms: set[str] = set()
    for verb in verbs.split():
        base = verb.removesuffix("e")
        stem = base[:-1] + "i" if verb.endswith("y") and verb[-2] not in "aeiou" else base
        forms |= {verb, f"{verb}s", f"{stem}es", f"{stem}ed", f"{base}ing"}
        forms |= {f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing"}
        if verb.endswith("ize"):
            forms |= {form.replace("iz", "is") for form in tuple(forms)}
            forms |= {f"{verb[:-1]}ation", f"{verb[:-3]}isation"}
    return frozenset(forms)


NEGATORS = _words(
    "not no never neither nor without cannot nothing nobody none hardly barely scarcely "
    "against anti"
)
"""Words that turn the direction round."""

EXCESSIVE = "excessive"
"""What "too much" and "too many" are read as, which turns a bare subject too."""

AGAINST = _forms(
    "ban abolish prohibit end abandon stop cancel close oppose limit restrict outlaw criminalize "
    "eliminate remove repeal scrap reject discourage deport repatriate prevent dissolve disband "
    "censor condemn discontinue cease curb combat resist block boycott halt terminate dismantle "
    "deny withdraw ditch drop exclude expel fire fight avoid reduce decrease diminish lessen lower "
    "deter disallow disprove exempt fail lack protest suspend revoke overturn drop refute deport "
    "punish penalize demolish eradicate axe quit relinquish renounce reverse undo replaced lose "
    "refuse forgo"
) | _words(
    "banish banned bans cut cuts cutting forbid forbids forbidden forbidding abolition prohibition "
    "criminalisation elimination removal repeal rejection deportation repatriation fought shut "
    "opposed opposition restriction restrictions limitation abolishment undermine undermines "
    "undermining undermined withdrawn withdrawal denied denies fires fired lost loses losing "
    "voluntary optional exempt exemption exemptions closure prevention reduction rid phased "
    "replaced abandonment"
) - _words("ends fires lacks limits drops")
"""What is done against something, and what makes less of it; two of them undo one another."""

BAD = (
    _words(
        "illegal illegally unlawful wrong bad badly harmful harm harms harmed dangerous danger "
        "dangers unsafe immoral unjust unjustified unfair unethical useless unnecessary pointless "
        "ineffective evil unconstitutional unhealthy detrimental outdated obsolete worthless "
        "impossible unacceptable inhumane inhuman cruel overrated worse worst false fake flawed "
        "broken unsustainable unreliable racist sexist discriminatory expensive costly addictive "
        "toxic criminal offence offense crime crimes felony murder hoax hoaxes myth scam lie lies "
        "threat threats problem problems mistake mistakes failure failures fraud sin sins sinful "
        "burden bane disaster waste wasteful violence violent aggression aggressive bullying "
        "poverty unemployment disease diseases cancer autism death deaths corruption inequality "
        "discrimination terrorism pollution obesity addiction abuse abused suffering stress "
        "stressful negative negatively inferior destructive damaging disadvantage disadvantages "
        "drawback drawbacks ridiculous stupid silly disgusting disgrace unwise foolish risky risk "
        "risks unworkable unfeasible undemocratic unnatural untrue incorrect inappropriate "
        "irrational irresponsible intolerable hateful oppressive oppression injustice unreal "
        "nonsense crap joke terrible horrible awful counterproductive insane barbaric overpriced "
        "misleading hypocritical poison poisonous deadly lethal fatal shameful outlawed unwanted "
        "unimportant irrelevant invalid illogical absurd weak boring lazy slavery genocide theft "
        "cowardly unpatriotic insecure deceptive manipulative exploitative exploitation torture "
        "unreasonable impractical unrealistic unhelpful hazard hazards hazardous disastrous "
        "detriment dysfunctional unjustly unfairly wrongly undesirable unsuitable unworthy"
    )
    | _forms(
        "hurt harm damage destroy kill violate threaten worsen weaken ruin corrupt endanger injure "
        "degrade exploit oppress discriminate pollute poison jeopardize impede hinder hamper "
        "burden suffer devastate erode distort mislead kill"
    )
    | _words("undermining")
    | {EXCESSIVE}
)
"""What something bad is or does; several in one claim count once."""

GOOD = (
    _words(
        "legal legally lawful right good great best better beneficial benefit benefits healthy "
        "safe safer moral just justified fair ethical useful necessary needed essential important "
        "effective constitutional acceptable humane true real valid sustainable reliable positive "
        "superior advantage advantages advantageous helpful mandatory compulsory obligatory "
        "required free available worth worthwhile deserve deserves deserved possible desirable "
        "wise sensible reasonable rational natural normal vital crucial boon blessing improvement "
        "success successful permissible permitted permission freedom prosperity efficient "
        "affordable democratic okay ok deterrent healthier cheaper easier valuable invaluable "
        "ideal proper justifiable justify justifies need needs keep keeps kept let lets win"
    )
    | _forms(
        "legalize decriminalize allow permit support promote encourage adopt introduce subsidize "
        "implement require mandate protect fund increase improve help raise expand enhance defend "
        "restore retain maintain preserve enforce accept approve endorse favor favour embrace "
        "establish encourage continue remain stay strengthen boost work advance provide give "
        "use enjoy prefer respect recognize build save educate exploit "
    )
) - _words("exploited exploiting exploits exploit works")
"""What says that a direction was meant, where nothing turns it."""

MODALS = _words("should must ought shall would will can could may might need")
COPULAS = _words("is are was were be been being has have had does do did am")
QUESTION = (MODALS | COPULAS) - _words("be been being need")
"""Words that a yes-or-no question begins with."""

EFFECTS = _words(
    "cause causes lead leads create creates bring brings reduce reduces decrease decreases "
    "increase increases improve improves prevent prevents affect affects deter deters harm harms "
    "promote promotes make makes contribute contributes"
)
"""Verbs of what something does, by which a clause without auxiliary is known."""
PASSIVE = _words("be been being is are was were get gets got made kept become becomes remain")
BREAKS = _words("because since unless if when while although though whereas but which who where")
"""Words at which a claim's main clause ends."""

FRAMES = (
    r"^(re)?(be it |let it be )?(resolved|resoloved)( that|,|:)*",
    r"^[^:]{1,40}:(?=.{12})",
    r"^(in general|on balance|overall|generally|in my opinion|simply put)\b",
    r"^(this )?house (believes|believe|thinks|holds)( that| in)?\b",
    r"^(this )?house\b",
    r"^(thbt|thb|thw|thw:|th)\b",
    r"^(that|debate|topic|motion|why|how|i (think|believe|say)( that)?|it is time to)\b:?",
    r"^(reasons? (why|to)|yes|proof that|the fact that)\b",
)
"""What stands before a claim and says nothing about it."""

LEADING = (
    r"^((so|but|and|well|now|ok|okay|please|hello|hi|also|then)\b[, ]+)+",
    r"^(do|would|did) (you|we|people) (really |honestly |all )*(think|believe|say|agree|find)\b",
    r"^(i|we) (also |still |just )*(wonder|ask myself|want to know|would like to know)\b",
    r"^((can|could|does) (anyone|someone|you) )?(please )?(tell|explain|know)( to)?( me)?\b",
    r"^(my|the|our) question is\b",
    r"^(what do you think|is it (really )?(true|the case|(about |high )?time|fair to say))\b",
    r"^[,: ]*(whether|if|that|to)\b ?",
    r"^[,: ]+",
)
"""What stands before what is asked, in this order, and asks nothing of its own."""

PARAPHRASES = (
    (r"\bcapital punishment\b", "death penalty"),
    (r"\b(same[- ]sex|homosexual|gay) (marriages?|unions?|couples? marry(ing)?)\b", "gay marriage"),
    (r"\b(homosexuals?|homosexuality|being gay|gays|sexual orientation)\b", "gay"),
    (r"\b((physician|doctor)[- ])?assisted (suicide|dying)\b", "euthanasia"),
    (r"\bmercy killing\b", "euthanasia"),
    (r"\b(end|take)(ing)? (their|his|her|one's|my|our|your) (own )?li(fe|ves)\b", "euthanasia"),
    (r"\bsex[- ]work(ers?)?\b", "prostitution"),
    (r"\b(cannabis|weed|pot)\b", "marijuana"),
    (r"\bglobal warming\b", "climate change"),
    (r"\b(anthropogenic|man[- ]?made)\b", "human caused"),
    (r"\bgun (control( laws?)?|restrictions?|laws?)\b", "restrict gun"),
    (r"\b(firearms?|handguns?|guns)\b", "gun"),
    (r"\b(cell|mobile|smart)[- ]?phones?\b|\bphones\b", "phone"),
    (r"\b(vaccinations?|immuni[sz]ations?|vaccinated?|vaccines|vaccinating)\b", "vaccine"),
    (r"\b(e[- ]?cigarettes?|vapes?|vaping)\b", "ecigarette"),
    (r"\b(cigarettes?|tobacco|smokers?|smoke)\b", "smoking"),
    (r"\b(universit(y|ies)|higher education|colleges)\b", "college"),
    (r"\b(steroids?|doping|performance[- ]enhancing (drugs?|substances)|peds)\b", "steroid"),
    (r"\b(ex-?cons|convicts|prisoners|inmates|criminals)\b", "felon"),
    (r"\b(undocumented|illegal) (immigrants?|aliens|immigration)\b", "undocumented immigrant"),
    (r"\b(spank(ing)?|corporal punishment)\b", "corporal punishment"),
    (r"\b(social networking|social networks?|facebook)( web)?( ?sites?)?\b", "social media"),
    (r"\b(cctv|surveillance|crime|security) cameras?\b", "surveillance camera"),
    (r"\b(ubi|basic income guarantee|guaranteed basic income)\b", "universal basic income"),
    (r"\b(meat[- ]free|vegetarians?|vegetarianism|veggie)\b", "vegetarian"),
    (
        r"\b(eat|eats|eating|consume|consuming) (red )?meat\b|\bmeat[- ]eating\b",
        "abandon vegetarian",
    ),
    (r"\b(animal (experiment(ation|s)?|research|testing)|vivisection)\b", "animal testing"),
    (r"\b(taxed|taxation|taxes|taxing)\b", "tax"),
    (r"\btax[- ]exempt(ions?)?( status)?\b", "exempt tax"),
    (r"\b(pennies)\b", "penny"),
    (r"\b(votes|voted|voting|voters?)\b", "vote"),
    (r"\b(single[- ](sex|gender))\b", "singlesex"),
    (r"\b(teenagers?|teens|youths?|young people)\b", "teen"),
    (r"\bmore harm than good\b", "harmful"),
    (r"\bmore good than harm\b", "beneficial"),
    (
        r"\b(good|right|beneficial|helpful|legal|safe|allowed|boon) or "
        r"(bad|wrong|evil|harmful|illegal|dangerous|banned|bane)\b",
        r"\1",
    ),
    (
        r"\b(bad|wrong|harmful|illegal|dangerous|banned|bane) or "
        r"(good|right|beneficial|helpful|legal|safe|allowed|boon)\b",
        r"\2",
    ),
    (r"\bpros and cons( of)?\b", " "),
    (r"\bcharge (an? )?(admission|entrance|entry)( fees?)?\b", "not be free"),
    (
        r"\b(hit|beat|slap|smack|cane) (the |their )?(pupils|students|children)\b",
        "corporal punishment",
    ),
    (
        r"\b(should|must|needs?|ha(s|ve)) (.{3,60} |to )?(go|go away|vanish|disappear)(?=\W*$)",
        r"\1 \3be abolished",
    ),
    (r"\bdo(ne|es|ing)? away with\b", "abolish"),
    (r"\btoo \w+ (for|to)\b", "bad for"),
    (r"\b(far |way )?too? (much|many)\b", EXCESSIVE),
    (r"\bha(s|ve) (the|a) (legal )?right to\b", "be allowed to"),
    (r"\b(get|gett?ing?|got) rid of\b", "abolish"),
    (r"\b(take|taken|taking) away\b", "remove"),
    (r"\bfight(ing|s)(?= (in|at|on|between|among|is|are|be|should|needs)\b)", "brawls"),
    (r"\bphas(e|ed|ing) out\b", "abolish"),
    (r"\b(bring|brought|bringing) back\b", "restore"),
    (r"\bno (longer|more)\b", "not"),
    (r"\bnot only\b", "also"),
    (r"\b(no|without) (doubt|question)\b", " "),
    (r"\bwhether or not\b", "whether"),
    (r"\b(shouldnt|shoudnt)\b", "should not"),
    (r"\b(dont|doesnt|didnt)\b", "do not"),
    (r"\b(isnt|arent|wasnt|aint)\b", "is not"),
    (r"\b(cant|wont|wouldnt|couldnt)\b", "can not"),
    (r"\bcan't\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\b(sould|shoud|shold|shuold)\b", "should"),
    (r"\b(slow(s|ed|ing)? down|throttl(e|es|ed|ing))\b", "reduce"),
    (r"\b(vote age (to )?be) 1[4-7]\b", r"\1 lowered"),
    (r"\b(drinking age (to )?be) (1[5-9]|20)\b", r"\1 lowered"),
    (
        r"\bwithout ((his|her|their|your|the|a|parents?'?|parental) )+"
        r"(knowing|consent|permission|knowledge|approval|supervision)\b",
        "alone",
    ),
    (r"\b(aloud|alloud|alowed)\b", "allowed"),
    (r"\bsixteen[- ]year[- ]olds?\b", "lowered age"),
    (r"\b16[- ]year[- ]olds?\b", "lowered age"),
    (r"\bhow do you feel about\b|\bwhat (about|do you think (of|about))\b", " "),
)
"""Other words for the same thing, and contractions, written out: (pattern, replacement)."""

EMPTY = _words(
    "a an the of to in on at by for from with as and or it its this that these those there their "
    "his her our your my us we you they he she i me them any all some such very so too more most "
    "than then only just also even ever still yet about into over under between within during "
    "what which who whom whose why how when where if whether because while both each every many "
    "much few other another same own out up down off again once here s t re ve ll d m united "
    "states america american usa uk government federal country countries world people society "
    "today nowadays currently really actually think believe opinion idea thing things way make "
    "makes made get gets take put go become considered having yes versus vs pro con debate "
    "topic argument round resolved please allowed order using laws law reason reasons"
)
"""Words that do not tell what a claim is about."""
