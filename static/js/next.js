// After a decision: the way to the next card that waits.
import { behaviour } from "./attach.js";
import { keyOf } from "./key-choice.js";
import { nextWaiting } from "./select.js";
import { gettext } from "./words.js";

behaviour("[data-next]", (link) => {
  const row = nextWaiting();
  if (!row) return;
  link.href = row.querySelector("a").href;
  link.dataset.select = row.dataset.row;
  const key = document.createElement("kbd");
  key.dataset.keyOf = "next";
  key.textContent = keyOf("next");
  const [call, agent] = [".call-words", ".row-agent"].map((part) => row.querySelector(part).textContent);
  link.replaceChildren(gettext("Next: {call}, {agent}", { call, agent }), key);
});
