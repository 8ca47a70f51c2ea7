"""Is a selector text only? Beyond the vectors: unions, XPath logic, chains, and what is hostile."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confidence.domain.selector import is_closed, is_ref, is_text_only, split_chain

STRUCTURAL = [
    # attributes, however they are written
    "[id=save]",
    "[id]",
    "[data-test-id^=x]",
    "[data-test='x']",
    "[aria-labelledby=title]",
    "[ARIA-Label='Close']",
    "[ role = 'button' ]",
    "[*|role=button]",
    "[role|=button]",
    r"[data\-testid=x]",
    r"[\69 d=x]",
    r"#a\#b",
    "*#save",
    # unions
    "#a, #b",
    "#a, [role=button]",
    ":is(#a, [role=button])",
    ":where(#a) button",
    "button:IS(#a)",
    ":is(:is(#a), #b)",
    ":not(.x)#a",
    ":nth-match(#list button, 2)",
    # combinators
    "#a + button",
    "#a ~ button",
    "#a>button",
    # engines and chains
    "aria-ref=e12",
    "id:light=save",
    "css:light=#a",
    'internal:role=button[name="Save"i]',
    'internal:testid=[data-testid="x"s]',
    'internal:label="Name"i',
    'internal:attr=[aria-label="x"i]',
    'button >> internal:and="#x"',
    '#x >> internal:or="[role=button]"',
    'button >> internal:chain="#x"',
    "button >> id=x",
    "#list >> nth=2 >> visible=true",
    "#list >> xpath=..",
    "text=it's >> #x",
    "iframe >> internal:control=enter-frame >> #x",
    "#list >> *css=li >> text=Milk",
    # XPath
    "xpath=//a[@role='x']",
    "(//a[@id='x'])[2]",
    "//form[@id='f']//input[1]",
    "//*[@id='x']/..",
    "//a[@class='y' and @id='x']",
    "//a[@id='x' or @role='y']",
    "//a[@id='x'] | //a[@role='y']",
    "//a[contains(@id, 'x')]",
    "//a[ancestor::form[@id='f']]",
    "//a[../@id='f']",
    "//a[attribute::id='f']",
    "//A[@ID='f']",
    "//svg:a[@data-test-id]",
    "..//a[@id='x']",
]
TEXT_ONLY = [
    "",
    "   ",
    "#",
    "[title='#x']",
    "a[title=']#x']",
    'a[title="\\"]#x"]',
    "[data-identity=x]",
    "[aria-description=x]",
    "[lang|=en]",
    "[xlink|href='#a']",
    r".a\#b",
    r".\23 a",
    "button /* #save */",
    # unions
    "#a, button",
    "button, #a",
    ":is(#a, button)",
    ":is()",
    ":where(.x)",
    ":has(:is(#a))",
    ":not(#a, #b)",
    "li:has(> [role=img])",
    ":nth-match(button, 1)",
    "button:near(#x)",
    'button:has-text(") #x")',
    "a:is(b",
    # engines and chains
    '"#save"',
    "'#save'",
    "text=#save",
    "text='a >> #x'",
    "_react=Button[id=x]",
    'button >> internal:has="#x"',
    'button >> internal:has-not="#x"',
    '#x >> internal:or="button"',
    'button >> internal:or="#x"',
    'button >> internal:and="button"',
    "button >> internal:and=#x",
    "button >> internal:and=1",
    'button >> left-of="#x"',
    "*css=button >> #icon",
    "nth=1",
    "ID=save",
    "e12e",
    "fe5",
    # XPath
    "xpath=..",
    "//a[text()='@id']",
    "//a[not(@id='x')]",
    "//a[@id!='x']",
    "//a[.//b[@id='x']]",
    "//a[b/@id='x']",
    "//a[.//@id='x']",
    "//a[//div[@id='x']]",
    "//a[//@id='x']",
    "//a[@class='y' or @id='x']",
    "//a[@id='x'] | //b",
    "//a[@href='#x']",
    "//a[@data-id='x']",
    "//a[following-sibling::*[@id='x']]",
    "//div/@id",
    "//a[@id='x",
    "//a[@id",
    "//a[@id='x']]",
    "//a[position() = last() - 1]",
    "//a[-1]",
]


@pytest.mark.parametrize("selector", STRUCTURAL)
def test_an_anchored_selector_is_structural(selector):
    assert is_text_only(selector) is False


@pytest.mark.parametrize("selector", TEXT_ONLY)
def test_an_unanchored_or_unreadable_selector_is_text_only(selector):
    assert is_text_only(selector) is True


@pytest.mark.parametrize(
    "nested",
    [
        lambda depth: ":is(" * depth + "#a" + ")" * depth,
        lambda depth: "//a[" + "(" * depth + "@id" + ")" * depth + "]",
    ],
    ids=["css", "xpath"],
)
def test_nesting_is_read_to_the_same_depth_whoever_calls(nested):
    assert is_text_only(nested(20)) is False
    assert is_text_only(nested(60)) is True


fragments = st.lists(
    st.sampled_from(
        [
            *"#.[]()=|,:*@/\\\"'` >-e1x$",
            *(">>", "::", "//", ":is(", ":has(", ":not(", "id", "role", " or ", " and ", "not("),
            *("text=", "css=", "xpath=", "internal:and=", "internal:or="),
        ]
    ),
    max_size=40,
).map("".join)


@given(st.text() | fragments)
def test_reading_a_selector_never_raises(selector):
    assert is_text_only(selector) in {True, False}
    assert is_text_only(selector + ", button") in {True, False}


@pytest.mark.parametrize(
    "unit", ["(", "[", ":is(", ":has(", "//a[", "not(", "-", '"', "\\", ">>", "|", "a[b ", "text='"]
)
def test_long_and_deep_selectors_are_read_at_once(unit):
    for start in ("", "//", "css=", "xpath="):
        assert is_text_only(start + unit * 50_000) is True


@pytest.mark.parametrize("target", ["e1", "e12", "f2e5", "f10e300", " e12 "])
def test_refs_are_known(target):
    assert is_ref(target)


@pytest.mark.parametrize("target", ["", "e", "12", "e12 x", "E12", "f2", "#e12", "e１", "e1\ne2"])
def test_what_only_looks_like_a_ref_is_none(target):
    assert not is_ref(target)


@pytest.mark.parametrize(
    ("selector", "parts"),
    [
        ("#a >> text=b", [("css", "#a"), ("text", "b")]),
        ('text="a >> b" >> #c', [("text", '"a >> b"'), ("css", "#c")]),
        ("text=it's >> b's", [("text", "it's"), ("css", "b's")]),
        ("a[title='>>']", [("css", "a[title='>>']")]),
        (r"text=a\>> b", [("text", r"a\>> b")]),
        ("'quoted'", [("text", "'quoted'")]),
        ("(//a)[1]", [("xpath", "(//a)[1]")]),
        ("a[b=c]", [("css", "a[b=c]")]),
        ("*css=a >> b", [("css", "a"), ("css", "b")]),
    ],
)
def test_a_chain_splits_as_playwright_splits_it(selector, parts):
    assert [(part.engine, part.body) for part in split_chain(selector)] == parts


@pytest.mark.parametrize(
    ("target", "closed"),
    [
        ("text=Save", True),
        ("text='Save'", True),
        ("css=a >> text=it's", True),
        ('text="', False),
        ("main >> text='", False),
        ("*css=section >> text=Go", False),
        ("css=section >> *text=Go >> b", False),
    ],
)
def test_what_is_appended_must_not_become_a_part_of_the_target(target, closed):
    assert is_closed(target) is closed
