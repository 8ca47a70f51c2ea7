"""A whole form in one call: judged before anything is typed, written as meant, sent once."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.decider import Decider
from tests.support.stack import Agent, Stack
from tests.support.yard import Yard

pytestmark = pytest.mark.stack
Answer = dict[str, Any]
PASSWORD = "zebra-lamp-4471"
TOKEN = "token-of-quartz-9921"
TYPED = """<script>addEventListener("input", (event) => hit("typed"), true);
addEventListener("submit", () => hit("sent"), true);</script>"""


@pytest.fixture
def agent(bot: Agent, yard: Yard) -> Iterator[Agent]:
    """The same agent for every test, each with a run of its own."""
    yard.clear()
    yield bot
    bot.finish_all()


def form(*fields: tuple[str, str, Any], submit: str = "") -> Answer:
    """The params of a call: name, target and value of each field."""
    named = [{"name": name, "target": target, "value": value} for name, target, value in fields]
    return {"fields": named, **({"submit": submit} if submit else {})}


def fill(agent: Agent, params: Answer) -> Answer:
    answer = agent.post({"tool": "browser_fill_form", "params": params, "wait_s": 60})
    assert answer.status_code in {200, 202}, answer.text
    return answer.json()


def values_of(agent: Agent, yard: Yard) -> list[str]:
    """What the fields hold now, told by the page itself when its title is pressed."""
    yard.seen.clear()
    answer = agent.send("browser_click", target="#tell").json()
    assert answer["status"] == "succeeded", answer["error"] or answer
    told = [path for path in yard.seen if path.startswith("/told?")]
    return json.loads(bytes.fromhex(told[0].partition("?")[2]))


# Presses on it tell the server what every field holds.
TELL = """<h1 id="tell">Order</h1><script>tell.addEventListener("click", () => {
  const held = [...document.querySelectorAll("input, select, textarea")].map((one) => one.value);
  const bytes = new TextEncoder().encode(JSON.stringify(held));
  const call = new XMLHttpRequest();
  call.open("GET", "/told?" + [...bytes].map((b) => b.toString(16).padStart(2, "0")).join(""), false);
  call.send();
});</script>"""


# --- every kind of field ----------------------------------------------------------------
EVERYTHING = """<form method="post" action="/order" enctype="multipart/form-data">
<label>Name <input name="name"></label>
<label>Phone <input name="phone"></label>
<label>Country <select name="country"><option>Italy<option value="fr">France</select></label>
<label>Toppings <select name="toppings" multiple><option>Ham<option>Olives<option>Egg</select></label>
<label><input type="checkbox" name="terms"> I agree</label>
<label><input type="checkbox" name="news" checked> Newsletter</label>
<label><input type="radio" name="size" value="s" checked> Small</label>
<label><input type="radio" name="size" value="l"> Large</label>
<label>Day <input type="date" name="day"></label>
<label>Amount <input type="number" step="any" name="amount"></label>
<label>Remarks <textarea name="remarks"></textarea></label>
<label>Receipt <input type="file" name="receipt"></label>
<div contenteditable role="textbox" aria-label="Note" id="note">old</div>
<input type="hidden" name="note">
<label>Password <input type="password" name="password"></label>
<label>Voucher <input name="voucher"></label>
<button id="send" disabled>Send the order</button></form>
<script>
const form = document.forms[0];
form.phone.addEventListener("input", () => {
  const d = form.phone.value.replace(/\\D/g, "").slice(0, 10);
  form.phone.value = d.length > 6 ? `(${d.slice(0, 3)}) ${d.slice(3, 6)}-${d.slice(6)}` : d;
});
form.addEventListener("input", () => setTimeout(() => {
  send.disabled = !(form.name.value && form.terms.checked && form.voucher.value);
}, 400));
form.addEventListener("submit", () => { form.elements.note.value = note.innerText; });
</script>"""
EVERY_FIELD = form(
    ("name", "[name=name]", "Zoë O'Neil 漢字 🙂"),
    ("phone", "[name=phone]", "5551234567"),
    ("country", "[name=country]", "France"),
    ("toppings", "[name=toppings]", ["Ham", "Egg"]),
    ("terms", "[name=terms]", True),
    ("news", "[name=news]", False),
    ("size", "[name=size][value=l]", True),
    ("day", "[name=day]", "2030-01-02"),
    ("amount", "[name=amount]", 12.5),
    ("remarks", "[name=remarks]", "two\nlines"),
    ("receipt", "[name=receipt]", "receipt.txt"),
    ("note", "#note", "ring twice"),
    ("password", "[name=password]", PASSWORD),
    ("voucher", "[name=voucher]", TOKEN),
    submit="#send",
)
EVERY_FIELD["fields"][-1]["secret"] = True
EVERY_FIELD["fields"][10]["type"] = "file"
AS_MEANT = {
    "name": ["Zoë O'Neil 漢字 🙂"],
    "phone": ["(555) 123-4567"],
    "country": ["fr"],
    "toppings": ["Ham", "Egg"],
    "terms": ["on"],
    "size": ["l"],
    "day": ["2030-01-02"],
    "amount": ["12.5"],
    "remarks": ["two\r\nlines"],
    "receipt": ["receipt.txt: paid"],
    "note": ["ring twice"],
    "password": [PASSWORD],
    "voucher": [TOKEN],
}


def test_every_kind_of_field_is_written_and_the_form_sent_once(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    agent.open_run(yard.page(TYPED + EVERYTHING))
    agent.put_file("receipt.txt", b"paid")
    answer = fill(agent, EVERY_FIELD)
    assert answer["status"] == "succeeded", answer["error"] or answer
    assert yard.posted == [AS_MEANT]
    assert yard.hits["sent"] == 1
    assert answer["result"]["written"] == [one["name"] for one in EVERY_FIELD["fields"]]
    assert answer["result"]["submitted"] is True
    assert [one["level"] for one in answer["fields"]] == ["high"] * 15
    stored = stack.sql("SELECT outcome, params FROM runs_action WHERE id = %s", answer["action_id"])
    outcome, params = stored[0]
    assert outcome["kind"] == "verified"
    shown = {one["name"]: one["value"] for one in params["fields"]}
    assert (shown["name"], shown["password"], shown["voucher"]) == (
        "Zoë O'Neil 漢字 🙂",
        "•••",
        "•••",
    )
    _appears_nowhere(stack, PASSWORD, answer)
    _appears_nowhere(stack, TOKEN, answer)


def _appears_nowhere(stack: Stack, secret: str, *answers: Any) -> None:
    """Not in any row of any table, not in the log, not in what was answered."""
    tables = stack.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    for (table,) in tables:
        if table == "audit_picture":
            continue
        found = stack.sql(
            f'SELECT count(*) FROM "{table}" row WHERE row::text LIKE %s', f"%{secret}%"
        )
        assert found == [(0,)], table
    assert secret not in stack.log.read_text()
    assert secret not in json.dumps(answers)


def test_a_form_is_filled_in_without_being_sent(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(TYPED + EVERYTHING))
    answer = fill(agent, form(("name", "[name=name]", "Ann"), ("country", "[name=country]", "fr")))
    assert (answer["status"], answer["result"]["submitted"]) == ("succeeded", False)
    assert yard.posted == []


def test_sixty_fields_take_less_than_half_a_minute(agent: Agent, yard: Yard) -> None:
    fields = "".join(f'<label>Field {n} <input name="f{n}"></label>' for n in range(60))
    agent.open_run(
        yard.page(
            f'<form method="post" action="/order">{fields}<button id="b">Send</button></form>'
        )
    )
    params = form(*((f"f{n}", f"[name=f{n}]", f"v{n}") for n in range(60)), submit="#b")
    began = time.monotonic()
    answer = fill(agent, params)
    took_s = time.monotonic() - began
    assert answer["status"] == "succeeded", answer["error"] or answer
    assert yard.posted == [{f"f{n}": [f"v{n}"] for n in range(60)}]
    assert took_s < 30


# --- the gate ---------------------------------------------------------------------------
UNSURE = f"""{TYPED}{TELL}<form method="post" action="/order">
<label>Name <input name="name"></label>
<fieldset><legend>Home</legend><label>Street <input class="street" name="home"></label></fieldset>
<fieldset><legend>Work</legend><label>Street <input class="street" name="work"></label></fieldset>
<fieldset><legend>Other</legend><label>Street <input class="street" name="other"></label></fieldset>
<label>Password <input type="password" name="password"></label>
<button class="send" name="way" value="save">Save</button>
<button class="send" name="way" value="pay">Save</button></form>"""
STREET = form(
    ("name", "[name=name]", "Ann"),
    ("street", ".street", "Elm 1"),
    ("password", "[name=password]", PASSWORD),
    submit="[value=pay]",
)


def proposal_of(decider: Decider, answer: Answer) -> Answer:
    assert answer["status"] == "requires_approval", answer
    return decider.get(f"/proposals/{answer['proposal_id']}").json()


def test_one_unsure_field_stops_the_whole_form_before_anything_is_typed(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(yard.page(UNSURE))
    asked = fill(agent, STREET)
    proposal = proposal_of(decider, asked)
    table = [(one["name"], one["level"], one["match_count"]) for one in proposal["fields"]]
    assert table == [
        ("name", "high", 1),
        ("street", "ambiguous", 3),
        ("password", "high", 1),
        ("submit", "high", 1),
    ]
    assert (proposal["level"], proposal["score"]) == ("ambiguous", 0.25)
    assert asked["match_confidence"]["match_count"] == 3
    assert asked["gate_reasons"] == ["match_confidence"]
    assert (dict(yard.hits), yard.posted) == ({}, [])

    unnamed = decider.decide(asked["proposal_id"])
    assert (unnamed.status_code, unnamed.json()["code"]) == (422, "choice_needed")
    assert "street" in unnamed.text
    for bad in (
        [{"index": 9, "chosen_index": 0}],
        [{"index": 1, "chosen_index": 3}],
        [{"index": 1}],
    ):
        assert decider.decide(asked["proposal_id"], fields=bad).status_code == 422, bad
    picked = decider.decide(asked["proposal_id"], fields=[{"index": 1, "chosen_index": 1}])
    assert picked.status_code == 200, picked.text
    answer = agent.poll(asked["action_id"])
    assert answer["status"] == "succeeded", answer["error"] or answer
    assert yard.posted == [
        {
            "name": ["Ann"],
            "home": [""],
            "work": ["Elm 1"],
            "other": [""],
            "password": [PASSWORD],
            "way": ["pay"],
        }
    ]
    page = decider.http.get(f"/proposals/{asked['proposal_id']}").text
    assert "Elm 1" in page
    _appears_nowhere(stack, PASSWORD, asked, proposal, answer, page)


def test_chosen_index_names_the_field_that_is_least_sure(
    agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(yard.page(UNSURE))
    asked = fill(agent, STREET)
    assert decider.decide(asked["proposal_id"], chosen_index=0).status_code == 200
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert (yard.posted[0]["home"], yard.posted[0]["work"]) == (["Elm 1"], [""])


def test_two_unsure_fields_must_both_be_named(agent: Agent, yard: Yard, decider: Decider) -> None:
    agent.open_run(yard.page(UNSURE))
    params = form(("one", ".street", "Elm 1"), ("two", "fieldset input", "Elm 2"))
    asked = fill(agent, params)
    half = decider.decide(asked["proposal_id"], fields=[{"index": 0, "chosen_index": 0}])
    assert (half.status_code, half.json()["code"]) == (422, "choice_needed")
    assert "two" in half.text
    both = [{"index": 0, "chosen_index": 0}, {"index": 1, "chosen_index": 2}]
    assert decider.decide(asked["proposal_id"], fields=both).status_code == 200
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert values_of(agent, yard) == ["", "Elm 1", "", "Elm 2", ""]
    assert yard.posted == []


def test_a_submit_control_with_a_twin_stops_the_form_too(
    agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(yard.page(UNSURE))
    asked = fill(agent, form(("name", "[name=name]", "Ann"), submit=".send"))
    proposal = proposal_of(decider, asked)
    assert [(one["name"], one["level"]) for one in proposal["fields"]] == [
        ("name", "high"),
        ("submit", "partial"),
    ]
    assert (dict(yard.hits), yard.posted) == ({}, [])
    assert "submit" in decider.decide(asked["proposal_id"]).text
    picked = decider.decide(asked["proposal_id"], fields=[{"index": 1, "chosen_index": 1}])
    assert picked.status_code == 200
    assert agent.poll(asked["action_id"])["status"] == "succeeded"
    assert [(one["name"], one["way"]) for one in yard.posted] == [(["Ann"], ["pay"])]


def test_a_rejected_form_was_never_touched(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    agent.open_run(yard.page(UNSURE))
    asked = fill(agent, STREET)
    assert decider.decide(asked["proposal_id"], "reject", reason="No address.").status_code == 200
    assert agent.poll(asked["action_id"])["status"] == "rejected"
    assert (dict(yard.hits), yard.posted) == ({}, [])
    sealed = stack.sql("SELECT sealed_params FROM runs_action WHERE id = %s", asked["action_id"])
    assert sealed == [("",)]


def test_a_missing_field_is_named_and_nothing_is_typed(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(UNSURE))
    answer = fill(agent, form(("name", "[name=name]", "Ann"), ("iban", "#iban", "DE1")))
    assert (answer["status"], answer["error"]["code"]) == ("failed", "no_match")
    assert "iban" in answer["error"]["message"]
    assert dict(yard.hits) == {}


def test_a_form_that_changed_while_a_person_looked_is_stale(
    stack: Stack, agent: Agent, yard: Yard, decider: Decider
) -> None:
    change = """<script>addEventListener("load", () => setTimeout(() => {
      document.querySelector("[name=work]").name = "holiday"; document.body.id = "changed";
    }, 4000));</script>"""
    agent.open_run(yard.page(UNSURE + change))
    asked = fill(agent, STREET)
    assert asked["status"] == "requires_approval"
    waited = agent.post({"tool": "browser_wait_for", "params": {"time": 5}}).json()
    assert waited["status"] == "succeeded"
    assert agent.texts("body#changed")
    picked = decider.decide(asked["proposal_id"], fields=[{"index": 1, "chosen_index": 1}])
    assert picked.status_code == 200
    agent.poll(asked["action_id"], 8)
    status = stack.sql("SELECT status FROM proposals_proposal WHERE id = %s", asked["proposal_id"])
    assert status == [("stale",)]
    assert (dict(yard.hits), yard.posted) == ({}, [])


# --- failures in the middle -------------------------------------------------------------
PARTS = f"""{TYPED}{TELL}<form method="post" action="/order"><label>First <input name="first"></label>
<span id="place"><label>Second <input name="second"></label></span>
<label>Day <input type="date" name="day"></label><button id="b">Send</button></form><script>
const [first, second] = document.querySelectorAll("input");
const on = (field, work) => field.addEventListener("input", work);
"""
TWO = form(("A", "[name=first]", "Ann"), ("B", "[name=second]", "Bell"), submit="#b")


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("on(first, () => { second.disabled = true; })", "not_enabled"),
        ("on(first, () => { second.readOnly = true; })", "not_enabled"),
        ("on(first, () => { place.remove(); })", "detached"),
        ("on(second, () => { second.value = 'no'; })", "not_enabled"),
        (
            "on(first, () => { place.innerHTML = '<label>Account <input name=\"second\"></label>'; })",
            "detached",
        ),
    ],
)
def test_a_form_that_stops_half_way_says_what_was_written(
    script: str, code: str, agent: Agent, yard: Yard
) -> None:
    agent.open_run(yard.page(f"{PARTS}{script}</script>"))
    answer = fill(agent, TWO)
    assert answer["status"] == "failed", answer
    assert answer["error"]["code"] == code, answer
    assert answer["error"]["written"] == ["A"]
    assert "'B'" in answer["error"]["message"]
    assert "Nothing was submitted" in answer["error"]["message"]
    assert json.loads(answer["tool_result"]["content"])["error"]["written"] == ["A"]
    assert (yard.posted, yard.hits["sent"]) == ([], 0)
    assert values_of(agent, yard)[0] == "Ann"


def test_a_date_that_is_none_stops_the_form(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(f"{PARTS}</script>"))
    params = form(("A", "[name=first]", "Ann"), ("day", "[name=day]", "tomorrow"), submit="#b")
    answer = fill(agent, params)
    assert (answer["error"]["code"], answer["error"]["written"]) == ("not_enabled", ["A"])
    assert "2030-12-31" in answer["error"]["message"]
    assert yard.posted == []


def test_a_control_that_stays_disabled_leaves_the_form_unsent(agent: Agent, yard: Yard) -> None:
    agent.open_run(yard.page(f"{PARTS} b.disabled = true;</script>"))
    answer = fill(agent, TWO)
    assert (answer["error"]["code"], answer["error"]["written"]) == ("not_enabled", ["A", "B"])
    assert yard.posted == []


def test_a_field_that_is_put_anew_with_the_same_look_is_written(agent: Agent, yard: Yard) -> None:
    again = "on(first, () => { place.innerHTML = place.innerHTML; });"
    agent.open_run(yard.page(f"{PARTS}{again}</script>"))
    answer = fill(agent, TWO)
    assert answer["status"] == "succeeded", answer["error"] or answer
    assert yard.posted == [{"first": ["Ann"], "second": ["Bell"], "day": [""]}]


def test_a_twin_that_comes_up_while_the_form_is_written_gets_nothing(
    agent: Agent, yard: Yard
) -> None:
    twin = "on(first, () => { place.innerHTML += place.innerHTML; });"
    agent.open_run(yard.page(f"{PARTS}{twin}</script>"))
    answer = fill(agent, TWO)
    assert (answer["error"]["code"], answer["error"]["written"]) == ("detached", ["A"])
    assert values_of(agent, yard) == ["Ann", "", "", ""]
    assert yard.posted == []


def test_a_form_that_the_browser_itself_refuses_is_not_called_submitted(
    agent: Agent, yard: Yard
) -> None:
    body = """<form action="/order" onsubmit="hit('sent')"><label>Mail <input type="email"></label>
<label>Code <input required name="code"></label><button>Order</button></form>"""
    agent.open_run(yard.page(body))
    params = form(("mail", "[type=email]", "no address"), submit="role=button")
    answer = fill(agent, params)
    assert (answer["status"], answer["error"]["code"]) == ("failed", "not_enabled")
    assert "did not submit" in answer["error"]["message"]
    assert answer["error"]["written"] == ["mail"]
    assert yard.hits["sent"] == 0
    filled = form(("mail", "[type=email]", "a@b.example"), ("code", "[name=code]", "7"))
    answer = fill(agent, {**filled, "submit": "role=button"})
    assert answer["status"] == "succeeded", answer
    assert yard.hits["sent"] == 1


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("[type=file]", "/proc/self/environ", None),
        ("[type=file]", "/proc/self/environ", "textbox"),
        ("[type=file]", ["/etc/hostname"], None),
        ("[name=code]", "own.txt", "file"),
    ],
)
def test_only_files_of_the_run_go_into_a_file_field_and_into_no_other(
    field: str, value: Any, kind: str | None, agent: Agent, yard: Yard
) -> None:
    body = """<form method="post" action="/order" enctype="multipart/form-data">
<input type="file" name="receipt"><input name="code"><button id="b">Order</button></form>"""
    agent.open_run(yard.page(body))
    agent.put_file("own.txt", b"mine")
    params = form(("one", field, value), submit="#b")
    if kind:
        params["fields"][0]["type"] = kind
    answer = fill(agent, params)
    assert (answer["status"], answer["error"]["code"]) == ("failed", "not_enabled"), answer
    assert yard.posted == []


def test_a_password_that_the_page_reveals_is_kept_nowhere(
    stack: Stack, agent: Agent, yard: Yard
) -> None:
    body = """<label>Secret <input type="password" name="p"></label><script>
document.querySelector("input").addEventListener("input", (event) => { event.target.type = "text"; });
</script>"""
    agent.open_run(yard.page(body))
    answer = agent.send("browser_type", target="[name=p]", text=PASSWORD).json()
    assert answer["status"] == "succeeded", answer
    seen = agent.send("browser_snapshot").json()
    assert PASSWORD not in json.dumps(seen)
    held = stack.sql(
        "SELECT params::text, result::text FROM runs_action WHERE run_id = %s", agent.run_id
    )
    assert PASSWORD not in str(held)
    entries = stack.sql(
        "SELECT payload::text FROM audit_browseraudit WHERE run_id = %s", agent.run_id
    )
    assert PASSWORD not in str(entries)
