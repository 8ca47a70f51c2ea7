// Hears which cards changed, and looks at them.
import { behaviour } from "./attach.js";
import { SignedOut } from "./fragments.js";
import { openLine, refresh } from "./line.js";
import { refreshList, refreshRows } from "./rows.js";
import { openId, refreshCard } from "./stage.js";

const GATHER_MS = 120;
const MANY = 50;

behaviour("[data-socket]", (element) => {
  openLine(element.dataset.socket, { onHint: hear, onDoubt: lookAgain });
  document.addEventListener("due", () => setTimeout(refresh, 1_500));
});

function hear(hint) {
  if (hint.kind === "teams") refresh();
  if (hint.kind === "proposal") gather(hint);
  if (hint.kind === "escalated") document.dispatchEvent(new CustomEvent("escalated"));
  if (hint.kind === "agent") quietly(refreshCard());
}

// The first answer tells whether this person is signed in again.
async function lookAgain() {
  await quietly(refreshList());
  await quietly(refreshCard());
}

const changed = new Set();
let gathering;
let nextLookAt = 0;

// The first hint is followed at once; a burst after it becomes one look.
function gather(hint) {
  changed.add(hint.id);
  gathering ??= setTimeout(look, Math.max(0, nextLookAt - performance.now()));
}

async function look() {
  const ids = [...changed];
  changed.clear();
  gathering = undefined;
  nextLookAt = performance.now() + GATHER_MS;
  await quietly(ids.length > MANY ? refreshList() : refreshRows(ids));
  if (ids.includes(openId())) await quietly(refreshCard());
}

// Without an answer the next poll, hint or reconnect asks again.
async function quietly(asking) {
  try {
    await asking;
  } catch (error) {
    if (!(error instanceof SignedOut)) console.info("Pointsman: no answer, will ask again", error.name);
  }
}
