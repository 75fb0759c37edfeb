"""What prose states: the places where a reply names its verdict, and which of them is the one it concludes with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from adjudge.core.errors import Ambiguous, Malformed, NoVerdict, ReplyError, Truncated
from adjudge.reply.denial import is_taken_back
from adjudge.reply.extract import extract
from adjudge.reply.validate import Expected

V = TypeVar("V")

#: What no text goes on with.
NEVER = re.compile(r"(?!)")

#: No one states a verdict this often; looking up each statement in the judged texts would no longer be linear.
STATEMENTS = 200
#: How far a sentence is looked at before and after a statement.
REACH = 160
#: A clause of more words that ends in a comma is over before the statement.
_SHORT_CLAUSE = 2
#: How much of what stands behind the verdict is looked at.
_TAIL = 20_000
#: How much of what stands next to a statement is compared with the judged texts.
NEAR = 24
_FINAL = re.compile(
    r"\b(?:final(?:ly)?|conclusion|conclud\w+|all in all|corrected|revised"
    r"|окончательн\w*|итог\w*|вывод|заключени\w*)\b",
    re.IGNORECASE,
)
_THUS = re.compile(
    r"\b(?:verdict|therefore|thus|hence|overall|so|consequently|accordingly|in sum|in summary|to sum up|as a result"
    r"|based on|вердикт|значит|следовательно|поэтому|таким образом|итак|в целом|в общем|исходя из)\b",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\b(?:correction|actually|wait|scratch that|i take that back|on reflection|on second thoughts?|reconsider\w*"
    r"|let me revise|i revise|i change|i correct|исправля\w+|поправ\w+|вернее|точнее|пересмотр\w+|передумал\w*)\b",
    re.IGNORECASE,
)
#: What the last line may hold before a verdict that a judged text holds too.
_OWN_WORDS = re.compile(
    r"[\s*_`]*(?:(?:my|the|final|overall|verdict|is|so|therefore|итак|мой|итоговый|окончательный"
    r"|вердикт)\b[\s:,*_`—-]*)*",
    re.IGNORECASE,
)
#: Where the clause that leads to a statement begins.
_CLAUSE = re.compile(
    r"[,;—–](?!\s*\Z)|\((?!\w{1,2}\))|(?<!\(\w)(?<!\(\w\w)\)|:\s(?!\s*\Z)|\s-\s|(?<!not )(?<!anything )\b(?:so"
    r"|therefore|thus"
    r"|hence|because|but|and|result(?:s|ing)|earn(?:s|ing)"
    r"|making|leading|indicating|giving|yielding|поэтому|значит|итак|следовательно|но|а|и)\b(?!\s+(?:not|не)\b)",
    re.IGNORECASE,
)
#: Said in that clause, these take the statement away: it is denied, compared with, supposed, shown, or past.
_DENIES = re.compile(
    r"\b(?:not|never|nor|no|none|nobody|nothing|cannot(?!\s+claim\s+that\s+either)|hardly|scarcely|barely|instead"
    r"|rather\s+than|opposed\s+to|other\s+than|anything\s+but"
    r"|refus\w+|declin\w+|reject\w*|rul(?:e|es|ed|ing)\s+out|exclud\w+|eliminat\w+|discard\w*|dismiss\w*|ignor\w+"
    r"|avoid\w*|resist\w*|den(?:y|ies|ied)"
    r"|hesitat\w+|doubt\w*|unsure|wrong(?:ly)?|incorrect(?:ly)?|mistake\w*|disagree\w*|unlike|against|tempt\w+"
    r"|forged?|fake|false(?:ly)?|absurd|unfair"
    r"|dishonest|impossible|far\s+from|short\s+of|less\s+than|more\s+than|below|above|nearly|almost|close\s+to"
    r"|pretend\w*|perhaps|maybe|possibly|might"
    r"|(?:would|could|should)\s+have|wish\w*|hop(?:e|es|ed|ing)|previous(?:ly)?|earlier|initial(?:ly)?"
    r"|original(?:ly)?|at\s+first|first\s+(?:thought|impression|guess|instinct|impulse)"
    r"|used\s+to|was\s+going|examples?|e\.g|drafts?|templates?|formats?|placeholders?|samples?|(?:instructions?"
    r"|prompts?)(?:\s+(?:in|of|inside)(?:\s+\w+){1,2})?\s*(?:is\b|was\b|are\b|:)|hidden|planted|injected|inserted"
    r"|own\s+words"
    r"|не|нет|ни|нельзя|никогда|никто|невозможно|вместо|отказ\w+|отверга\w+|отклоня\w+|исключа\w+|сомнева\w+"
    r"|вряд\s+ли|едва\s+ли|неверн\w+"
    r"|неправильн\w+|ошибочн\w+|ошибк\w+|вопреки|против|далек\w*|почти|прежн\w+|предыдущ\w+|раньше|ранее|сначала"
    r"|пример\w*|например"
    r"|чернов\w+|шаблон\w*|формат\w*|поддельн\w+|возможно|может\s+быть|хотел\w*)\b|n['’]t\b",
    re.IGNORECASE,
)
#: The words of a judge's own that may lead to a verdict in the form asked for; with others it may be anyone's.
_OWN = re.compile(
    r"(?:having|read|учётом|ошибок|however|moreover|additionally|furthermore|finally|still|nevertheless|also|my|i"
    r"|we|our|me|the|a|an|this"
    r"|that|it|its|is|are|be|was|as|to|of|for|in|on|at|by|with|and|or|so|thus|hence"
    r"|therefore|then|now"
    r"|here['’]?s?|s|final(?:ly)?|overall|total|verdict|evaluation|assessment|judge?ment|analysis|decision"
    r"|conclusion|result\w*|answer|choice|winner"
    r"|preference|scores?|scored|scoring|ratings?|rate[ds]?|grades?|marks?|points?|breakdown|gives?|give|giving"
    r"|gets?|get|assign\w*|award\w*|deserves?"
    r"|receives?|earn\w*|choose|chosen|pick|select|prefer|say|conclude|judge|settle|arrive|find|go|am|ll|d|ve|have"
    r"|has|must|will|would|can"
    r"|summary|text|response|output|translation|candidate|assistant|option|model|version|system|article|source"
    r"|provided|given|above|following|below"
    r"|based|considering|after|all|both|everything|reading|weighing|careful|carefully|consideration|comparison"
    r"|review|review\w*|into|account|taking"
    r"|slightly|significantly|much|clearly|far|marginally|somewhat|relatively|same|equal\w*|tie[ds]?|better|best"
    r"|worse|superior|draw|which|because"
    r"|consistency|coherence|fluency|relevance|quality|accuracy|faithful\w*|grounded\w*|complete\w*|correct\w*"
    r"|criteri\w+|scale|out|step|section|part"
    r"|мо[йяёи]\w*|я|мы|итак|итог\w*|окончательн\w+|общ\w+|вердикт\w*|оценк\w+|балл\w*|рейтинг\w*|ответ\w*|выбор\w*"
    r"|вывод\w*|решени\w+|результат\w*"
    r"|вот|это|этот|эта|текст\w*|резюме|перевод\w*|ставлю|поставлю|выбираю|поэтому|значит|следовательно|таким"
    r"|образом|за|по|в|на|с|и|всё|все|даю|считаю"
    r"|победител\w+|[a-z]+(?:ness|ity|ncy|acy)|вариант\w*|лучш\w+|получает|заслуживает|после|исходя|из|целом|[a-z]?\d{0,2})\Z",
    re.IGNORECASE,
)
#: From this rank on a statement has the form asked for, and only a judge's own words lead to it.
_EXACT = 2
_BRACKETED = re.compile(r"\([*_`\s]*\Z")
_ANY_WORD = re.compile(r"[^\W_]+")
#: A lead of so many words before a comma or a colon is a statement of its own.
_LONG_CLAUSE = 6
_SO = re.compile(r"\b(?:so|therefore|thus|hence|поэтому|значит)\b", re.IGNORECASE)
_GIVES_ONE = (
    r"(?:say|giv\w+|output\w*|answer\w*|return\w*|writ\w+|accept\w*|agree\w*|endors\w+|print\w*|produc\w+|follow\w*"
    r"|repeat\w*|think|believe|find"
    r"|see|call|claim(?!\s+that\s+either)|mean|suggest|justify|support|award|assign|скаж\w+|сказать|говор\w+|дам"
    r"|дать|даю|став\w+|постав\w+|выстав\w+|вывод\w+|вывести"
    r"|напи\w+|пис\w+|соглас\w+|счита\w+|дума\w+|полага\w+)"
)
#: Said anywhere in the sentence before a statement: a refusal, or a supposition.
_REFUSES = re.compile(
    r"(?:\b(?:(?<!does )(?<!did )not|never|cannot(?!\s+claim\s+that\s+either)|refuse|decline|wrong|incorrect"
    r"|mistake|не|нельзя|отказываюсь)|(?<!does)(?<!did)n['’]t),?\s+"
    rf"(?:(?!(?:so|therefore|thus|because|but|and|поэтому|но)\b)[^\s;]+\s+){{0,6}}?{_GIVES_ONE}\b"
    r"|\b(?:неверно|неправда|неправильно|сомневаюсь|вряд\s+ли|нельзя),?\s+(?:\w+,?\s+)?(?:что|чтобы|будто|как)\b"
    r"|\b(?:it\s+is|it['’]s|is)\s+(?:\w+\s+)?(?:false|untrue|wrong|doubtful|unlikely|not\s+(?:true|clear"
    r"|the\s+case))\s+that\b",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"(?:(?:\A|[,;:—(])\W*|\b(?:but|and|then|only|even|say|except|or)\s+)(?:if|когда\s+бы)\b"
    r"|\bif\s+(?:(?:it|this|that|the\s+\w+|i|you|one|we)\s+(?:were|was|had|did|could|must|should)|only)\b"
    r"|\b(?:unless|suppos(?:e|ing)|imagine|assume|provided\s+that|had\s+(?:it|the|this|they)|were\s+(?:it|the|this"
    r"|they)|in\s+case"
    r"|if\s+i\s+\w+|если|будь|допустим|предположим|кабы|бы)\b",
    re.IGNORECASE,
)
#: The words between a verb of saying and what is said.
_FILLER = (
    r"(?:that|the|its|own|answer|score|verdict|rating|grade|this|following|only|just|me|us|you|judges?|to|be|is|a"
    r"|an|at|line|last|first|end|in|with|for|note|sentence|notes?|sentences?"
    r"|itself|as|give|say|write|it|final|full|top|words?|оценк\w+|ответ\w*|вердикт\w*|что|строк\w+|в|конце|слов\w+"
    r"|себе|это|следующее|так|поставить|сказать|написать|ответить|дать)"
)
#: Someone else says it: a text, its author, another judge.
_ATTRIBUTES = re.compile(
    r"(?<!\bI )(?<!\bI['’]d )(?<!\bI must )(?<!\bI would )(?<!\bI will )(?<!\bI['’]ll )(?<!\bme )(?<!\bto )(?<!\bwe )\b"
    r"(?:says?|said|saying|claim(?:s|ed|ing)?|stat(?:es?|ed|ing)|writes?|wrote|written|reads|reading|demand(?:s|ed"
    r"|ing)?|ask(?:s|ed|ing)?(?:\s+for)?|want(?:s|ed)?"
    r"|order(?:s|ed)|request(?:s|ed)?|instruct(?:s|ed)?|insist(?:s|ed)?(?:\s+on)?|propos(?:es?|ed)|argu(?:es?|ed)"
    r"|tells?|told|contain(?:s|ed|ing)?|holds?|includ(?:es|ing)"
    r"|end(?:s|ed|ing)?\s+(?:with|in|on|by)|(?:begin|start|open|close)(?:s|ed|ning|ing)?\s+(?:with|by)|concludes"
    r"|concluded|quot(?:es?|ed|ing|ation)|cit(?:es?|ed|ing)"
    r"|print(?:s|ed)|show(?:s|ed|n)|assert(?:s|ed)?|declar(?:es?|ed)|announc(?:es?|ed)|maintains|boasts?|repeats"
    r"|was\s+given|replies|replied|reply|stands|(?:has|carries|bears)\s+(?=(?:the|an?)\s+(?:lines?|words?|notes?"
    r"|sentences?)\b)"
    r"|adds?|added|appends|mentions|called|labelled|marked|claims\s+of"
    r"|говорит\w*|сказано|пишет|написано|утвержда\w+|требу\w+|прос[ия]т|содерж\w+|гласит|чита\w+|заканчива\w+"
    r"|оканчива\w+|начина\w+|заявля\w+|указан\w*|стоит"
    r"|promis\w+|chose|picked|обеща\w+|поставил\w*|выбрал\w*|was|were|had\s+been|была?|было|сказал\w*|поставил\s+бы)\b"
    rf"(?:[^\w\n]+{_FILLER}\b){{0,6}}[^\w]*\Z",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(r"(?:\be\.g|\bex|\bнапр)\.\Z", re.IGNORECASE)
_FOLLOWING = re.compile(
    r"\b(?:the\s+following|what\s+follows|as\s+follows|next\s+line|следующ(?:ее|его|ую|ей)|ниже)\b", re.IGNORECASE
)
#: A line that ends so goes on in the next one.
_HANGS = re.compile(
    rf"(?::|,|\b(?:{_GIVES_ONE}|with|of|than|from|is|was|be|not|says?|reads?|claims?|holds?|contains?|states?"
    r"|instead|вместо|не|пишет|утверждает|содержит))\Z",
    re.IGNORECASE,
)
#: Behind a statement in its sentence, these make it someone else's, supposed, or denied.
_UNDONE = re.compile(
    r"[ \t*_`\"'”»)\]]{0,8}(?:\?|(?:,?[ \t]*)(?:if|unless|were|had|provided|если|будь)\b|[, \t—–(-]{0,4}\b(?:minus|plus"
    r"|less\s+\d|минус|плюс)\b|[ \t]*(?:->|=>|→|⇒)"
    r"|[, \t—–(-]{0,4}\b(?:actually|rather|better|make\s+that|вернее|точнее|лучше)\s+(?:an?\s+)?[\[(]{0,2}(?:\d"
    r"|[A-Z]\d?\b)"
    r"|[, \t—–(-]{0,4}\b(?:no|nope|нет)[,.!:;]|[, \t—–(-]{0,4}\b(?:or|или)\s+(?:an?\s+|perhaps\s+|maybe\s+|rather\s+"
    r"|even\s+|better\s+)?[\[(\"'*]{0,3}(?:\d|[A-Z]\d?\b|not\b|нет\b)"
    r"|[, \t—–(-]{0,4}(?:(?:just|only|merely|as|лишь|только|просто)\s+)?(?:an?\s+)?(?:example|draft|placeholder"
    r"|joke|sample|пример|черновик|шутка)\b"
    r"|,[ \t](?:it|the\s\w+|this|he|she)\s(?:must|needs?|would\s(?:have|need)|should|ought|has\sto)\b"
    r"|[, \t—–-]{0,4}(?:that|this|это)(?:['’]s|\s+is|\s+was)?\s+(?:what|how|то)\b"
    r"|(?:,?[ \t]*)(?:which|that|это|что)\s+(?:\w+\s+){0,2}?(?:wrong|mistaken|too|ignore|reject|not|cannot|never|refuse"
    r"|disregard|неверно|нельзя|слишком)\b"
    r"|[, \t—–-]{0,4}\b(?:says?|claims?|writes?|demands?|asks?|пишет|утверждает|говорит|требует)\s+(?:the|its?|this"
    r"|he|she|they|текст|автор|он)\b"
    r"|[, \t—–-]{0,4}\b(?:the|its|this)\s+(?:text|author|summary|answer|article|document)\s+(?:says|claims|writes"
    r"|demands|asks)\b"
    r"|(?:,?[ \t]*)(?:cannot|can['’]t|isn['’]t|won['’]t|wouldn['’]t|would|could|might|may|нельзя|было\s+бы"
    r"|был[аи]?\s+бы|не)\b"
    r"|(?:,?[ \t]*)(?:is|was|are|seems?|looks?|—?\s*это)\s+(?:\w+\s+)?(?:not|never|hardly|too|wrong|what|out\s+of|far"
    r"|absurd|excluded|ruled|rejected|denied|claimed|demanded|false"
    r"|impossible|unfair|unjustified|undeserved|неверно|ошибка|слишком|перебор|невозможн\w+|не)\b)",
    re.IGNORECASE,
)
#: A text, or a turn, that is not the one judged.
_THING = (
    r"(?:texts?|items?|summar(?:y|ies)|answers?|ones?|translations?|repl(?:y|ies)|versions?|rounds?|cases?|articles?"
    r"|responses?|samples?|candidates?|questions?|tasks?|judges?|criteri\w+|текст\w*|ответ\w*|перевод\w*|резюме"
    r"|пересказ\w*|элемент\w*|верси\w*|раунд\w*|вопрос\w*|задани\w*|критери\w*|судь\w*)"
)
_ANOTHER = (
    r"(?:previous|prior|other|another|next|last|earlier|former|old|different|someone|прошл\w+|предыдущ\w+|друг\w+"
    r"|следующ\w+|прежн\w+|ин(?:ой|ого|ому))"
)
#: A bracket or a phrase right behind a statement, in which it is no verdict, not on this text, or not the judge's own.
_TAKEN = re.compile(
    r"[ \t*_`\"'”»)\]]{0,8}[,;:—–-]?[ \t]{0,3}[(\[]?[ \t*_]{0,3}(?:(?:the|an?|my|this|that|it|is|was|for|from|of|by|as"
    r"|on|in|to|only|just|merely|still|set|left|given|taken|copied|because|per|according|словам|мнению|просьбе|это|по|для|за|от|из|с|как|пока|просто|лишь"
    r"|только|взят[ао]?)\s+){0,4}(?:"
    r"default\w*|placeholder\w*|fallback|filler|dummy|mock|random\w*|arbitrar\w+|guess\w*|tentativ\w+|provisional\w*"
    r"|preliminar\w+|temporar\w+|unverified|unchecked|unsure|uncertain|hypothetical\w*|assumed|template|pending|neutral"
    r"(?=[\s)\].,;]{0,3}(?:\Z|\n|\)|value|number|score))|unknown|void|invalid|rejected|withdrawn|cancell?ed"
    r"|not\s+(?:final|mine|my|real|verified|checked)|to\s+be\s+\w+|tb[dca]\b|todo\b|n/a\b|wip\b"
    r"|not\s+applicable|no\s+(?:text|summary|input|source|data)\b|nothing\s+to|stand-?in|see\s+\w+|не\s+мо[йяё]"
    r"|(?:was|now|before|formerly|perhaps|maybe|probably|possibly|rather|было|стало|теперь|возможно)\s+(?:an?\s+)?\d"
    r"|(?:author|writer|user|prompt|автор|пользовател)\w*(?:['’]s(?:\s+\w+)?)?[\s)\]*_.!]{0,4}(?:\n|\Z)"
    r"|if|unless|assuming|provided|when|если|при\s+условии|будь"
    r"|умолчани\w+|заглушк\w*|наугад|наобум|случайн\w+|условн\w+|предварительн\w+|временн\w+|не\s+провер\w+"
    r"|потолка|гипотетическ\w+|недействительн\w*|отклонен\w*|отменен\w*"
    rf"|{_ANOTHER}\s+(?:\w+\s+)?{_THING}\b"
    r"|(?:old|former|maybe|perhaps|possibly|quoted|cited|sentences|words|lines|paragraphs|стар\w+|возможно|цитата)(?=\s*\))"
    r"|(?:[\w’']+\s+){0,3}(?:requested|demanded|instructed|told|asks?|wants?|demands?|requests?|request|просьб\w+"
    r"|требовани\w+|просит|просил\w*|требует|хочет|велит|велено)(?:\s+(?:by\s+|in\s+)?(?:the|its|сам)?\s*"
    r"(?:author|text|writer|user|prompt|автор\w*|текст\w*))?[\s)\]*_.!]{0,4}(?:\n|\Z)"
    r")(?!\w)",
    re.IGNORECASE,
)
#: A bracket of one word behind a statement: it must grade something.
#: Sentences behind the verdict that turn against it: short ones, in the first person, or on the score.
_SCORE = r"(?:scores?|ratings?|verdict|grade|mark|judge?ment|choice|preference|оценк\w+|вердикт|балл\w*|выбор)"
_BEGINS = r"(?:^|[.!?…\n;]|(?<=[\])\d]) [—–-])[\s*_\"'(>]{0,20}+"
_MOOD = (
    r"(?:(?:but|well|no|hmm+|actually|ok(?:ay)?|so|then|and|yet|now|still|though|sorry|но|нет|так|хм+"
    r"|хотя)[,.\s…:—-]{1,4}){0,3}"
)
_HARD = (
    r"(?:generous|harsh|lenient|kind|strict|severe|hasty|quick|high|low|soft|hard|optimistic|pessimistic|charitable"
    r"|rash|щедр\w*|добр\w*|строг\w*|мягк\w*|высок\w*|низк\w*|поспешн\w*|поторопил\w+)"
)
_TURNS = re.compile(
    rf"{_BEGINS}{_MOOD}(?:"
    r"(?:strike|scrap|cancel|forget|delete|ignore|disregard|undo|drop|revoke|scratch|reverse|retract"
    r"|withdraw)\s+(?:that|this|it|the\s+above|what\s+i|my|all)\b"
    r"|never\s*mind\b|on\s+(?:second|closer|further|reflection|reconsideration)\b|in\s+hindsight|come\s+to\s+think"
    r"|just\s+kidding|(?:i\s+(?:was|am)|that\s+was|only)\s+(?:\w+\s+)?(?:joking|kidding|a\s+joke|sarcasm|irony"
    r"|a\s+test|a\s+typo)|typo\b|psych\b|april\s+fool"
    r"|(?:make|call|change|correct|lower|raise|reduce|cut|drop|bring|put|set|turn|move|downgrade|upgrade|revise"
    r"|adjust|update|edit|fix)\s+(?:that|this|it|the\s+\w+|my\s+\w+)\s+(?:\w+\s+){0,2}?(?:an?\s+)?[\[(*]{0,3}(?:\d"
    r"|[A-Z]\d?\b)"
    r"|(?:edit|update|edited|amend\w*|correct(?:ion|ed)|revis(?:ion|ed)|adjust(?:ed|ment)|fix(?:ed)?|errat\w+|p\.?s"
    r"|change[ds]?|better|rather|поправк\w+|исправл\w+|уточн\w+|правка|измен\w+|корректировка|точнее|вернее"
    rf"|лучше)(?:\s+{_SCORE})?\s*(?:[:—=–-]|to\b)"
    rf"|i(?:['’]m|['’]ve|['’]d|['’]ll)?\s+(?:\w+\s+){{0,4}}?(?:too\s+{_HARD}|{_HARD}\s+there|over-?(?:rat|look|scor"
    r"|estimat|stat)\w+|under-?(?:rat|scor|estimat)\w+|misread\w*|misjudg\w+|mis(?:took|counted|stated|spoke|typed)"
    r"|mistaken|was\s+wrong|am\s+wrong|err(?:ed)?|mistyped)\b"
    rf"|i(?:['’]m|['’]ve|['’]d|['’]ll)?\s+(?:\w+\s+){{0,2}}?(?:lower|rais|reduc|downgrad|upgrad|chang|revis|correct"
    r"|withdraw|retract|revok|reconsider|reject|disown|disavow|regret|tak|adjust|amend|cancel"
    r"|reverse)\w*\s+(?:(?:it|that|this|my|the|back)\b|to\s+\d)"
    rf"|i\s+(?:should|must|have\s+to|need\s+to|ought\s+to|want\s+to)\s+(?:\w+\s+){{0,2}}?(?:lower|raise|reduce"
    r"|change|revise|correct|withdraw|retract|reconsider|have\s+(?:given|said|chosen|put))\b"
    r"|i\s+(?:do\s+not|don['’]t|cannot|can['’]t|would\s+not|wouldn['’]t|won['’]t|no\s+longer)\s+(?:\w+\s+)?(?:stand"
    r"|mean|endorse|agree|accept|believe|give\s+(?:it|that|this)\s+(?:an?\s+)?\d|support\s+(?:that|this|it))\b"
    rf"|(?:that|this|the|my|your)(?:\s+(?:above|first|last|previous|given))?\s+(?:{_SCORE}\s+)?(?:above\s+)?(?:(?:is"
    r"|was|were|seems?|looks?|would\s+be|should\s+be|has\s+to\s+be|cannot|can['’]t|does|did|isn['’]t|wasn['’]t"
    r"|won['’]t)\b|must\s+be\b)\s*"
    rf"(?:\w+\s+){{0,2}}?(?:wrong|incorrect|mistaken?|false|invalid|void|not\s+(?:my|right|what|mine|how|deserved"
    rf"|final)|(?:far\s+)?too\s+{_HARD}|a\s+(?:mistake|typo|slip|draft|joke|test)|an\s+(?:error|example)|not\s+stand"
    r"|stand\b|unfair|unjustified|undeserved)"
    rf"|(?:the|my|that|this)\s+{_SCORE}\s+(?:\w+\s+)?(?:is|was|should|must|ought|needs?|has|cannot|can['’]t"
    rf"|does\s+not|doesn['’]t)\s+(?:\w+\s+){{0,3}}?(?:wrong|lower\w*|higher|changed|corrected|revised|withdrawn"
    r"|reduced|raised|be\s+(?:an?\s+)?\d|stand|count|invalid|void|not)\b"
    r"|(?:it|this|that)\s+(?:should|must|ought\s+to|has\s+to|needs\s+to)\s+(?:\w+\s+)?(?:be"
    r"|have\s+been)\s+(?:an?\s+)?[\[(*]{0,3}(?:\d{1,2}|[A-Z]\d?)\b"
    r"|(?:this|that)(?:['’]s|\s+is|\s+was|\s+does|\s+did)?(?:\s+not|n['’]t)\s+(?:what\s+i|how\s+i|my|hold|stand"
    r"|count|right|it\b|mean)"
    r"|(?:please\s+)?(?:read|take|use|write|count)\s+(?:it\s+as\s+)?(?:an?\s+)?\d{1,2}\b|\d{1,2},?\s+i\s+mean"
    r"|(?:minus|less|subtract|deduct|take\s+off)\s+(?:an?|one|two|three|\d)\b|(?:an?|one|two|three"
    r"|\d)\s+points?\s+(?:off|less|down)\b"
    r"|(?:минус|вычита\w+|вычесть)\s+\w"
    r"|sorry[,.!—-]|let\s+me\s+(?:\w+\s+)?(?:lower|raise|reduce|redo|change|correct|revise|fix|reconsider|retract"
    r"|withdraw|rephrase)\b"
    r"|or\s+(?:is\s+it|not|maybe|perhaps|rather)\b|really\?|not\s*(?:!|\Z|really\b|so\s+fast)|no[.!,:;—-]|nope\b"
    r"|the\s+opposite|the\s+other\s+way\s+(?:a?round)|vice\s+versa"
    r"|(?:but\s+)?i\s+(?:changed|have\s+changed|['’]ve\s+changed)\s+my\s+mind|my\s+(?:mistake|bad|error|apologies)"
    r"|(?:i\s+)?apolog\w+\b|pardon|whoops|oops|error[.!:]"
    r"|зачеркн\w+|вычеркн\w+|забудь\w*|отмен\w+|отбой|неважно|впрочем,\s+(?:нет|\d)|сниж\w+|понижа\w+|повыша\w+"
    r"|снизим|меняю|измен\w+|отзыва\w+|снимаю|не\s+та\b|нет[.,!:—]|шучу|шутка|опечатка|наоборот"
    rf"|(?:я\s+)?(?:был[аи]?\s+)?слишком\s+{_HARD}|я\s+(?:\w+\s+)?(?:переоцени\w+|недооцени\w+|завыси\w+|заниз\w+"
    r"|ошиб\w+|поторопил\w+|погорячил\w+|оговорил\w+|передума\w+|сниж\w+|измен\w+|беру|меняю|исправ\w+|отказ\w+)"
    rf"|(?:эта|моя|такая|эту|этот|мой)?\s*{_SCORE}\s+(?:\w+\s+)?(?:завышен\w*|занижен\w*|неверн\w*|неправильн\w*"
    r"|ошибочн\w*|слишком\s+\w+|должн\w+\s+быть|недействительн\w*)"
    r")",
    re.IGNORECASE,
)
_MANY = r"(?:an?|one|two|three|four|half|\d|один|два|две|три|четыре|пару|пол)"
_LEVEL = r"(?:points?|levels?|notch(?:es)?|steps?|marks?|grades?|stars?|балл\w*|ступен\w+|уровн\w+|пункт\w*)"
_FIGURE = rf"(?:numbers?|figures?|digits?|values?|{_SCORE}|цифр\w+|числ\w+|значени\w+)"
_SHOWN = (
    r"(?:shown|provided|attached|supplied|included|visible|pasted|available|present|показан\w*|предоставлен\w*"
    r"|приложен\w*|прислан\w*|дан\w{0,2}|виден\w*)"
)
_MATERIAL = (
    r"(?:texts?|summar(?:y|ies)|article|document|translation|response|material|content|input|source"
    r"|текст\w*|резюме|стать\w+|перевод\w*|пересказ\w*|документ\w*|материал\w*)"
)
#: Later sentences by which the number is changed, void, from nowhere, on another scale, or on no text at all.
_VOIDS = re.compile(
    rf"{_BEGINS}{_MOOD}(?:"
    r"(?:please\s+)?(?:lower|raise|reduce|increase|cut|drop|decrease|downgrade|upgrade|shift|move|bump|knock|take)\s+"
    rf"(?:it|that|this|the\s+\w+|my\s+\w+)\s+(?:\w+\s+)?(?:by|down|up)\b|take\s+(?:off\s+)?{_MANY}\s+(?:{_LEVEL}\s+)?off"
    rf"|(?:by\s+|на\s+)?(?:{_MANY}\s+)?{_LEVEL}\s+(?:off|less|down|lower|higher|up|more|меньше|ниже|больше|выше)\b"
    rf"|на\s+{_MANY}\s+(?:меньше|ниже|больше|выше)\b|(?:down|up)\s+(?:by\s+)?{_MANY}\b"
    r"|(?:halve|double)\s+(?:it|that|this|the\s+\w+)\b|(?:divide|multiply)\s+(?:it|that|this|the\s+\w+)\s+by\b"
    r"|[^\W\d_]{1,20}(?:\s[^\W\d_]{1,20})?\s?[:=—–-]\s?[*_`]{0,3}(?:rejected|void|withdrawn|invalid|cancell?ed|revoked"
    r"|(?:not|never)\s+(?:accepted|valid|final|approved)|отклонен\w*|отклонён\w*|недействит\w+|отменен\w*"
    r"|отменён\w*|не\s+принят\w*)\b"
    rf"|(?:please\s+)?(?:do\s+not|don['’]t|не)\s+(?:use|count|record|trust|take|rely|используй\w*|учитывай\w*|верьте)\s+"
    rf"(?:on\s+)?(?:it|this|that|my|the\s+{_FIGURE}|это\w*|её|его|{_FIGURE})\b"
    r"|i\s+(?:have\s+|did\s+|could\s+|can\s?|do\s+|was\s+|am\s+)?(?:not|never|(?<=[a-z])n['’]t)\s+(?:\w+\s+)?(?:read|see"
    rf"|seen|open|access|check|checked|shown|given|have)\s+(?:(?:the|any|this|a|an)\s+)?(?:\w+\s+)?{_MATERIAL}\b"
    r"|i\s+(?:have|did|could|ca|do|was)n['’]t\s+(?:\w+\s+)?(?:read|see|seen|open|access|check|checked|shown|given"
    rf"|have)\s+(?:(?:the|any|this|a|an)\s+)?(?:\w+\s+)?{_MATERIAL}\b|without\s+(?:the|any|a)\s+(?:\w+\s+)?{_MATERIAL}\b"
    rf"|я\s+не\s+(?:чита\w+|виде\w+|вижу|провер\w+|откры\w+)\b|без\s+(?:самого\s+)?{_MATERIAL}\b"
    rf"|(?:(?:the|this|that|my|эт[ао]|мо[йя])\s+)?{_FIGURE}\s+(?:means?\s+nothing|has\s+no\s+(?:meaning|value|basis|ground\w*)"
    r"|(?:ничего\s+)?не\s+значит)\b"
    r"|(?:status|state|state\s+of\s+\w+|validity|статус|состояние)(?:\s+\w+)?\s*[:=—–-]\s*[*_`]*(?!(?:final|ok|okay"
    r"|accepted|done|complete\w*|confirmed|valid|approved|finished|success\w*|pass\w*|ready|финал\w*|готово"
    r"|принят\w*|завершен\w*|подтвержд\w*|окончательн\w*)\b)\w"
    r"|(?:none\s+of\s+(?:this|it|that|the\s+above|these)|nothing(?:\s+(?:here|above|of\s+(?:this|it)))?|no(?:thing|ne)?"
    r"\s+(?:fact|claim)s?)\s+(?:was|were|is|has\s+been|have\s+been)\s+(?:\w+\s+)?(?:checked|verified|read|compared"
    r"|meant|real|looked|tested|confirmed\s+by\s+me)\b"
    r"|(?:this|that|it|all\s+of\s+(?:this|it))\s+(?:was|is|has)(?:\s+not|n['’]t)\s+(?:been\s+)?(?:checked|verified|read"
    r"|compared|looked)\b|(?:this|that|it|all\s+of\s+(?:this|it))\s+(?:was|is|went)\s+un(?:checked|verified|read)\b"
    r"|(?:ничего|ничто)\s+(?:из\s+(?:этого|сказанного)\s+)?(?:не\s+)?провер\w+|(?:это|всё\s+это)\s+не\s+провер\w+"
    r"|(?:please|kindly|could\s+you|can\s+you|пожалуйста,?|просьба)\s+(?:\w+\s+)?(?:provide|paste|send|share|attach"
    r"|supply|submit|give\s+me|resend|пришл\w+|предостав\w+|отправ\w+|прилож\w+|дайте|прислать)\b"
    r"|(?:provide|paste|send|attach|supply|пришлите|предоставьте|приложите)\s+(?:me\s+)?(?:the\s+|a\s+)?(?:\w+\s+)?"
    rf"{_MATERIAL}\b"
    rf"|no\s+(?:\w+\s+)?{_MATERIAL}\s+(?:(?:was|were|is|has\s+been|to\s+\w+)\s*)?(?:{_SHOWN}\b|given\b"
    r"(?!\s+(?:for|of|in))|there\b|\W{0,3}(?:\n|\Z))"
    rf"|(?:there\s+(?:is|was)\s+)no\s+{_MATERIAL}(?:\s+(?:here|to\s+\w+|{_SHOWN}))?\W{{0,3}}(?:\n|\Z)"
    rf"|(?:the|this|that)\s+(?:\w+\s+)?{_MATERIAL}\s+(?:itself\s+)?(?:(?:is|was|are|were|seems)\s+(?:missing|absent|lacking"
    rf"|unavailable|(?:not|never)\s+(?:\w+\s+)?{_SHOWN})|(?:is|was)n['’]t\s+{_SHOWN})"
    r"(?=\W{0,3}(?:\n|\Z|so\b|hence\b|to\s+me\b|here\b|\w+\s+the\s+prompt))"
    rf"|(?:сам(?:ого)?\s+)?{_MATERIAL}\s+(?:мне\s+)?(?:не\s+(?:был[аио]?\s+)?{_SHOWN}|{_SHOWN}\s+не\s+был\w*"
    r"|отсутству\w+|нет\W{0,3}(?:\n|\Z))"
    rf"|нет\s+(?:самого\s+)?{_MATERIAL}\W{{0,3}}(?:\n|\Z)"
    rf"|(?:(?:the|this|that|my|our)\s+)?{_FIGURE}\s+(?:(?:above|here|выше)\s+)?(?:itself\s+)?(?:is|was|were|came|comes|stems"
    r"|взят\w*|выбран\w*|поставлен\w*|придуман\w*|получен\w*|случайн\w+|произвольн\w+)\b"
    r"(?:(?<=придуман)|(?<=придумана)|(?<=придумано)|(?<=случайная)|(?<=случайное)|(?<=произвольная)|[^.!?\n]{0,60}?"
    r"\b(?:dice|die|roll\w*|coin|random\w*|air|hat|guess\w*"
    r"|arbitrar\w+|chance|default\w*|neutral|placeholder|invented|lottery|made[\s-]up|nowhere|picked\s+blind\w*"
    r"|meaningless|provisional|tentative|out\s+of\s+\d+|воздух\w*|потолк\w*|наугад|наобум|случайн\w+|произвольн\w+"
    r"|кубик\w*|монет\w*|умолчани\w+|условн\w+|из\s+\d+))"
    rf"|[^.!?\n]{{0,60}}?\b(?:neutral|default|arbitrary|random|placeholder|dummy|made-up|нейтральн\w+|случайн\w+)\s+{_FIGURE}(?<!s)\b"
    r"|(?:note\W{1,3})?(?:(?:the|my|this|our)\s+)?(?:scale|шкала)\s+(?:\w+\s+)?(?:is|was|runs|goes|here|обратн\w+"
    r"|перев[её]рнут\w+|инверс\w+|наоборот)\b"
    r"(?:(?<=ая)|(?<=нута)|(?<=наоборот)|[^.!?\n]{0,60}?(?:\b(?:revers\w+|invert\w+|inverse|backwards|upside|descend\w+"
    r"|other\s+way|opposite|обратн\w+|перев[её]рнут\w+|наоборот)\b))"
    r"|(?:(?:[^\s.!?\d]{1,20}\s+){0,7}?(?:[^\s.!?\d]{1,20}[,:;]|an?|that|think|say|believe|now|then|что|теперь)\s+)?"
    r"[*_]{0,3}(?:\d{1,2}|one|two|three|four|five)[*_]{0,3}\s+(?:fits?|suits?|is"
    r"|seems|feels|looks|would\s+be|sounds|matches|подходит|подош\w+|вернее|точнее|будет|было\s+бы)\s+"
    r"(?:\w+\s+)?(?:better|fair\w*|right|closer|best|more\s+(?:fair|apt|fitting|accurate|appropriate)|apt|appropriate|deserved|justified|лучше|вернее"
    r"|точнее|честнее|справедлив\w+)\b"
    r"|(?:\d{1,2}|one|two|three|four|five)\s+(?:is\s+(?:what|all)|fits|suits)\b"
    r")",
    re.IGNORECASE,
)
#: A short sentence of nothing but another verdict: "No, 1.", "Rather a 2.", «Лучше 2».
_SHORT = re.compile(
    rf"(?:[.!?…;]\s|\n)[\s*_\"'(>.…]{{0,20}}+{_MOOD}(?:(?!(?:confidence|certainty|уверенность|out|of|from|points?"
    r"|lines?|steps?|facts?|parts?|sections?"
    r"|paragraphs?|sentences?|из)\b)"
    r"[^\W\d_]{1,20}(?:['’][^\W\d_]{1,3})?[,:]?[ \t*_—–-]{1,3}){0,4}?"
    r"[\[(*]{0,3}(?P<other>\d{1,2}|(?-i:[A-Z]\d?))[\])*]{0,3}[.!?]?[ *_]{0,4}(?=\n|\Z)",
    re.IGNORECASE,
)
#: In a sentence of a few words that is not about the text, these turn against the verdict before it.
_TURN_WORD = re.compile(
    r"\b(?:placeholder|provisional\w*|preliminary|tentative\w*|(?:an?|my|only|just)\s+draft|unsure|uncertain|guess"
    r"|(?:not"
    r"|never)\s+(?:sure|certain|mean\w*)"
    r"|(?:can(?:not|['’]t)|could\s+not|couldn['’]t)\s+be\s+(?:right|true|correct)|чернов\w+|не\s+увер\w+|наугад"
    r"|retract\w*|withdr[ae]w\w*|disregard\w*|kidding|jok(?:e|ing)|void|null|cancel\w*|undo\w*|scrap\w*|sorry"
    r"|apolog\w+|oops|regret\w*"
    r"|revers(?:e|ed|ing)|revis\w+|reconsider\w*|chang(?:e|ed|ing)|correct(?:ion|ed|ing)|downgrad\w+|upgrad\w+"
    r"|lower\w*|rais(?:e|ed)|reduc\w+|edit(?:ed)?|typo"
    rf"|ignor\w+|wait|too\s+{_HARD}|слишком\s+{_HARD}|зач[её]рк\w+|вычерк\w+|сниж\w+|пониж\w+|пересм\w+|ошиб(?:ся"
    r"|л\w+|к\w+)|верну\w*|отзыв\w+|отмен\w+"
    r"|извин\w+|прост[ии]те|передум\w+|поправ\w+|шут\w+|нет|неправильн\w+|неверн\w+)\b",
    re.IGNORECASE,
)
_ABOUT_TEXT = re.compile(
    r"\b(?:texts?|summar(?:y|ies)|article|document|author|answers?|item|passage|response|output|translation|claims?"
    r"|dates?|facts?|numbers?|names?|it"
    r"|текст\w*|резюме|стать\w+|автор\w*|ответ\w*|перевод\w*|дат[аыу]|факт\w*|он[ао]?|е[ёе]|него|нём|цен[аыу]"
    r"|ошибок|источник\w*)\b",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"(?:<(?:s|del|strike|blockquote)>|<!--)(?:(?!</|-->).)*\Z", re.IGNORECASE)
#: A sentence of more words than these is about something.
_BRIEF = 6
#: Layout that may stand before a statement.
_LEADING = " \t\r\n\xa0*_>#`\"'“«„(["
_SENTENCE_END = re.compile(r"[.!?…](?=[\s*_\"'”»)])|\n")
LINE = re.compile(r"\S[^\n]*")
_LONG_SPACE = re.compile(r"\s{16,}")
_CLOSERS = re.compile(r"[\s.!*_`\"'”»’)\]}>$|<-]*\Z")
_QUOTING = re.compile(r"^[ >#]+", re.MULTILINE)
#: What is compared with a judged text: words, and the signs that make a marked verdict.
_WORDS = re.compile(r"[^\W_]+|[\[<>]")
_ALIKE = str.maketrans("авекмнорстхё", "abekmhopctxе")
_OUT_OF = re.compile(r"\s*(?:/|out\s+of|из)\s*\S+\Z", re.IGNORECASE)
#: Words of a line that leads to the verdict and is the judge's own.
_HERE = re.compile(
    r"\b(?:my|i|here|verdict|evaluation|assessment|judge?ment|analysis|decision|conclusion|result|overall|final|вот"
    r"|мо[йяёи]|вердикт|оценка"
    r"|решение|вывод|итог\w*)\b",
    re.IGNORECASE,
)
#: Words of a line that may tell what stands in the judged text.
_TOLD = re.compile(
    r"\b(?:texts?|summar(?:y|ies)|article|document|author|its?|answers?|item|passage|response|output|translation"
    r"|candidate|end|ends|bottom|top|lines?"
    r"|heading|quot\w+|текст\w*|резюме|стать\w+|автор\w*|ответ\w*|перевод\w*|он[ао]?|конц\w+|строк\w+)\b",
    re.IGNORECASE,
)
#: Behind a statement, these say that it was someone else's.
_REFERS = re.compile(
    r"\b(?:(?:that|this|so|such|it)(?:['’]s|\s+is|\s+are)?\s+(?:all\s+)?(?:what|how|where)?\s*(?:it|the\s+\w+"
    r"|its\s+author|he|she|they)\s+(?:says?|claims?|ends?|writes?|reads?|states?|wants?|demands?)"
    r"|is\s+(?:all\s+)?(?:what|how)\b|(?:says|claims|reads|ends|writes)\s+(?:the|its|so|that|this)\b|(?:of|about"
    r"|on)\s+itself|quot\w+|i\s+(?:can(?:not|['’]t|\s+not)|won['’]t|(?:could|will|would|do)(?:n['’]t|\s+not))"
    r"|так\s+(?:\w+\s+)?(?:сказано|пишет|утверждает)|о\s+себе|цитат\w*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement(Generic[V]):
    """A place that states a verdict. `rank`: 0 vague, 1 within a sentence, 2 in the form asked for, 3 marked up.

    `bare` is a number or letter alone, which any text may hold without being quoted; `last_word` says that to stand
    at the very end makes it the conclusion.
    """

    value: V
    start: int
    end: int
    rank: int = 2
    bare: bool = False
    last_word: bool = False


class Prose:
    """The part of a reply that answers: without the reasoning, and aware of what it may quote."""

    def __init__(self, text: str, expected: Expected) -> None:
        extracted = extract(text)
        # patterns that allow space in several places would try every way to share a long run of it
        self.text = "" if extracted.reasoning else _LONG_SPACE.sub(_squeezed, text[extracted.final_from :])
        self._judged = [_flat(judged) for judged in expected.judged if judged.strip()]

    def sentence(self, start: int) -> str:
        """What stands before a place in its sentence."""
        before = self.text[max(0, start - REACH) : start]
        ends = list(_SENTENCE_END.finditer(before))
        return before[ends[-1].end() :] if ends else before

    def at_end(self, end: int) -> bool:
        return _CLOSERS.match(self.text, end) is not None

    def quoted(self, found: Statement[V]) -> bool:
        """Whether the statement may be one that a judged text makes.

        What a judged text says in the same words counts only as the first or the last thing said, as the prompt asks,
        and only when what stands around it is not from that text, nor about what that text says.
        """
        after = self.text[found.end : found.end + NEAR]
        if found.bare:
            stated = self.text[found.start : found.end] + after.partition("\n")[0]
            return len(_flat(stated)) > NEAR // 2 and self._judged_says(stated, whole=False)
        if not self._judged_says(self.text[found.start : found.end]):
            return False
        before = self.text[max(0, found.start - 2 * NEAR) : found.start]
        own_line = _OWN_WORDS.fullmatch(before.rpartition("\n")[2]) is not None
        last = self.at_end(_sentence_end(self.text, found.end))
        first = _OWN_WORDS.fullmatch(self.text[: found.start][-2 * NEAR :]) is not None and found.start < 2 * NEAR
        if not own_line or not (last or first) or self._told(found):
            return True
        words = _flat(before).split()
        lead = bool(words) and self._judged_says(" ".join(words[-4:]) + " " + self.text[found.start : found.end])
        behind = _flat(self.text[found.end : found.end + 4 * NEAR]).split()[:3]
        trail = len(behind) > 2 and self._judged_says(self.text[found.start : found.end] + " " + " ".join(behind))
        return lead or trail

    def _told(self, found: Statement[V]) -> bool:
        """Whether the line before a statement, or what is said behind it, is about what a text says."""
        if _REFERS.search(self.text, found.end, found.end + REACH) or self.mentions(found):
            return True
        lead = self.lead(found.start)
        if not lead.rstrip().endswith(":"):
            return bool(_ATTRIBUTES.search(lead))
        return bool(_ATTRIBUTES.search(lead)) or bool(_TOLD.search(lead) and not _HERE.search(lead))

    def mentions(self, found: Statement[V]) -> bool:
        """Whether a statement stands in quotation marks, with other words around them."""
        stated = self.text[found.start : found.end]
        before = self.text[max(0, found.start - REACH) : found.start]
        behind = self.text[found.end : found.end + REACH]
        opened = re.search(r"[\"“„«‘][\s*_`]*\Z", before) or re.match(r"[*_`\s]*[\"“„«‘]", stated)
        closed = re.match(r"[\s*_`.!]*[\"”“»’]", behind) or re.search(r"[\"”“»’][*_`\s]*\Z", stated)
        return bool(opened and closed) and any(char.isalpha() for char in before + behind)

    def struck(self, found: Statement[V]) -> bool:
        """Whether a statement stands in a quoted line, is struck out, or is in a comment."""
        line = self.text.rfind("\n", 0, found.start) + 1
        before = self.text[max(line, found.start - REACH) : found.start]
        if self.text[line : line + 8].lstrip()[:1] == ">" or (before.count("~~") % 2 and "~~" in self._rest(found)):
            return True
        return _STRUCK.search(before) is not None

    def _rest(self, found: Statement[V]) -> str:
        return self.text[found.end : found.end + REACH].partition("\n")[0]

    def lead(self, start: int) -> str:
        """The sentence that leads to a statement: its own line, and the one before if that goes on in it."""
        before = self.text[max(0, start - 2 * REACH) : start]
        head = before.rstrip(_LEADING)
        gap = before[len(head) :]
        if head[-1:] in tuple(".!?…") or ("\n" in gap and not _HANGS.search(head[-40:])):
            return ""
        lines = re.split(r"[.!?…](?=[\s\"'”»)*_])|(?<![:,])\s*\n", head)
        return lines[-1] if lines else ""

    def denied(self, found: Statement[V]) -> bool:
        """Whether the words that lead to a statement deny it, suppose it, show it, or say it is someone else's."""
        lead = self.lead(found.start)
        if not lead.strip():
            return self._announced(found.start)
        if _REFUSES.search(_SO.split(lead)[-1]) or _SUPPOSES.search(lead):
            return True
        clause = _CLAUSE.split(lead)[-1]
        if clause.rstrip().endswith((",", ";")) and len(clause.split()) > _SHORT_CLAUSE:
            clause = clause[-1:]
        if _DENIES.search(clause) or _ATTRIBUTES.search(clause):
            return True
        if found.rank < _EXACT:
            ends = lead.rstrip(_LEADING)[-1:]
            return found.rank > 0 and ends in (",", ":") and len(lead.split()) > 1 and _foreign(lead)
        return not _BRACKETED.search(self.text, found.start - 4, found.start) and _foreign(lead)

    def _announced(self, start: int) -> bool:
        """Whether the sentence before announces the statement as one that is not given."""
        before = self.text[max(0, start - 2 * REACH) : start].rstrip(_LEADING)
        if before[-1:] not in tuple(".!"):
            return False
        if _EXAMPLE.search(before):
            return True
        sentence = _SENTENCE_END.split(before[:-1])[-1]
        if re.search(r"\A\W*(?:not|never|не)\b", sentence, re.IGNORECASE) and len(sentence.split()) < 4:
            return True
        return bool(
            _FOLLOWING.search(" ".join(sentence.split()[-3:]))
            and (_DENIES.search(sentence) or _ATTRIBUTES.search(sentence))
        )

    def _judged_says(self, stated: str, *, whole: bool = True) -> bool:
        """Whether a judged text holds the same words: with or without the maximum that the figure is counted out of."""
        words = {_flat(form).strip() for form in (stated, _OUT_OF.sub("", stated))} - {""}
        end = " " if whole else ""
        return any(f" {form}{end}" in judged for form in words for judged in self._judged)


def _foreign(lead: str) -> bool:
    """Whether a lead that goes on in the statement has other words than a judge's own."""
    ended = lead.rstrip(_LEADING + "-•")
    if ended[-1:] in tuple(",;:—–") and len(lead.split()) >= _LONG_CLAUSE:
        return False
    words = _ANY_WORD.findall(_CLAUSE.split(ended.rstrip(",;:—–"))[-1])
    return not all(_OWN.match(word) for word in words)


def _squeezed(run: re.Match[str]) -> str:
    return "\n\n" if "\n" in run[0] else "  "


def _flat(text: str) -> str:
    """The words of a text, each between spaces, without what quoting may change: marks, layout, case, alphabet."""
    text = _QUOTING.sub("", text.replace("&gt;", ">").replace("&lt;", "<")).casefold().translate(_ALIKE)
    return f" {' '.join(_WORDS.findall(text))} "


def _sentence_end(text: str, end: int) -> int:
    """Where the sentence ends that goes on at a place; the place itself where it goes on for long."""
    found = _SENTENCE_END.search(text, end, end + NEAR)
    return found.end() if found else (len(text) if len(text) - end <= NEAR else end)


@dataclass(frozen=True, slots=True)
class Conclusion(Generic[V]):
    """What a reply concludes with; whether it takes back something else; whether it says nothing more."""

    value: V
    corrected: bool
    alone: bool


def conclude(
    prose: Prose, found: Sequence[Statement[V]], finish: str, continued: re.Pattern[str] = NEVER
) -> Conclusion[V]:
    """The value that the reply concludes with; ReplyError when there is none, or two and neither is called final.

    What follows a statement and is `continued` makes it another one than it seems: "5 - 2", "B or C".
    """
    if len(found) > STATEMENTS:
        raise Malformed(f"the reply states a verdict {len(found)} times")
    given = sorted((s for s in found if not prose.quoted(s)), key=lambda s: (s.end, s.start))
    broken = [s for s in given if continued.match(prose.text, s.end) or _taken(prose.text, s.end)]
    denied = [s for s in given if s not in broken and (prose.denied(s) or prose.mentions(s) or prose.struck(s))]
    void = [*broken, *denied]
    spans = _spans(void)
    own = [s for s in given if not any(start <= s.start and s.end <= end for start, end in spans)]
    if not own and broken and len({str(s.value) for s in void}) > 1:
        raise Ambiguous("the reply wavers between two verdicts")
    if not own:
        raise no_verdict(finish)
    top = max(s.rank for s in own)
    best = [s for s in own if s.rank == top]
    pool = best + [s for s in own if 0 < s.rank < top and s.start >= best[-1].end]
    last = max(pool, key=lambda s: s.end)
    rivals = [s for s in pool if s.value != last.value]
    if rivals and not _corrects(prose, rivals, last):
        raise Ambiguous("the reply states two different verdicts, and none is called final")
    if finish != "stop" and _could_go_on(prose.text, last, finish):
        raise Truncated("the reply was cut off in its verdict")
    if any(s.start >= last.end and (s in broken or s.value == last.value) for s in broken + denied):
        raise Ambiguous("the reply states its verdict, and then doubts it")
    if any(s.end <= last.start and not _SENTENCE_END.search(prose.text, s.end, last.start) for s in broken):
        raise Ambiguous("the reply wavers between two verdicts")
    if is_taken_back(prose.text, last.end) or _turned(prose.text, last):
        raise Ambiguous("the reply takes back its verdict, and gives no other")
    alone = not (prose.text[: last.start] + prose.text[last.end :]).strip(" \n\t.*_`\"'()[]")
    return Conclusion(last.value, bool(rivals), alone)


def _taken(text: str, end: int) -> bool:
    """Whether what stands right behind a statement takes it away."""
    return bool(_UNDONE.match(text, end) or _TAKEN.match(text, end))


def _spans(found: Sequence[Statement[V]]) -> list[tuple[int, int]]:
    """Where statements stand, each place once: what stands inside one that does not count does not count either."""
    return list(dict.fromkeys((s.start, s.end) for s in found))


#: What is quoted from a text ends no sentence of the judge's.
_CITED = re.compile(r"\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”|«[^»\n]{0,200}»")


def _turned(text: str, last: Statement[V]) -> bool:
    """Whether what is said behind the verdict turns against it."""
    behind = text[last.end : last.end + _TAIL]
    other = _SHORT.search(behind)
    said = text[last.start : last.end]
    if (
        _TURNS.search(behind)
        or _VOIDS.search(behind)
        or (other and not re.search(rf"(?<!\w){re.escape(other['other'])}(?!\w)", said))
    ):
        return True
    return any(
        len(words) <= _BRIEF and _TURN_WORD.search(sentence) and not _ABOUT_TEXT.search(sentence)
        for sentence in re.split(r"[.!?…\n]", _CITED.sub(" ", behind))
        for words in (_ANY_WORD.findall(sentence[:REACH]),)
        if words and len(sentence) < REACH
    )


def _could_go_on(text: str, last: Statement[V], finish: str) -> bool:
    """Whether the statement ends where the text was cut: "1" may have been "10", and "A" have been "A>B"."""
    return last.end >= len(text.rstrip()) and (finish == "length" or text.rstrip()[-1:].isdigit())


def outer_lines(text: str) -> list[re.Match[str]]:
    """The first line that says something, and the last one if it is another."""
    first = LINE.search(text)
    last = LINE.search(text, text.rfind("\n", 0, len(text.rstrip())) + 1)
    if first is None or last is None:
        return []
    return [first] if first.start() == last.start() else [first, last]


def no_verdict(finish: str) -> ReplyError:
    """The failure of a reply that states none."""
    if finish != "stop":
        return Truncated("the reply was cut off before it stated a verdict")
    return NoVerdict("the reply states no verdict")


def _corrects(prose: Prose, rivals: Sequence[Statement[V]], last: Statement[V]) -> bool:
    if _CORRECTS.search(prose.text, max(r.end for r in rivals), last.start):
        return True
    return drawn(prose, last) > max(drawn(prose, rival) for rival in rivals)


def drawn(prose: Prose, found: Statement[V]) -> int:
    """How much the reply makes of a statement: whether it is called final, or drawn as a conclusion."""
    lead = prose.sentence(found.start) + prose.text[found.start : found.end]
    last_word = found.last_word and prose.at_end(found.end)
    return 2 * bool(_FINAL.search(lead)) + (bool(_THUS.search(lead)) or last_word)
