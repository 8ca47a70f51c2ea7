// After a decision: the way to the next card that waits.
import { behaviour } from "./attach.js";
import { keyOf } from "./key-choice.js";
import { nextWaiting } from "./select.js";

behaviour("[data-next]", (link) => {
  const row = nextWaiting();
  if (!row) return;
  link.href = row.querySelector("a").href;
  link.dataset.select = row.dataset.row;
  const key = document.createElement("kbd");
  key.dataset.keyOf = "next";
  key.textContent = keyOf("next");
  link.replaceChildren(`Next: ${row.querySelector(".call-words").textContent}, ${row.querySelector(".row-agent").textContent}`, key);
});
