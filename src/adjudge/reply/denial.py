"""What the words around a verdict make of it: a judge may refuse a verdict that it shows, or take back one it gave.

Nobody can list what a model may say. So the words that lead right to a verdict must be ones that announce it, and a
sentence behind it must be one that speaks of the judged text, or a courtesy. Of all else it is not known that it
leaves the verdict standing, and the model is asked again.
"""

from __future__ import annotations

import re

#: How far before a verdict its sentence is looked at, and how much behind it.
_REACH = 600
_TAIL = 20_000
_LAYOUT = re.compile(r"(?:[\s*_>#`\"'“«(\[]|```[\w-]*|<[\w/|-]{1,20}>)+\Z")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”»)*_]{0,3}\s+|\n+|(?<=\})\s+")
_CLAUSE = re.compile(r"[,;—–()](?!\s*\Z)|\s-\s")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_TOKEN = re.compile(r"\d+(?:[.,/]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_QUOTED = re.compile(
    r"\([^()\n]{0,200}\)|\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»|(?<!\w)'[^'\n]{0,400}'(?!\w)"
)


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


def _vocabulary(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: What a verdict is called.
_NOUN = (
    r"(?:verdicts?|scores?|scoring|ratings?|grades?|marks?|points|evaluations?|assessments?|judge?ments?|outputs?"
    r"|answers?|responses?"
    r"|json|objects?|results?|вердикт\w*|оцен(?:к|ок)\w*|балл\w*|ответ\w{0,3}|результат\w*|вывод\w{0,3})"
)
#: Words that announce a verdict, when no other word does.
_ANNOUNCING = _vocabulary(
    """
    here here's is are are's be it it's its i i'd i'll i'm my we our the a an this that these your of for as in on
    at to by with and so thus therefore hence then now below following follows requested required given asked
    provided specified final overall complete full resulting detailed structured strict valid raw plain single only
    just also accordingly finally output outputs result results verdict verdicts answer answers response evaluation
    evaluations assessment assessments judgment judgement judgments score scores scored scoring rating ratings rate
    rated grade grades marks points review report analysis conclusion summary summaries translation translations
    text texts item items criteria criterion each all both json object format formatted form schema-conform markdown
    code block fence fenced list table jsonl based above per according follow agree say give gives assign assigned
    conclude provide produce return go sure certainly okay ok yes absolutely course understood thanks thank you
    please further ado without any additional explanation needed let's let me us still nevertheless nonetheless
    anyway after careful consideration considering taking everything into account having read compared checked
    assistant model goes putting together summing up wrapping check checks mine own again once more repeat repeated
    step steps self contained end comes come was were been вот моя мой моё мои итоговая итоговый итоговое итоговые
    итог окончательная окончательный окончательные полная полный общая общий оценка оценки оценку оценок вердикт
    вердикты ответ ответы результат результаты вывод заключение резюме перевод перевода переводов пересказ пересказа
    текст текста текстов элемент элемента элементов по на в во с со и для из как к критериям критерию каждому
    каждого всем всех формате формат виде объект объекта нужном требуемом заданном указанном запрошенном следующая
    следующий следующее следующие ниже таким образом поэтому итак значит следовательно потому тогда готово хорошо
    конечно да ставлю даю выставляю оцениваю привожу возвращаю приведена приведён приведены даны дан дана мною мной
    я наш наша шаблону инструкции запросу заданию схеме тексту переводу пересказу резюмирую согласно исходя анализа
    сказанного этого всё же равно однако тем менее списке списком таблица таблице кратко подробно без дополнительных
    пояснений лишних слов
    """
)
#: A clause that begins so gives a ground, and one about the judged text may end in a verdict.
_GROUND = _pattern(
    r"\A\W*(?:(?:and|but|so|и|но)\s+)?(?:because|since|as|given|considering|weighing|taking|despite|based|following"
    r"|due|owing|with|without"
    r"|after|having|overall|therefore|thus|hence|for\s+(?:this|these|that)|in\s+(?:conclusion|sum|summary|short"
    r"|total|all|light|view)"
    r"|так\s+как|поскольку|потому|поэтому|ввиду|из-за|с\s+уч[её]том|учитывая|исходя|несмотря|без|в\s+(?:целом|итоге"
    r"|силу)|итак|итого)\b"
)
#: Said in the sentence that leads to a verdict, any of these makes it another's, a supposed or a denied one.
_VOID = _pattern(
    r"\b(?:not|never|nor|no\s+way|cannot|hardly|scarcely|barely|far\s+from|anything\s+but|refus\w+|declin\w+"
    r"|instead\s+of|rather\s+than"
    r"|opposed\s+to|other\s+than|except|reject\w*|avoid\w*|wrong(?:ly)?|incorrect(?:ly)?|mistaken(?:ly)?|false"
    r"|disagree\w*|unlike|against"
    r"|tempt\w+|forge\w*|fake\w*|would|could|might|should|were\s+it|had\s+it|if|unless|suppos\w+|assum\w+"
    r"|hypothe\w+|imagin\w+|pretend\w*"
    r"|previous(?:ly)?|earlier|initial(?:ly)?|first|former|tentativ\w+|provisional\w*|preliminar\w+|rough|draft\w*"
    r"|example|sample|illustrat\w+"
    r"|template|placeholder\w*|schema|dummy|mock\w*|default\w*|random\w*|expected|ideal\w*|perfect|naive|careless"
    r"|another|other|different"
    r"|opposite|someone|somebody|others|user|author\w*|writer|demand\w*|instruct\w*|order\w*|told|tells?|asks?"
    r"|wants?|request\s+to|trick\w*"
    r"|inject\w*|hidden|planted|claims?|says|said|holds?|contain\w*|attempt\w*|quot\w+|suggest\w*|doubt\w*"
    r"|sarcas\w*|ironic\w*|jok\w+|fiction\w*|imaginary|made-up|deserv\w+|merit\w*|ignor\w+|disregard\w*|such\s+as|e\.g"
    r"|не|нет|ни|нельзя|никогда|едва|вряд|отнюдь|вместо|а\s+не|кроме|отказ\w*|отверга\w+|отклоня\w+|неверн\w+"
    r"|неправильн\w+|ошибочн\w+|ложь"
    r"|ложн\w+|вопреки|против|бы|если|будь|допуст\w+|предполож\w+|гипотет\w+|представ\w+|прежн\w+|предыдущ\w+"
    r"|раньше|ранее|сначала|поначалу"
    r"|изначальн\w*|перв\w+|предварительн\w*|пример\w*|образ(?:ец|цу|ца)|иллюстрац\w*|например|чернов\w*|начерно"
    r"|заготовк\w*|шаблон|схема|случайн\w+"
    r"|умолчанию|поддельн\w+|вымышл\w+|выдуман\w+|идеальн\w+|друг\w+|вчера\w*|сосед\w*|эталон\w*|ин(?:ой|ая|ое)|кто-то"
    r"|невнимательн\w+|автор\w*|пользовател\w+|требует\w*|велит|велено|велел\w*"
    r"|просит|хочет|хотел\w*|пыта\w+|подсказк\w*|внедр\w+|содерж\w+|утвержда\w+|цитат\w*|сомнева\w+|заслужива\w+"
    r"|достоин|достойн\w+|проигнорир\w+|игнорир\w+)\b|n['’]t\b"
)
#: A sentence before a verdict that says that there is none, or that what follows is made up.
_REFUSES = _pattern(
    r"(?:\b(?:I|we)\b(?:\s+\w+){0,3}?\s+(?:cannot|not|unable|refuse|decline|never)|\bI(?:['’]m"
    r"|\s+am)\s+(?:not\s+able|unable)|\b(?:ca|wo|do|could|would|did|is|are)n['’]t)"
    r"\b(?:\s+\S+){0,4}?\s+(?:judge|evaluate|rate|assess|score|grade|assist|help|comply|access|open|see|read"
    r"|determine|verify)\b",
    r"(?:\b(?:not|never|cannot|refuse|decline)|n['’]t)\s+(?:\S+\s+){0,4}?(?:say|giv\w+|output\w*|answer\w*"
    r"|return\w*|writ\w+|print\w*|accept|endorse|produc\w+|follow|comply)"
    r"(?:\s+(?:this|that|these|it|so|such\s+\w+|the\s+(?:following|next|below|verdict)|any\w*|with\s+\w+))?\W*\Z",
    r"\b(?:default|dummy|random|placeholder|arbitrary|made-?\s?up|fictitious|meaningless|sample)\s+(?:values?"
    r"|scores?|numbers?|ratings?|verdict|figures|data)\b",
    r"\b(?:placeholder|filler)s?\b|\bfilling\s+in\s+the\b|\b(?:ignore|disregard|skip)\s+(?:the\s+(?:following|next)"
    r"|what\s+follows|this)\b",
    r"(?<!of )(?<!of the )\b(?:source|text|summary|translation|article|answer)(?:\s+text)?"
    r"\s+(?:is|was|were|has\s+been)\s+(?:missing|empty|absent|unavailable"
    r"|not\s+(?:shown|provided|given|attached|included|available|read))\b(?!\s+(?:an?|the|any|some|in)\b)",
    r"\bno\s+(?:source|text|summary|translation|article)\s+was\s+(?:shown|provided|given|attached)\b"
    r"|\bplease\s+(?:provide|send|supply|attach|paste)\b",
    r"\b(?:источник|текст|пересказ|перевод|статья)\w*\s+(?:отсутству\w+|не\s+(?:был\w*\s+)?(?:показан|прочитан|дан"
    r"|приложен|предоставлен)\w*"
    r"|(?:показан|прочитан|дан|приложен)\w*\s+не\s+был\w*)",
    r"\b(?:under\s+no|in\s+no)\s+(?:circumstances|case|way)\b|\bни\s+в\s+коем\s+случае\b",
    r"\bне\s+(?:могу|смог\w*|буду|стану|в\s+состоянии|умею|способ\w+)\s+(?:\S+\s+){0,3}?(?:оцен\w+|суд\w+|провер\w+"
    r"|прочит\w+|прочесть|выполн\w+|помочь|открыть|увидеть)\b",
    r"\b(?:отказываюсь|не\s+(?:могу|буду|стану|скажу|дам|поставлю|выведу|напишу|ставлю|даю|хочу))\s*(?:\S+\s+){0,3}?"
    r"(?:сказать|говорить|дать|давать|ставить|поставить|выставить|выводить|вывести|написать|писать|оценивать"
    r"|оценить|судить|следующ\w+|это\w*|так\w*)?(?:\s+(?:следующ\w+|это\w*|так\w*))?\W*\Z",
    r"\bзначени\w+\s+(?:по\s+умолчанию|случайн\w+)|\bслучайн\w+\s+(?:значени|числ|балл)\w*|\bзаглушк\w*",
)
_MY = r"(?:my|the|a|an|your|this|that|our)"
#: Behind a verdict: courtesies, and what says that the verdict is one.
_CLOSES = _pattern(
    r"\A\W*(?:please\s+)?(?:let\s+me\s+know|feel\s+free|do\s+not\s+hesitate|don['’]t\s+hesitate)\b",
    r"\A\W*(?:i\s+)?hope\b.{0,40}\b(?:helps?|useful|helpful|clear|need\w*)\b",
    r"\A\W*(?:and\s+)?(?:if|should|in\s+case)\s+(?:you|there|anything|any|needed|necessary"
    r"|it\s+helps)\b(?!.*\b(?:wrong|incorrect|ignore|discard|disregard)\b)",
    r"\A\W*i(?:['’]m|\s+am|['’]d\s+be|\s+would\s+be)?\s*(?:happy|glad)\s+to\b|\A\W*(?:happy|glad)\s+to\b",
    r"\A\W*i\s+(?:can|could)\s+(?:also|further|help|explain|provide|elaborate|revise\s+the\s+(?:summary|text"
    r"|translation|answer))\b",
    r"\A\W*(?:and\s+)?i(?:['’]d|\s+would)\s+(?:also\s+)?(?:like|want)\s+to\s+(?:add?|note|mention|emphasi[sz]e"
    r"|highlight|point\s+out)\b",
    r"\A\W*sorry\s+(?:for|about|if)\s+(?:the\s+(?:length|delay|wait|brevity)|\w+\s+is\s+(?:too|a\s+bit|so)\b)"
    r"|\A\W*thank(?:s|\s+you)\b|\A\W*(?:best|kind)\s+regards\b",
    rf"\A\W*(?:above|below|here|that|this|these|those)(?:['’]s|\s+(?:is|are|was|were))\s+(?:(?:{_MY}"
    rf"|all)\s+)?(?:(?:corrected|valid|requested|required|complete|final"
    rf"|strict|full|overall|whole|end\s+of\s+(?:the|my))\s+){{0,3}}{_NOUN}(?:\s+(?:format|object|for|of|in|on|as"
    rf"|based)\b[^.!?]{{0,80}})?\W*\Z",
    rf"\A\W*(?:(?:{_MY}|these|all|overall)\s+)*{_NOUN}(?:\s+(?:above|here|given))?\s+(?:(?:is|are|was"
    rf"|were)\s+(?:based|justified|explained|grounded|derived|given)"
    r"|reflects?|takes?\s+into\s+account|follows?\s+(?:from|the)|rests?\s+on|shows?|indicates?"
    r"|considers?)\b(?!.*\b(?:wrong|not|never|mistake|error)\b)",
    r"\A\W*(?:and\s+)?that(?:['’]s|\s+(?:is|was))\s+(?:all|it)\b\W*(?:for\s+\w+)?\W*\Z",
    r"\A\W*(?:the\s+)?(?:end|done|ok(?:ay)?|finished|complete|completed|over|stop|eof|eot"
    r"|amen)(?:\s+of\s+(?:the\s+)?(?:\w+\s*){1,2})?\W*\Z",
    r"\A\W*(?:explanations?|reason(?:s|ing)?|justifications?|notes?|rationale|comments?|summary|conclusion|overall"
    r"|details?|strengths|weaknesses|pros|cons"
    r"|analysis|feedback|пояснени[ея]|обосновани[ея]|примечани[ея]|комментари[йи]|вывод|итог|подробно(?:сти)?"
    r"|сильные\s+стороны|слабые\s+стороны)\W*\Z",
    r"\A\W*(?:a\s+few\s+|some\s+|brief\s+)?(?:notes?|remarks?|comments?|explanations?|комментари\w+|пояснени\w+"
    r"|заметки)\s+(?:on|about|for|to|к|по|о)\b[^.!?]{0,60}:\W*\Z",
    r"\b(?:did|have|has)(?:n['’]t|\s+not)\s+(?:reduce|lower|raise|deduct|penali[sz]e|change)\w*\b"
    r"|\bбалл\w*\s+не\s+(?:снижен|повышен|изменен|изменён)\w*\b",
    r"\A\W*(?:the\s+)?(?:evaluation|assessment|analysis|оценка|проверка)\s+(?:is\s+)?(?:complete|done|finished"
    r"|завершена|окончена)\W*\Z",
    r"\A\W*готов\w*\s+(?:пояснить|ответить|уточнить|помочь)\b",
    r"\A\W*(?:надеюсь|если\s+(?:нужн|хотите|требуется|понадоб|вам|есть|потребуется|что)|обращайтесь|спасибо|готово"
    r"|пожалуйста,?\s+(?:сообщите|обращайтесь)"
    r"|дайте\s+знать|с\s+уважением|буду\s+рад|конец|(?:извините|простите|прошу\s+прощения)\s+за\s+(?:длин|задерж"
    r"|объ[её]м|кратк|ожидан))",
    r"\A\W*(?:это|выше|вот)\s+(?:и\s+)?(?:мо[йяиё]\s+)?(?:(?:итогов|окончательн|полн)\w+\s+)?(?:вердикт|оценка"
    r"|оценки|ответ|результат)\W*\Z",
)
#: The judge speaks of itself, of its verdict, of what stands above, or turns against what it said.
_ABOUT_VERDICT = _pattern(
    r"\b(?:i|i['’]\w+|me|my|mine|myself|we|our)\b",
    rf"\b{_NOUN}\b",
    r"\b(?:above|these|those)\b",
    r"\A\W*(?:\w+\W+){1,5}(?:this|that|it)\W*\Z",
    r"\b(?:do\s+not|don['’]t|please|consider|ignore|disregard|discard|forget|strike|scratch|replace|change|use"
    r"|count|make)\s+(?:\w+\s+){0,2}(?:this|that|it|everything|all)\b",
    r"\A\W*(?:this|that|it)(?:['’]s|\s+(?:is|was|were|would|must|may|might|can|could|does|did|doesn|isn|wasn"
    r"|can)(?:not|['’]t)?)\b"
    r"(?!\s+(?:\w+\s+){0,3}(?:text|summary|translation|segment|sentence|source|article|paragraph|style|wording"
    r"|claim|fact|date|name|document|original|piece|story|content)s?\b)",
    r"\A\W*(?:well|hmm+|uh|oh|oops|wait|hold\s+on|stop|(?:but\s+)?no(?=\s*[,.!;:—-]|\s*\Z|\s+(?:wait|that|this|it"
    r"|i)\b)|nope|not\s+(?:so|really|quite|true|final)|actually|rather|sorry|apologies|correction|corrected"
    r"|erratum|errata|edit|edited|update|updated|amend\w*|revis\w+|fix|fixed|scratch|strike|forget|never\s?mind"
    r"|on\s+(?:reflection|second|closer|further)"
    r"|in\s+fact|come\s+to\s+think|kidding|just\s+kidding|instead|better|reconsider\w*|retract\w*|withdr[ae]w\w*"
    r"|draft|provisional|tentative|placeholder|example)\b",
    r"\bshould\s+(?:be|have\s+been)\s+(?:an?\s+|only\s+|at\s+most\s+)?\d(?:[.,]\d+)?\W*\Z"
    r"|\bдолжн\w+\s+быть\s+\d(?:[.,]\d+)?\W*\Z",
    r"\b(?:to\s+be\s+(?:revised|corrected|confirmed|continued|replaced)|start(?:ing)?\s+over|once\s+more"
    r"|try\s+again|null\s+and\s+void)\b",
    r"\b(?:to|is|be|a|read|really|at|reads?)\s+(?:an?\s+)?\d(?:[.,]\d)?\W*(?:\Z|,\s)|\b(?:до|на"
    r"|это)\s+\d(?:[.,]\d)?\W*\Z",
    r"\A\W*(?:(?:ps|nb|p\.s\.?)\W+)?(?:lower|raise|swap|add|subtract|reduce|increase|halve|double)\b|\b(?:swapped"
    r"|mixed\s+up|everywhere|throughout)\b",
    r"\b(?:scale|out\s+of\s+\d+|шкал\w+|dice|midpoint|neutral\s+numbers?|none\s+of\s+this|поменять\s+местами"
    r"|из\s+воздуха|для\s+вида|условн\w+)\b",
    r"\A\W*(?:that|this)\s+(?:block|line|object|card|list|part|message)\b|\b(?:other|another|previous"
    r"|wrong)\s+(?:text|summary|translation|item|segment)\b"
    r"|\b(?:друг|предыдущ|прошл)\w+\s+(?:текст|пересказ|перевод|элемент)\w*\b|\bids?\s+(?:are|were)\b",
    r"\b(?:я|мне|меня|мной|мо[йяёи]|моего|моей|моему|моих|моим|мою|нам|наш\w*|выше\w*|сказанн\w+|написанн\w+"
    r"|сво[йюеи]\w*|собой|себ[ея])\b",
    r"\A\W*(?:(?:хотя|впрочем|но|ой|стоп|так|нет|ну|да)\W+){0,2}(?:нет|стоп|ой|упс|хм+|подожди\w*|погоди\w*"
    r"|поправка|исправл(?:яю|яюсь|ено|яем)|исправленн\w+\s+(?:оценк|балл|вердикт|ответ|верси)\w*|исправ(?:ить|ил"
    r"|ила)\b|уточнени\w+|правильно|верно"
    r"|вернее|точнее|на\s+самом\s+деле|забудь\w*|зачеркн\w+|отмена|отмен(?:яю|ить|ено)|извин\w+|прост(?:ите|и)"
    r"|прошу|передум\w+|перечит\w+|пересм\w+|сниж\w+|пониж\w+|повыш\w+"
    r"|давай\w*|начн[уё]\w*|заново|ещё\s+раз|это\s+(?:\w+\s+)?(?:не\b|неверн|неправ|ошиб|был[аио]?\b|лишь|всего"
    r"|просто|только|пример|чернов|шутк|заготов|предварит|завыш|заниж|значени|слишком)|не\s+(?:так|верно|соглас\w+"
    r"|считается|учитыв\w+|принима\w+)|отказываюсь|беру|считайте|чернов\w+|шутк\w+)",
    r"\b(?:с\s+потолка|наугад|наобум|не\s+стоит\s+(?:\w+\s+)?(?:опираться|доверять|полагаться)|(?:опираться"
    r"|доверять|полагаться)\s+(?:\w+\s+){0,2}не\s+стоит)\b",
    r"\b[а-яё]+(?:йте|ите)\b|\b[а-яё]{2,}(?:аю|яю|ею)(?:сь)?\b|\b(?:велел\w*|велит|приказ\w*|продиктован\w*"
    r"|минимальн\w+|единиц\w+|минимум\w*)\b",
)
#: The judge stands by its verdict, or explains it.
_AFFIRMS = _pattern(
    r"\b(?:follow(?:s|ing)|includ(?:es?|ing)|contain(?:s|ing)|provid(?:es?|ed|ing)|reflect(?:s|ing)?|based\s+on"
    r"|derived|align(?:s|ed)?|ensur(?:es?|ing)|valid|complete|correct"
    r"|as\s+(?:above|requested|required|given)|formatted|connect(?:s|ed)|justif\w+|explain(?:s|ed|ing)?"
    r"|check(?:ed)?|recheck|confirm(?:ed|s)?|verif(?:y|ied)|make\s+sure|stand\s+by"
    r"|note|because|since|due\s+to|gave|given|assigned|awarded|rated|scored|chose|have|has"
    r"|основан\w*|соответству\w+|отража\w+|включа\w+|содерж\w+|потому|поскольку|так\s+как|из-за|поставлен\w*"
    r"|снижен\w*|провер\w+|подтвержда\w+)\b"
)
#: It does not.
_OPPOSES = _pattern(
    r"\b(?:not|no|none|never|nor|cannot|wrong(?:ly)?|incorrect\w*|mistak\w*|invalid|void|error|(?:lower"
    r"|higher)(?!\s+than)|raise|instead|rather|change|replac\w*|should|must|would|ought|too|revise"
    r"|retract\w*|withdr\w+|cancel\w*|rescind|revoke|discard|disregard|ignore|mis(?:read|judged|counted|took|taken"
    r"|understood)|mixed\s+up|i\s+(?:\w+\s+)?(?:invented|guessed)|unable|could\s+not|arbitrary|made\s+up"
    r"|placeholder|draft|example|fake|random|default|dummy|test"
    r"|opposite|overlook\w*|forgot\w*|told|instructed|start\s+over|try\s+again|redo|unsure|doubt|generous|harsh"
    r"|kind|strict|lenient|confus\w+"
    r"|не|нет|ни|ошиб(?:ся|лась|аюсь|очн\w+)|неверн\w+|неправильн\w+|завыш\w+|заниж\w+|отмен\w+|отзыв\w+|замен\w+"
    r"|должн\w+|лишь|чернов\w*|пример|случайн\w+|перепут\w+|передум\w+|погорячил\w+"
    r"|поторопил\w+|щедр\w*|строг\w*|назад|заново|уч[её]л\w*|велел\w*|продиктован\w*)\b|n['’]t\b"
)
_VERDICT = r"(?:that|this|these|those|which|(?:the|my)\s+(?:above|first|previous|verdict|scores?|ratings?|json|answer))"
_VERDICT_RU = r"(?:это|этот|выше|вышеприведённое|(?:мо[йяи]\s+)?(?:оценк[аи]|вердикт|ответ))"
#: Said anywhere behind a verdict, these take it back.
_WITHDRAWS = re.compile(
    rf"\bscratch\s+that|\bon\s+(?:reflection|second\s+thoughts?)|\bi\s+(?:\w+\s+)?(?:reconsider|revise|correct"
    rf"|re-?evaluate|change)\b"
    rf"|\btak(?:e|ing)\s+(?:\w+\s+)?back\b|\btook\s+\w+\s+back\b|\bretract\w*|\bwithdr[ae]w\w*|\bdisregard\b"
    rf"|\bignore\s+(?:it|that|this|the|my|all)\b"
    rf"|\bdiscard\b|\boops\b|\bsorry\b|\bapolog\w+|\bmy\s+(?:mistake|error|bad)\b"
    rf"|\b{_VERDICT}(?:['’]s|\s+(?:is|was|are|were|would\s+be|looks?|seems?|may\s+be|might\s+be))\s+(?:\w+\s+)?"
    rf"(?:wrong|incorrect|mistaken|invalid|false|not\s+(?:my|the|right|correct|true|what|how|valid|final)"
    rf"|an?\s+(?:mistake|error|example|draft|template|placeholder)|too\s+(?:high|low|harsh|lenient|generous|strict)"
    rf"|only\s+an?|just\s+an?)"
    rf"|\bshould\s+(?:have\s+been|(?:\w+\s+)?be\s+(?:an?\s+)?\d)|\blet\s+me\s+(?:redo|fix|correct|revise"
    rf"|change)\s+(?:that|this|it|the|my)\b"
    rf"|\bi\s+(?:made\s+(?:an?|some)\s+(?:mistake|error)|meant|misread|misjudged|miscounted|was\s+wrong)"
    rf"|\bi\s+(?:do\s+not|don['’]t|cannot|can['’]?t|would\s+not|wouldn['’]t|refuse\s+to)\s+(?:\w+\s+)?(?:say|give"
    rf"|endorse|stand|mean|output|agree|accept)"
    rf"|\bnot\s+(?:my|the)\s+(?:final|actual|real|own|verdict|answer)"
    rf"|\b(?:пересматрива\w+|передумал\w*|переоценива\w+|ошиб(?:ся|лась|аюсь)|моя\s+ошибка"
    rf"|беру\s+(?:\w+\s+){{0,2}}(?:назад|обратно)"
    rf"|отзываю|отменяю|не\s+учитывай\w*|игнорируйте|извин\w+|прошу\s+прощения|простите|должн\w+\s+быть\s+\d"
    rf"|исправляю|поправляюсь"
    rf"|{_VERDICT_RU}\s+(?:\w+\s+)?(?:неверн\w+|неправильн\w+|не\s+так\w*|ошиб\w+|не\s+мо[йяи]|слишком\s+\w+|пример"
    rf"|черновик|шаблон)"
    rf"|(?:не\s+так|неверно|неправильно)(?=[.,:!])|не\s+мо[йя]\s+(?:вердикт|оценка|ответ)|отказываюсь)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(r"\{|\n[\s>]*\||\[\s*[\[{\"]")
#: Behind a list: it is not the whole of it.
_INCOMPLETE = _pattern(
    r"\b(?:more|further|additional|other|others|another|remaining|rest|several|too\s+many|omitted|skipp\w+"
    r"|left\s+out|shortened|abbreviated|truncat\w+|only\s+the\s+first"
    r"|etc|and\s+so\s+on|to\s+list|not\s+(?:all|listed|every)|part\s+\d|continued?|ещ[её]|друг\w+|остальн\w+"
    r"|прочи\w+|пропущ\w+|сокращ\w+|не\s+все|слишком\s+много|далее|и\s+т\.)\b"
)
#: Sentences that begin so turn against what the judge itself just said; other words of prose are about the judged text.
_TURNS = re.compile(
    r"(?:^|[.!?…\n])[\s*_\"'(]{0,20}+(?:wait|hold\s+on|oops|scratch\s+that|correction|hmm+|actually,?\s+no"
    r"|no,\s+(?:that|wait|this)"
    r"|on\s+(?:reflection|second\s+thoughts?)|(?:sorry|apologies),\s+(?:I|that|this|my)|let\s+me\s+(?:redo|revise"
    r"|correct|reconsider|re-?evaluate)"
    r"|I\s+(?:take\s+(?:that|it)\s+back|was\s+wrong|made\s+an?\s+(?:mistake|error)|(?:must|need\s+to"
    r"|have\s+to)\s+(?:revise|correct|change))"
    r"|(?:that|this)\s+(?:score|rating|verdict)\s+(?:is|was)\s+(?:wrong|incorrect|a\s+mistake|too\s+\w+)|(?:that"
    r"|this)\s+is\s+wrong"
    r"|стоп|подожди(?:те)?|погоди(?:те)?|поправка|исправляю|поправляюсь|передумал\w*|нет,\s+(?:это|так|не)"
    r"|извините,\s+(?:я|это)|простите,\s+(?:я|это)"
    r"|я\s+ошиб(?:ся|лась)|беру\s+(?:\w+\s+){0,2}(?:назад|обратно)|это\s+(?:неверно|неправильно|ошибка)"
    r"|пересматрива\w+)\b",
    re.IGNORECASE,
)
#: Said last behind a verdict, these announce another one.
_ANNOUNCES = re.compile(
    r"\b(?:correct(?:ion|ed)|revis(?:ed|ion)|updated|fixed|final|true|real|actual|new|better|исправлен\w*"
    r"|исправление|пересмотренн\w+"
    r"|уточн[её]нн\w+|итогов\w+|окончательн\w+|нов\w+|верн\w+)"
    r"(?:\s+(?:verdict|answer|scores?|ratings?|evaluation|json|version|вердикт|ответ|оценк\w+"
    r"|вариант))?[\s*_]*[:—-][\s*_`]*(?:```\w*)?\s*\Z",
    re.IGNORECASE,
)
_TEXT = _pattern(
    r"\b(?:text|summary|article|source|translation|style|стать\w*|текст\w*|пересказ\w*|источник\w*|перевод\w*"
    r"|стил\w*|резюме)\b"
)
#: So few words are a call, not a remark on a text.
_SHORT = 3
#: What may stand right before a verdict and around it: a tag, or marks that strike out, quote or hide.
_MARKED = re.compile(r"(?:<(?P<tag>[\w-]+)[^<>|]{0,40}>|~~|<!--|(?:\A|\n)[ \t]*>)[\s*_`]*(?:```[\w-]*\s*)?\Z")
_OWN_TAGS = _vocabulary(
    """
    answer output result results final final_answer response json verdict evaluation score scores rating ratings code
    pre reply assessment judgement judgment tool_call function_call arguments start_of_turn assistant s bos p div body
    review summary think thinking thought reasoning reflection scratch scratchpad analysis ответ
    оценка вердикт результат
    """
)
#: Named last before a verdict, it is the form that is shown, unless something stands in it.
_FORM = _pattern(
    r"\b(?:format|form|schema|layout|structure"
    r"|формат\w*|схема|структура)(?:\s+(?:ответа|вывода))?(?P<is>\s+(?:is|looks)\b.*)?\W*\Z"
)
_IN_FORM = _pattern(r"\b(?:in|as|per|using|following|according|valid|в|по)\b")
#: Behind a verdict, more than this is a judge that goes on thinking aloud, and only what takes back plainly does.
_REMARK = 600
_TAGS = re.compile(r"</?[\w|-]{1,24}>|<\|[\w ]{1,24}\|>|```[\w-]*|\[/?[A-Z_]{2,12}\]|◁/?\w+▷")


def is_taken_back(prose: str, end: int) -> bool:
    """Whether prose behind a verdict, with no other verdict in it, takes the verdict back or announces another one."""
    behind = prose[end : end + _TAIL]
    return bool(_TURNS.search(behind) or _ANNOUNCES.search(behind[-80:]))


def is_denied(text: str, start: int, since: int = 0) -> bool:
    """Whether the words that lead to a verdict, none of them before `since`, deny that it is one."""
    lead = text[max(since, start - _REACH) : start]
    if (mark := _MARKED.search(lead)) and (mark["tag"] or "").casefold() not in _OWN_TAGS:
        return True  # struck out, quoted, a comment, or under a tag that is none of an answer
    lead = _TAGS.sub("\n", lead)
    layout = _LAYOUT.search(lead)
    gap = layout[0] if layout else ""
    lead = lead[: len(lead) - len(gap)]
    if not lead:
        return False
    if lead.count("«") > lead.count("»") or lead.count("“") > lead.count("”"):
        return True  # it stands in a quotation
    ended = (lead[-1] in ".!?…}]|" and not _is_shown(lead)) or (
        "\n" in gap and lead[-1] != ":" and not _is_heading(lead) and not _GOES_ON.search(lead)
    )
    sentences = [one for one in _SENTENCE.split(lead) if one and one.strip()]
    if not sentences or any(_REFUSES.search(_unquoted(one)) for one in sentences[-3:]):
        return bool(sentences)
    return not ended and not _announces(sentences[-1])


def _is_heading(lead: str) -> bool:
    """Whether the last line is a few words without a mark, as a title is, and no entry of a list."""
    line = lead.rpartition("\n")[2].strip()
    return (
        len(_WORD.findall(line)) <= _SHORT + 1 and ":" not in line and line[:1] not in "-*•+" and not line[:1].isdigit()
    )


def _announces(sentence: str) -> bool:
    """Whether a sentence that goes on in a verdict says that it is the judge's."""
    sentence = _unquoted(sentence)
    *before, last = [part for part in _CLAUSE.split(sentence.rstrip(" :*_`")) if _WORD.search(part)] or [""]
    if (form := _FORM.search(last)) and (form["is"] or not _IN_FORM.search(last)):
        return False
    if set(map(str.casefold, _WORD.findall(last))) <= _ANNOUNCING:
        return not any(_VOID.search(part) and not _GROUND.search(part) and _is_supposed(part) for part in before)
    if _GROUND.search(last):
        return not _is_supposed(last)
    noun = re.search(rf"\b{_NOUN}\b", last, re.IGNORECASE)
    return noun is not None and not _VOID.search(last) and not any(map(_is_supposed, before))


#: Words that no sentence ends with.
_GOES_ON = _pattern(
    r"\b(?:as|is|are|be|to|a|an|the|with|of|say|answer|give|output|return|write|как|это|на|в|с|ставить|поставить"
    r"|написать|вывести|сказать|дать|ответить)\Z"
)
#: What makes all that follows in a sentence a matter of another world, or of somebody else.
_SUPPOSES = _pattern(
    r"\b(?:if|unless|suppos\w+|assum\w+|imagin\w+|pretend\w*|were|would|could|might|hypothe\w+|sarcas\w*|ironic\w*"
    r"|jok\w+|demand\w*|instruct\w*|told|trick\w*|inject\w*|example"
    r"|if\s+only|если|бы|будь|допуст\w+|предполож\w+|представ\w+|велит|велено|велел\w*|требует\w*|пример\w*)\b"
)


def _is_supposed(part: str) -> bool:
    return _SUPPOSES.search(part) is not None


def _unquoted(sentence: str) -> str:
    return _QUOTED.sub(" ", sentence)


def _is_shown(lead: str) -> bool:
    """Whether the last words name what follows as an example."""
    return re.search(r"\b(?:e\.\s?g|i\.\s?e|напр|т\.\s?е)\.\Z", lead, re.IGNORECASE) is not None


def is_withdrawn(text: str, end: int, *, repeated: bool = False, listed: bool = False, part: bool = False) -> bool:
    """Whether what is said behind a verdict, up to the next object or table, takes it back or announces another one.

    Where the same verdict is `repeated` there, announcing it takes nothing back. What is `listed` must also be the
    whole list: what is said behind it must not speak of more. What is said may be `part` of the answer, as behind a
    table.
    """
    other = _OTHER.search(text, end, end + _TAIL)
    behind = _TAGS.sub("\n", text[end : other.start() if other else end + _TAIL])
    sentences = [one for one in _SENTENCE.split(behind) if one and any(map(str.isalnum, one))]
    if sentences and other and behind.rstrip()[-1] not in ".!?…":
        lead = sentences.pop()  # it says what follows: what a text holds, or another verdict
        if not repeated and not _VOID.search(lead) and (lead.rstrip("*_` ").endswith(":") or _announces(lead)):
            return True
    elif sentences and sentences[-1].rstrip("*_` ").endswith(":") and (listed or _is_announcement(sentences[-1])):
        return not repeated
    if repeated or part or len(behind) > _REMARK:
        return _WITHDRAWS.search(behind) is not None
    return any(_turns(one, n == 0) or (listed and _INCOMPLETE.search(one)) for n, one in enumerate(sentences))


def leaves_out(said: str) -> bool:
    """Whether words beside a list say that it is not the whole of it."""
    return not any(map(str.isalnum, said)) or _INCOMPLETE.search(said) is not None


def _is_announcement(sentence: str) -> bool:
    """Whether a sentence that nothing follows was to lead to another verdict."""
    return not _CLOSES.search(sentence) and (_announces(sentence) or _ABOUT_VERDICT.search(sentence) is not None)


def _turns(sentence: str, first: bool) -> bool:
    """Whether a sentence behind a verdict may turn against it; a call of few words stands `first`."""
    if _CLOSES.search(sentence):
        return False
    said = _unquoted(sentence)
    if _REFUSES.search(said):
        return True
    words = _TOKEN.findall(said)
    entry = sentence.lstrip()[:1] in "-*•+#|" or sentence.rstrip(" *_`").endswith(":")
    if first and words and len(words) <= _SHORT and not entry and not _TEXT.search(said):
        return True
    if words and not _ABOUT_VERDICT.search(said):
        return False
    return not _AFFIRMS.search(said) or _OPPOSES.search(said) is not None
