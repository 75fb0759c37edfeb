"""The loader is strict: what it does not understand is an error with file, line, key and hint."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path

import pytest

from adjudge.api.inspect import check
from adjudge.core import limits
from adjudge.core.errors import ConfigError, SpecError, UserError
from adjudge.core.judge import Leaf
from adjudge.spec.load import bundled_judges, judge_folder, load_judge
from adjudge.spec.prompt import _criteria
from tests.unit.spec.files import ENGLISH, JUDGE, changed, folder, load

RATING = "clarity: {kind: rating, scale: {min: 1, max: 3, better: higher}}"
BREVITY = "brevity: {kind: rating, scale: {min: 1, max: 3, better: higher}}"
CLAIMS = "clarity: {kind: claims, scale: {min: 1, max: 3, better: lower}, bands: [0, 2]}"
CLAIMS_OUT = "  clarity: clarity.claims\n"


def refused(at: Path, judge: str = JUDGE, english: str | bytes | None = ENGLISH, **others: str) -> UserError:
    with pytest.raises((SpecError, ConfigError)) as caught:
        load(at, judge, english, **others)
    return caught.value


def test_a_right_judge_loads(tmp_path):
    judge = load(tmp_path)
    assert [criterion.name for criterion in judge.criteria] == ["clarity", "brevity", "remark"]
    assert judge.criterion("clarity").scale.labels == {1: "Dark", 2: "Dim", 3: "Clear"}  # type: ignore[union-attr]
    assert judge.fields[0].aliases == ("doc",)
    assert [field.required for field in judge.fields] == [True, True, False]


# what is changed in judge.yaml, the line and the words of the error
STRUCTURE = [
    ("version: 1", "versoin: 1", 2, "unknown key `versoin`", "did you mean `version`?"),
    ("version: 1", "judge: again", 2, "the key `judge` stands twice", "already on line 1"),
    ("version: 1", "version: one", 2, "`version` must be a whole number, not one", "digits only"),
    ("version: 1", "version: 0x1", 2, "must be a whole number, not 0x1", "digits"),
    ("version: 1", "version: 010", 2, "must be a whole number, not 010", "digits"),
    ("version: 1", "version: " + "9" * 5000, 2, "must be a whole number", "digits"),
    ("judge: mine", "judge: My Judge", 1, "`My Judge` is not a judge's name", "small letters"),
    ("judge: mine", "judge: no", 1, "YAML reads no as true or false", 'quotes: "no"'),
    ("judge: mine", "judge: 12", 1, "YAML reads 12 as a number", 'quotes: "12"'),
    ("judge: mine", "judge:", 1, "YAML reads (empty) as nothing", "write the text"),
    ("judge: mine", "judge: [mine]", 1, "`judge` must be text", "one text"),
    ("layout: single", "layout: pairs", 3, "`pairs` is not a layout", "single, compare, batch"),
    ("layout: single", "layout: compare", 5, "exactly one required field of type answers", "type: answers"),
    ("languages: [en]", "languages: en", 4, "`languages` must be a list", "languages: [one, two]"),
    ("languages: [en]", "languages: []", 1, "`languages` is missing or empty", "languages: [en]"),
    ("languages: [en]", "languages: [en, en]", 4, "a language stands twice", "once"),
    ("languages: [en]", "languages: [no]", 4, "YAML reads no as true or false", '"no"'),
    ("languages: [en]", "languages: [english]", 4, "`english` is not a language code", "en, ru"),
    ("languages: [en]", "languages: [../x]", 4, "`../x` is not a language code", "en, ru"),
    ("languages: [en]", 'languages: ["/etc/passwd"]', 4, "is not a language code", "en, ru"),
    ("  note: {type: text, role: output}", "  note: {type: txt, role: output}", 7, "`txt` is not a type", "`text`?"),
    ("  note: {type: text, role: output}", "  note: {rool: output}", 7, "unknown key `rool`", "`role`"),
    ("  note: {type: text, role: output}", "  note: text", 7, "`note` must hold keys of its own", "indent"),
    ("note: {type: text, role: output}", "id: {type: text}", 7, "a field can't be called `id`", "always there"),
    ("note: {type: text, role: output}", "my-note: {}", 7, "a field can't be called `my-note`", "digits and _"),
    ("note: {type: text, role: output}", "note: {role: source}", 5, "two fields have the role source", "keep one"),
    ("also: [doc]", "also: [note]", 7, "the column `note` stands for two fields", "one of them"),
    ("also: [doc]", "also: [id]", 6, "the column `id` stands for two fields", "one of them"),
    ("required: false", "required: no", 8, "`required` must be true or false", "required: true"),
    ("  note: {type: text,", "  note: {type: answers,", 5, "takes no field of type answers", "layout: compare"),
    ("kind: text", "kind: txt", 12, "`txt` is not a kind", "`text`?"),
    ("{kind: text}", "{kind: text, scale: {min: 1, max: 2}}", 12, "unknown key `scale`", "kind, measure"),
    (RATING, RATING.replace("clarity", "no"), 10, "YAML reads the key `no` as true or false", 'quotes: "no"'),
    (RATING, RATING.replace("clarity", "Clarity"), 10, "can't be called `Clarity`", "small letters"),
    (RATING, "clarity: {kind: rating}", 10, "the key `scale` is missing", "add `scale:` here"),
    (RATING, RATING.replace("max: 3", "max: 1"), 10, "`max` must be above `min`", "max: 5"),
    (RATING, RATING.replace("max: 3", "max: 3.5"), 10, "must be a whole number, not 3.5", "digits"),
    (RATING, RATING.replace("max: 3", "max: 2"), 26, "unknown key `3`", "known here: 1, 2"),
    (RATING, RATING.replace("higher", "up"), 10, "`up` is not a better", "higher, lower"),
    (RATING, RATING.replace("higher", "higher, top: 5"), 10, "unknown key `top`", "min, max, better, unit"),
    (RATING, RATING[:-1] + ", bands: [1, 2]}", 10, "`bands` of a rating are for `long: claims`", "long: claims"),
    (RATING, RATING[:-1] + ", weights: [1, 2]}", 10, "unknown key `weights`", "kind, measure, scale"),
    (RATING, RATING.replace("rating", "questions"), 23, "unknown key `labels`", "title, asks"),
    (RATING, RATING.replace("rating", "selection"), 10, "unknown key `scale`", "kind, measure"),
    (RATING, CLAIMS.replace("[0, 2]", "[2, 0]"), 10, "`bands` must be 2 growing numbers", "bands: [0, 2, 5]"),
    (RATING, CLAIMS.replace("[0, 2]", "[0]"), 10, "`bands` must be 2 growing numbers", "bands: [0, 2, 5]"),
    (RATING, CLAIMS.replace("[0, 2]", "[0, 0x2]"), 10, "`bands` must be a whole number, not 0x2", "digits"),
    (RATING, CLAIMS.replace("[0, 2]", "2"), 10, "`bands` must be a list", "[0, 2, 5]"),
    (RATING, CLAIMS.replace(", bands: [0, 2]", ""), 10, "`bands` must be 2 growing numbers", "bands: [0, 2, 5]"),
    ("mean: [clarity, brevity]", "mean: [clarity, depth]", 14, "`depth` is not something to take", "clarity, brevity"),
    (
        "mean: [clarity, brevity]",
        "mean: [clarity, remark]",
        14,
        "`remark` is not something to take",
        "clarity, brevity",
    ),
    ("mean: [clarity, brevity]", "mean: [clarity, clarity]", 14, "names a criterion twice", "mean: [clarity"),
    ("mean: [clarity, brevity]", "mean: []", 14, "the list is empty", "mean: [clarity"),
    ("mean: [clarity, brevity]", "median: [clarity]", 14, "unknown key `median`", "mean"),
    ("{mean: [clarity, brevity]}", "{}", 14, "say one operation", "mean, sum or percent"),
    ("mean: [clarity, brevity]", "mean: [clarity], sum: [clarity]", 14, "say one operation", "mean, sum"),
    ("{mean: [clarity, brevity]}", "{winner: mean_score}", 14, "`winner` needs the compare layout", "compare"),
    ("  mean_score: {mean", "  mean.score: {mean", 14, "can't be called `mean.score`", "small letters"),
    ("  mean_score: {mean", "  brevity: {mean", 14, "can't be called `brevity`", "not the name of a criterion"),
    ("  brevity: brevity\n", "", 16, "`brevity` has no place in the output", "add `brevity: brevity`"),
    ("  brevity: brevity\n", "  brevity: brevity.reason\n", 16, "`brevity` has no place", "add `brevity: brevity`"),
    (
        "  brevity: brevity\n",
        "  brevity: bravity\n",
        17,
        "neither a criterion nor a derived",
        "did you mean `brevity`?",
    ),
    ("  brevity: brevity\n", "  brevity: brevity.why\n", 17, "`brevity` has no part `why`", "score, reason"),
    ("  brevity: brevity\n", "  brevity: brevity.\n", 17, "`brevity` has no part ``", "score, reason"),
    ("  brevity: brevity\n", "  brevity: brevity\n  again: brevity\n", 16, "`brevity` stands twice", "one place"),
    ("  brevity: brevity\n", "  brevity: brevity\n  x: brevity.score\n", 16, "`brevity` stands twice", "one place"),
    (
        "  brevity: brevity\n",
        "  brevity: [brevity]\n",
        17,
        "an array holds the score and the reason",
        "brevity.reason]",
    ),
    ("  brevity: brevity\n", "  brevity: []\n", 17, "an array holds the score and the reason", "brevity.reason]"),
    ("  brevity: brevity\n", "  brevity: [brevity.score, mean_score]\n", 17, "an array holds the score", "reason]"),
    ("  brevity: brevity\n", "  brevity: [brevity.score, clarity.reason]\n", 17, "an array holds the score", "reason]"),
    ("  brevity: brevity\n", "  id: brevity\n", 17, "own key can't be `id`", "item's id"),
    ("  brevity: brevity\n", "  brevity: brevity\n  more: {}\n", 18, "nothing stands here", "remove the key"),
    ("{mean_score: mean_score,", "{mean_score: mean_score.tied,", 18, "`mean_score` has no part `tied`", "write"),
    ("  clarity: clarity\n", "  clarity:\n", 16, "YAML reads (empty) as nothing", "write the text"),
]


@pytest.mark.parametrize(("old", "new", "line", "what", "hint"), STRUCTURE)
def test_wrong_structure_is_named(tmp_path, old, new, line, what, hint):
    error = refused(tmp_path, changed(JUDGE, old, new))
    assert what in error.what
    file = "en.yaml" if line >= 19 else "judge.yaml"
    assert error.where is not None and error.where.split(" ")[0] == f"{tmp_path / file}:{line}"
    assert error.hint is not None and hint in error.hint


WORDS = [
    ("title: Mine", "titel: Mine", 1, "unknown key `titel`", "did you mean `title`?"),
    ("title: Mine", "title: off", 1, "YAML reads off as true or false", '"off"'),
    ("title: Mine", "title: 2024-01-01", 1, "YAML reads 2024-01-01 as a date", '"2024-01-01"'),
    ("title: Mine", 'title: " "', 1, "`title` is empty", "write the text"),
    ("about: A judge for tests.", "merge: once {{format}}", 2, "unknown key `merge`", "title, about"),
    ("      2: Dim\n", "", 24, "the point 2 has no label", "every point from 1 to 3"),
    ("      2: Dim\n", "      2: Dim\n      4: Light\n", 26, "unknown key `4`", "1, 2, 3"),
    ("      2: Dim\n", "      2: Yes\n", 25, "YAML reads Yes as true or false", 'quotes: "Yes"'),
    ("      2: Dim\n", "      2: ~\n", 25, "YAML reads ~ as nothing", "quotes"),
    ("      2: Dim\n", "      2: 2\n", 25, "YAML reads 2 as a number", "quotes"),
    ("      2: Dim\n", "      2: Dim\n      2: Dim\n", 26, "the key `2` stands twice", "line 25"),
    ("      2: Dim\n", "      2: {a: b}\n", 25, "`2` must be text", "one text"),
    ("asks: Is it clear?", "asks: yes", 22, "YAML reads yes as true or false", "quotes"),
    ("asks: Is it clear?", "asks: Is it clear?\n    question: yes", 23, "YAML reads yes as true or false", "quotes"),
    ("asks: Is it clear?", "asks: Is it clear?\n    question: Say yes.", 23, "not one plain question", "end with ?"),
    ("asks: Is it clear?", 'asks: Is it clear?\n    question: "{{note}}?"', 23, "not one plain question", "yes where"),
    ("asks: Is it clear?", f"asks: Is it clear?\n    question: {'so ' * 200}?", 23, "not one plain question", "400"),
    ("asks: One sentence.", "asks: One sentence.\n    question: Good?", 34, "unknown key `question`", "title, asks"),
    ("asks: Is it clear?", "ask: Is it clear?", 22, "unknown key `ask`", "did you mean `asks`?"),
    ("  brevity:\n    title: Brevity", "  brevety:\n    title: Brevity", 20, "the key `brevity` is missing", "add"),
    ("  remark:\n", "  depth: {title: Depth, asks: Deep?}\n  remark:\n", 31, "unknown key `depth`", "clarity, brevity"),
    ("hint: Hint}", "hint: Hint, clue: Clue}", 18, "unknown key `clue`", "article, note, hint"),
    ("{mean_score: Mean}", "{average: Mean}", 34, "unknown key `average`", "mean_score"),
    ("  {{criteria}}\n", "", 3, "the slot {{criteria}} must stand here once", "0 times"),
    ("  {{criteria}}\n", "  {{criteria}} {{criteria}}\n", 3, "must stand here once", "2 times"),
    ("  {{format}}\n", "  {{fromat}}\n", 3, "no field fills the slot {{fromat}}", "did you mean `format`?"),
    ("  Judge the note.\n", "  Judge {{article}}.\n", 3, "no field fills the slot {{article}}", "criteria, format"),
    ("  {{hint}}\n", "  {{hnt}}\n", 9, "no field fills the slot {{hnt}}", "did you mean `hint`?"),
    ("  {{hint}}\n", "  {{Hint}}\n", 9, "`{{Hint}}` opens no slot", "small letters"),
    ("  {{hint}}\n", "  {{hint}\n", 9, "`{{hint}` opens no slot", "a slot is {{name}}"),
    ("  {{hint}}\n", "  {{article.text}}\n", 9, "`{{article.text}}` opens no slot", "{{name}}"),
    ("  {{note}}\n", "  the note\n", 9, "the field `note` has no slot", "add {{note}}"),
    ("  {{note}}\n\n", "  {{note}}\n", 9, "the paragraph with {{hint}} is left out", "blank line"),
]


@pytest.mark.parametrize(("old", "new", "line", "what", "hint"), WORDS)
def test_wrong_words_are_named(tmp_path, old, new, line, what, hint):
    error = refused(tmp_path, english=changed(ENGLISH, old, new))
    assert what in error.what
    assert error.where is not None and error.where.split(" ")[0] == f"{tmp_path}/en.yaml:{line}"
    assert error.hint is not None and hint in error.hint


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("title: Mine", "title: &a Mine", "anchors and aliases"),
        ("title: Mine", "title: *a", "anchors and aliases"),
        ("title: Mine", "title: !!python/object/apply:os.system [echo]", "the tag tag:yaml.org,2002:python"),
        ("title: Mine", "title: !!str Mine", "the tag tag:yaml.org,2002:str"),
        ("title: Mine", "title: !include /etc/passwd", "the tag !include"),
        ("title: Mine", "title: ! Mine", "the tag !"),
        ("title: Mine", "title: " + "[" * 40 + "]" * 40, "nested deeper than 32 levels"),
        ("title: Mine", "title: \x01", "a character that YAML does not allow"),
        ("title: Mine", "title: 'Mine", "not valid YAML"),
        ("title: Mine", "title: Mine: yours", "not valid YAML"),
        ("title: Mine", "\ttitle: Mine", "not valid YAML"),
        ("title: Mine", "? [a, b]\n: c", "a key must be a plain word"),
        ("title: Mine", "<<: {title: Mine}", "unknown key `<<`"),
        ("title: Mine", "title: {{format}}", "`title` must be text"),
    ],
)
def test_what_is_more_than_plain_data_is_refused(tmp_path, old, new, what):
    error = refused(tmp_path, english=changed(ENGLISH, old, new))
    assert what in error.what
    assert error.where is not None and error.where.startswith(f"{tmp_path}/en.yaml:")
    assert error.hint


def test_two_documents_in_a_file_are_refused(tmp_path):
    error = refused(tmp_path, english=ENGLISH + "---\ntitle: again\n")
    assert error.where == f"{tmp_path}/en.yaml:{ENGLISH.count(chr(10)) + 1}"


@pytest.mark.parametrize(
    ("body", "where", "what"),
    [
        (b"", "en.yaml:1", "the file is empty"),
        (b"# only a comment\n", "en.yaml:1", "the file is empty"),
        (b"- a\n- b\n", "en.yaml:1", "must hold `key: value` lines"),
        (b"just text\n", "en.yaml:1", "must hold `key: value` lines"),
        (b"title: a\nabout: \xff\xfe\n", "en.yaml:2", "not UTF-8"),
        (ENGLISH.encode("utf-16"), "en.yaml:1", "not UTF-8"),
        (b"title: " + b"x" * limits.JUDGE_FILE_BYTES, "en.yaml", "larger than 1,000,000 bytes"),
        (b"title: a\nabout: b\x00\n", "en.yaml:2", "a character that YAML does not allow"),
    ],
)
def test_a_file_that_holds_no_judge(tmp_path, body, where, what):
    error = refused(tmp_path, english=body)
    assert (error.where, what in error.what) == (f"{tmp_path}/{where}", True)
    assert error.hint


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path):
    plain = load(tmp_path / "a")
    other = load(tmp_path / "b", english=b"\xef\xbb\xbf" + ENGLISH.replace("\n", "\r\n").encode())
    assert other == plain
    assert other.digest == plain.digest


def test_a_missing_file_of_a_language(tmp_path):
    error = refused(tmp_path, changed(JUDGE, "[en]", "[en, de]"))
    assert (error.where, error.what) == (f"{tmp_path}/de.yaml", "the file does not exist")
    assert error.hint


def test_a_language_that_the_judge_does_not_have(tmp_path):
    folder(tmp_path)
    with pytest.raises(ConfigError, match="no language `ru`") as caught:
        load_judge(tmp_path, lang="ru")
    assert caught.value.hint == "it has: en"


def test_a_language_without_words_of_its_own_is_asked_for_by_its_code(tmp_path):
    from adjudge.spec.wording import words

    judge = load(tmp_path, changed(JUDGE, "[en]", "[de]"), None, de=ENGLISH)
    told = words(judge.lang)
    assert told.language == "the language with the code de"
    assert words("en").language == "English"


@pytest.mark.parametrize("kind", ["link", "loop", "pipe", "folder"])
def test_a_language_file_must_be_a_plain_file_of_the_folder(tmp_path, kind):
    (tmp_path / "secret.yaml").write_text(ENGLISH, encoding="utf-8")
    at = folder(tmp_path / "mine", english=None)
    if kind == "link":
        (at / "en.yaml").symlink_to(tmp_path / "secret.yaml")
    elif kind == "loop":
        (at / "en.yaml").symlink_to(at / "en.yaml")
    elif kind == "pipe":
        os.mkfifo(at / "en.yaml")
    else:
        (at / "en.yaml").mkdir()
    with pytest.raises(SpecError) as caught:
        load_judge(at)
    assert caught.value.where == f"{at}/en.yaml"


@pytest.mark.parametrize("name", ["sumary", "x" * 5000, "a\0b", "../../etc/passwd", "/nowhere"])
def test_an_unknown_judge(name):
    with pytest.raises(ConfigError, match="there is no judge") as caught:
        load_judge(name)
    assert caught.value.hint
    if name == "sumary":
        assert "did you mean `summary`?" in caught.value.hint


def test_what_is_wrong_names_the_folder_once(tmp_path):
    at = folder(tmp_path / "mine")
    (at / "judge.yaml").write_text("judge: [", encoding="utf-8")
    for read in (load_judge, partial(check, lang=None)):
        with pytest.raises(SpecError) as wrong:
            read(str(at))
        assert str(wrong.value.where).startswith(f"{at / 'judge.yaml'}")
        assert str(wrong.value).count(str(at)) == 1


def test_a_folder_without_a_judge(tmp_path):
    with pytest.raises(SpecError, match=r"has no judge\.yaml"):
        load_judge(tmp_path)


def test_a_judge_is_found_by_its_folder_or_its_file(tmp_path):
    folder(tmp_path)
    assert judge_folder(str(tmp_path / "judge.yaml")) == judge_folder(str(tmp_path)) == tmp_path
    assert bundled_judges() == ("rag-answers", "search-summary", "summary", "translation", "translation-mqm")


def test_every_word_of_the_files_changes_the_digest(tmp_path):
    digests = [
        load(tmp_path / "a").digest,
        load(tmp_path / "b", english=changed(ENGLISH, "Is it clear?", "Is it very clear?")).digest,
        load(tmp_path / "c", changed(JUDGE, "[clarity, brevity]", "[brevity, clarity]")).digest,
    ]
    assert len(set(digests)) == 3


NO_OUTPUT = JUDGE[: JUDGE.index("output:")]


def test_without_an_output_every_criterion_has_a_plain_place(tmp_path):
    assert load(tmp_path, NO_OUTPUT).output == {
        "clarity": Leaf("clarity"),
        "brevity": Leaf("brevity"),
        "remark": Leaf("remark", "text"),
        "mean_score": Leaf("mean_score"),
    }


def test_without_an_output_claims_are_asked_for(tmp_path):
    structure = changed(NO_OUTPUT, RATING, CLAIMS)
    structure = changed(structure, "mean: [clarity, brevity]", "mean: [brevity]")
    assert load(tmp_path, structure).output["clarity"] == {
        part: Leaf("clarity", part) for part in ("score", "reason", "claims")
    }


def test_the_score_of_claims_needs_the_claims(tmp_path):
    structure = changed(JUDGE, RATING, CLAIMS)
    structure = changed(structure, "mean: [clarity, brevity]", "mean: [brevity]")
    error = refused(tmp_path, changed(structure, "  clarity: clarity\n", "  clarity: clarity.score\n"))
    assert error.hint == "add `clarity: clarity.claims`"
    error = refused(tmp_path, structure)
    assert "say which part of `clarity`" in error.what
    load(tmp_path, changed(structure, "  clarity: clarity\n", CLAIMS_OUT))


def test_a_mean_of_opposite_directions_is_refused(tmp_path):
    structure = changed(JUDGE, BREVITY, BREVITY.replace("higher", "lower"))
    error = refused(tmp_path, structure)
    assert "high is good" in error.what
    assert "percent" in str(error.hint)
    load(tmp_path, changed(structure, "mean: [clarity", "percent: [clarity"))


@pytest.mark.parametrize(("layout", "kind"), [("compare", "claims"), ("compare", "questions"), ("batch", "text")])
def test_each_layout_holds_its_kinds(tmp_path, layout, kind):
    structure = changed(JUDGE, "layout: single", f"layout: {layout}")
    if layout == "compare":
        structure = changed(structure, "note: {type: text,", "note: {type: answers,")
        structure = changed(structure, RATING, RATING.replace("rating", kind))
    error = refused(tmp_path, structure, ENGLISH + "merge: '{{format}}'\n" if layout == "batch" else ENGLISH)
    assert f"the {layout} layout can't hold a criterion of kind {kind}" in error.what
    assert "rating" in str(error.hint)


def test_a_batch_judge_needs_the_text_of_its_merge(tmp_path):
    structure = changed(JUDGE, "layout: single", "layout: batch")
    structure = changed(structure, "  remark: {kind: text}\n", "")
    structure = changed(structure, ", remark: remark.text", "")
    english = ENGLISH[: ENGLISH.index("  remark:")] + ENGLISH[ENGLISH.index("derived:") :]
    assert "the key `merge` is missing" in refused(tmp_path, structure, english).what
    assert load(tmp_path, structure, english + "merge: Merge. {{format}}\n").merge == "Merge. {{format}}"


def test_a_question_is_one_line_and_may_be_left_out(tmp_path):
    words = "asks: Is it clear?\n    question: |\n      Is it clear\n      to everybody?"
    judge = load(tmp_path, english=changed(ENGLISH, "asks: Is it clear?", words))
    assert judge.criterion("clarity").question == "Is it clear to everybody?"
    assert judge.criterion("brevity").question == ""


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("name", bundled_judges())
def test_what_people_read_of_a_criterion_asks_them_for_no_quotes_and_no_lists(name: str, lang: str):
    """Those who label see `asks`; orders about the reply stand in `answer`, and the model gets both."""
    judge = load_judge(name, lang)
    prompt = {line.strip() for line in _criteria(judge).splitlines()}
    orders = re.compile(r"\b(evidence|quote|cite|list|reason)\b|цитир|обосновани|перечислите", re.IGNORECASE)
    for one in judge.criteria:
        assert {line.strip() for text in (one.asks, one.answer) for line in text.splitlines()} <= prompt
        assert not (one.scored and orders.search(one.asks))
