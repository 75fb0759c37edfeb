"""Looking quotations up: processor time for 300 KB of sources and 100 quotations: python -m bench.quotes

Half of the quotations stand there, some letter for letter and some in other typesetting, the others nowhere: these
cost most, since every source is searched for them in every way. The texts are made here, by seed.
"""

from __future__ import annotations

import random
import time
from collections import Counter

from adjudge.core.records import Source
from adjudge.reply.evidence import locate

CHARS, SOURCES, QUOTES, TIMES = 300_000, 10, 100, 5
WORDS = {
    "English": "the keeper of a harbour clock did not say when storm lamp 1987 or 1.5 miles, and well-known Ilsa",
    "Russian": "смотритель маяка не сказал, когда ещё раз зажгут фонарь: в 1987 году или через 1,5 часа — никто из них",
}


def sources(words: str, chance: random.Random) -> list[Source]:
    """So many texts of random words, of so many characters together."""
    listed, found = words.split(), []
    for number in range(SOURCES):
        text = " ".join(chance.choice(listed) for _ in range(CHARS // SOURCES // 4))
        found.append(Source(id=str(number), text=text[: CHARS // SOURCES]))
    return found


def quotations(given: list[Source], chance: random.Random) -> list[tuple[str, str]]:
    """A quotation and the source that it names."""
    found = []
    for number in range(QUOTES):
        source = chance.choice(given)
        words = source.text.split()
        start = chance.randrange(len(words) - 30)
        quote = words[start : start + chance.randint(6, 20)]
        if number % 4 == 1:
            quote = [word.upper().replace("ё", "е") for word in quote]
        if number % 4 == 2:
            quote[3] = "…"
        if number % 2 == 0:
            quote[-1] = "nowhere"
        found.append((" ".join(quote), source.id))
    return found


def main() -> None:
    print("| texts | 1 quotation, s | 100 quotations, s | found as |\n|---|--:|--:|---|")
    for language, words in WORDS.items():
        chance = random.Random(7)
        first, whole, states = [], [], Counter[str]()
        for _ in range(TIMES):
            given = sources(words, chance)
            asked = quotations(given, chance)
            began = time.process_time()
            found = [locate(asked[0][0], given, [asked[0][1]])]
            first.append(time.process_time() - began)
            found += [locate(quote, given, [named]) for quote, named in asked[1:]]
            whole.append(time.process_time() - began)
            states.update(one.state for one in found if one)
        told = ", ".join(f"{state} {count // TIMES}" for state, count in states.most_common())
        print(f"| {language} | {min(first):.3f} | {min(whole):.3f} | {told} |")


if __name__ == "__main__":
    main()
