"""Statements are found where somebody says something outright, and nowhere else."""

from __future__ import annotations

from time import process_time

import pytest

from mneme.capture.statement import find_statements, sentences_of

SAID = (
    ("decision", "We decided to use SQLite for the cache."),
    ("decision", "Let's go with Postgres then."),
    ("preference", "I really prefer tabs over spaces."),
    ("preference", "Please always answer in German."),
    ("preference", "My favorite editor is Helix."),
    ("correction", "No, it's port 8443, not 8080."),
    ("correction", "Don't use tables, use lists instead."),
    ("gotcha", "The importer fails silently when paths are not UTF-8."),
    ("gotcha", "Lesson: never restart the gateway during a sync."),
    ("todo", "Remind me to rotate the signing key."),
    ("todo", "I need to renew the certificate before Friday."),
    ("entity", "We got a puppy, her name is Coco."),
    ("fact", "I'm a data analyst and work mostly in Python."),
    ("fact", "My time zone is Europe/Lisbon."),
    ("fact", "I live in Porto with two cats."),
    ("decision", "我们决定用 PostgreSQL。"),
    ("preference", "我不喜欢表格。"),
    ("preference", "以后回答都用中文。"),
    ("correction", "不对，端口是 8443。"),
    ("gotcha", "注意：重启网关之前一定要先备份。"),
    ("todo", "提醒我明天换证书。"),
    ("entity", "我表弟叫张伟。"),
    ("fact", "我住在上海。"),
    ("fact", "我婶婶在广州工作呢。"),
    ("fact", "We moved to Ghent in 2019."),
    ("fact", "Last spring I adopted a greyhound."),
    ("fact", "My sister started nursing school."),
    ("fact", "Our warehouse is in Antwerp."),
    ("fact", "I play badminton every Thursday."),
    ("fact", "I’ve been learning Danish for two years."),
    ("fact", "im allergic to wasps, by the way."),
    ("correction", "It was Ghent, not Bruges."),
    ("correction", "Wait, the office is on the fourth floor."),
    ("correction", "You keep calling it staging, it's production."),
    ("correction", "We don't deploy from laptops any more."),
    ("decision", "We're going with Hetzner for the mail server."),
    ("decision", "The committee voted to keep the old charter."),
    ("decision", "We ended up buying the cheaper scanner."),
    ("gotcha", "Turns out the export skips archived rows."),
    ("gotcha", "The scratch disk gets wiped every night."),
    ("gotcha", "If you rename the folder the watcher drops all events."),
    ("preference", "When you propose a name, give me three options."),
    ("preference", "I'd rather have one long meeting than four short ones."),
    ("preference", "I never eat breakfast."),
    ("todo", "The lease expires in two months."),
    ("todo", "We're driving to Vienna next Friday."),
    ("todo", "Don't let me forget the visa photos."),
    ("entity", "Our new intern is called Amara."),
    ("decision", "我们最后还是选了顺丰。"),
    ("decision", "暂时不上线新版本了。"),
    ("decision", "以后一律用英文命名。"),
    ("correction", "是星期四，不是星期五。"),
    ("correction", "你记错了，我住在五楼。"),
    ("preference", "我习惯先写测试再写代码。"),
    ("todo", "别忘了下班前关掉服务器。"),
    ("todo", "下周二要去体检。"),
    ("gotcha", "日志目录每个月会被清空。"),
    ("fact", "我们去年搬到了厦门。"),
    ("fact", "我每天骑车上班。"),
)
SILENT = (
    "Should we use SQLite?",
    "If I lived in Porto, I'd prefer tabs.",
    "Maybe we should go with Postgres.",
    "Create a hello world function.",
    "Thanks, that's great!",
    "She said \u201cI prefer tabs\u201d.",
    "You always know what to say.",
    "Always happy to help!",
    "No, not really.",
    "> I prefer tabs over spaces.",
    "```\nI prefer tabs over spaces.\n```",
    "我们要不要用 PostgreSQL？",
    "如果我住在上海就好了。",
    "我刚才路过的那个商场是大悦城。",
    "Someone on the list claims that it breaks when you update.",
    "I was thinking about getting a parrot.",
    "Translate this: we moved to Ghent in 2019.",
    "In the film the hero moves to Ghent and opens a bar.",
    "I just ran the script and it printed nothing.",
    "I opened a pull request and started the build.",
    "I'm working on a report and need to find the figures for May.",
    "I had a sandwich.",
    "Oh sure, exactly what I wanted.",
    "“我们决定卖掉房子”是什么意思？",
    "小李说我应该换工作。",
    "我在想要不要换工作。",
    "翻译一下：我们决定用新的方案。",
)


@pytest.mark.parametrize(("kind", "text"), SAID)
def test_what_is_said_outright_is_found(kind: str, text: str) -> None:
    """Each with its kind and its very words."""
    found = find_statements(text, spoken=True)
    assert [one.kind for one in found] == [kind]
    assert found[0].quote == text


@pytest.mark.parametrize("text", SILENT)
def test_what_is_asked_supposed_quoted_or_pleasant_says_nothing(text: str) -> None:
    """A question, a guess, somebody else's words, code and courtesy make no memory."""
    assert find_statements(text, spoken=True) == ()
    assert find_statements(text, spoken=False) == ()


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (
            "decision",
            "- **Decision:** SQLite for the cache, JSON lost writes",
            "SQLite for the cache, JSON lost writes",
        ),
        ("todo", "- [ ] Rotate the signing key", "Rotate the signing key"),
        ("gotcha", "- Lesson learned: the importer needs UTF-8 paths", "The importer needs UTF-8 paths"),
        ("preference", "- Never push to main without a review", "Never push to main without a review"),
        ("todo", "- 待办：更新证书和域名", "更新证书和域名"),
    ],
)
def test_a_note_says_it_with_a_label(kind: str, text: str, said: str) -> None:
    """The label is the kind and no part of the claim."""
    (found,) = find_statements(text, spoken=False)
    assert (found.kind, found.text) == (kind, said)


@pytest.mark.parametrize("text", ["- [x] Rotate the signing key", "- ✅ Rotate the signing key", "Next: none"])
def test_what_is_done_is_no_todo(text: str) -> None:
    """A ticked task, a check mark, and nothing to do."""
    assert find_statements(text, spoken=False) == ()


def test_every_statement_keeps_its_line() -> None:
    """Code between sentences counts its lines, and short forms end no sentence."""
    text = "Hello there.\n\n```\ncode\n```\nI live in Porto, e.g. near the river.\nI prefer tabs."
    assert [(one.line, one.kind) for one in find_statements(text, spoken=True, line=10)] == [
        (15, "fact"),
        (16, "preference"),
    ]
    assert [sentence for _, sentence in sentences_of("Ask Dr. Who. Now.")] == ["Ask Dr. Who.", "Now."]
    assert [sentence for _, sentence in sentences_of("In flat 5. Now.")] == ["In flat 5.", "Now."]


@pytest.mark.parametrize("text", ["1. ", "A. ", "a.", "- ", "`", "<memory>", "I love ", "我喜欢", "> "])
def test_no_text_takes_long(text: str) -> None:
    """Whatever is said over and over is read in time that grows with its length alone."""
    began = process_time()
    find_statements(text * (40_000 // len(text)), spoken=True)
    assert process_time() - began < 2


def test_the_name_of_an_entity_is_told() -> None:
    """So that its fact finds the entity."""
    (found,) = find_statements("张伟明是我的舅舅，其年龄是59岁。", spoken=True)
    assert (found.kind, found.name) == ("entity", "张伟明")
    (found,) = find_statements("My brother's name is Otto.", spoken=True)
    assert (found.kind, found.name) == ("entity", "Otto")
