"""Which names are names of languages: they can give no orders, so they may stand in a prompt outside the fences."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

#: Scripts and regions that may follow a code: zh-Hans, pt_BR, es-419.
_TAG = re.compile(r"(?P<code>[a-z]{2,3})(?:[-_](?:hans|hant|latn|cyrl|arab|deva))?(?:[-_](?:[a-z]{2}|\d{3}))?", re.I)
#: Where it is spoken or how it is written: "Chinese (Simplified)".
_WITH_PLACE = re.compile(r"(?P<name>[^()]+?) \((?:(?i:simplified|traditional|latin|cyrillic)|(?P<region>[A-Z]{2}))\)")
#: ISO 3166-1, and UK, which many write for GB. In small letters some are words: "no", "to", "is", "do".
_REGIONS = (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV "
    "BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES "
    "ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE "
    "IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY "
    "MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU "
    "NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM "
    "SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UK UM US UY UZ VA VC "
    "VE VG VI VN VU WF WS YE YT ZA ZM ZW"
)


@cache
def _known() -> tuple[frozenset[str], frozenset[str]]:
    text = resources.files(__package__).joinpath("languages.txt").read_text("utf-8")
    codes, names = text.split("\n", 1)[1].split("\n\n")
    return frozenset(codes.split()), frozenset(" ".join(names.split()).split("; "))


def is_language(name: str) -> bool:
    """Whether a name is one of a language, or its code."""
    codes, names = _known()
    if (tag := _TAG.fullmatch(name)) and tag["code"].lower() in codes:
        return True
    placed = _WITH_PLACE.fullmatch(name)
    if placed and placed["region"] and placed["region"] not in _REGIONS.split():
        return False
    return (placed["name"] if placed else name).casefold() in names
