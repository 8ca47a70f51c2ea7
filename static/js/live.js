// Hears which cards changed, over one socket. While it is down the page asks by itself.
import { behaviour } from "./attach.js";
import { SignedOut } from "./fragments.js";
import { refreshList, refreshRows } from "./rows.js";
import { openId, refreshCard } from "./stage.js";
import { gettext } from "./words.js";

const GATHER_MS = 120;
const MANY = 50;
const POLL_MS = 5_000;
const WELCOME_MS = 10_000;
const SAFETY_MS = 60_000;
const PING_MS = 25_000;
const PONG_MS = 10_000;
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
const NOT_SIGNED_IN = 4401;

let address;
let line; // the one socket that counts; none while signed out
let reconnecting;
let polling;
let isOut = false;

behaviour("[data-socket]", (element) => {
  const path = element.dataset.socket;
  address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
  connect(0);
  // Hints may be lost on the way; the rows are the truth.
  setInterval(() => document.visibilityState === "visible" && refreshAll(), SAFETY_MS);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && lookAgain());
  window.addEventListener("focus", () => isOut && lookAgain());
  document.addEventListener("due", () => setTimeout(refreshAll, 1_500));
});

function connect(tries) {
  const socket = new WebSocket(address);
  line = socket;
  let pinging;
  let opened = false;
  const late = setTimeout(() => socket.close(), WELCOME_MS);
  socket.addEventListener("message", (event) => {
    const hint = JSON.parse(event.data);
    if (hint.kind === "welcome") {
      opened = true;
      clearTimeout(late);
      pinging = keepAlive(socket);
      lineIs("live");
      refreshAll();
    }
    if (hint.kind === "teams") refreshAll();
    if (hint.kind === "proposal") gather(hint);
    if (hint.kind === "escalated") document.dispatchEvent(new CustomEvent("escalated"));
    if (hint.kind === "agent") quietly(refreshCard());
  });
  socket.addEventListener("close", (event) => {
    clearInterval(pinging);
    clearTimeout(late);
    if (socket !== line) return;
    lineIs("lost");
    if (event.code === NOT_SIGNED_IN) refreshAll();
    const next = opened ? 0 : tries + 1;
    const wait = WAITS_MS[Math.min(next, WAITS_MS.length - 1)];
    reconnecting = setTimeout(connect, wait * (0.75 + Math.random() / 2), next);
  });
}

// A line that was cut without a word (sleep, another network) is only found by asking.
function keepAlive(socket) {
  let answered = true;
  socket.addEventListener("message", () => { answered = true; });
  return setInterval(() => {
    answered = false;
    socket.send('{"kind":"ping"}');
    setTimeout(() => !answered && socket.close(), PONG_MS);
  }, PING_MS);
}

// Each new try that fails leaves the poll that runs as it is.
function lineIs(state) {
  if (state === "lost") polling ??= setInterval(refreshAll, POLL_MS);
  else polling = clearInterval(polling);
  say(state, state === "live" ? gettext("Live") : gettext("Reconnecting…"));
}

function say(state, words) {
  const sign = document.querySelector("[data-line]");
  sign.hidden = false;
  sign.dataset.state = state;
  sign.querySelector("[data-line-words]").textContent = words;
}

document.addEventListener("signed-out", () => {
  isOut = true;
  polling = clearInterval(polling);
  clearTimeout(reconnecting);
  line?.close();
  line = null;
  const link = document.createElement("a");
  link.href = `/sign-in?next=${encodeURIComponent(location.pathname)}`;
  link.textContent = gettext("Signed out: sign in");
  say("lost", "");
  document.querySelector("[data-line-words]").replaceChildren(link);
});

// Somebody signed in again, in another tab.
document.addEventListener("signed-in", () => {
  isOut = false;
  lineIs("lost");
  connect(0);
});

async function refreshAll() {
  if (!isOut) await lookAgain();
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
