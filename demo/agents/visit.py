"""One run in the shop, step by step, with a calm line for what is worth telling."""

from typing import Any

from demo.agents.pointsman import Answer, Pointsman, Refused, RoundOver, Say

# After these the run or the step is gone; the next round starts afresh.
OVER = {
    "run_ended": "its run was ended",
    "cancelled": "its run was ended",
    "browser_lost": "its browser was lost",
    "expired": "nobody decided in time",
    "stale": "the page had changed by the time it was approved",
}


class Visit:
    def __init__(self, pointsman: Pointsman, *, shop: str, say: Say) -> None:
        self._pointsman = pointsman
        self._say = say
        self.shop = shop

    def click(self, target: str, *, element: str) -> Answer:
        return self._step("browser_click", {"target": target, "element": element})

    def type(self, target: str, text: str, *, submit: bool = False) -> Answer:
        params: dict[str, str | bool] = {"target": target, "text": text}
        return self._step("browser_type", {**params, "submit": True} if submit else params)

    def go_to(self, path: str) -> Answer:
        return self._step("browser_navigate", {"url": self.shop + path})

    def read(self, target: str) -> list[str]:
        """The texts of every match; none if nothing matches."""
        return texts_of(self._step("browser_extract_text", {"target": target}).result)

    def close_the_letter(self) -> None:
        """The newsletter opens a moment after the first page and lies over everything."""
        self.click("#newsletter-close", element="the button that closes the newsletter")

    def _step(self, tool: str, params: dict[str, str | bool]) -> Answer:
        answer = self._act(tool, params)
        if answer.error_code == "covered":
            self._say("something lies over it; closing the newsletter first")
            self.close_the_letter()
            answer = self._act(tool, params)
        return answer

    def _act(self, tool: str, params: dict[str, str | bool]) -> Answer:
        wanted = str(params.get("target", ""))
        asked = False

        def tell(answer: Answer) -> None:
            nonlocal asked
            asked = True
            self._say(f"waiting for a person: {_what_is_unclear(answer, wanted)}")

        try:
            answer = self._pointsman.act(tool, params, on_wait=tell)
        except Refused as refused:
            raise RoundOver(OVER.get(refused.code, f"{refused.code}: {refused}")) from refused
        if answer.error_code in OVER:
            raise RoundOver(OVER[answer.error_code])
        if asked and answer.succeeded:
            self._say(f"approved: {_what_was_done(answer)}")
        elif answer.would_gate:
            self._say(f"went on alone with {wanted!r} ({answer.sureness}); gating would have asked")
        return answer


def expect(answer: Answer, *, what: str) -> Answer:
    """The answer, if the step worked. Raises RoundOver otherwise."""
    if answer.succeeded:
        return answer
    raise RoundOver(f"{what} did not work: {answer.message or answer.error_code or answer.status}")


def texts_of(result: Any) -> list[str]:
    """The texts in what browser_extract_text answered."""
    texts = (result or {}).get("texts", [])
    return [str(text).strip() for text in texts]


def _what_is_unclear(answer: Answer, wanted: str) -> str:
    count = answer.candidate_count
    words = wanted.removeprefix("text=")
    noun = "candidate" if count == 1 else "candidates"
    return f"{count} {noun} for {words!r} ({answer.sureness})"


def _what_was_done(answer: Answer) -> str:
    return f"clicked #{answer.acted_index + 1}" if answer.acted_index >= 0 else "done"
