// The page's one socket: opened anew whenever it is lost. While it is down the page asks by itself.
import { gettext } from "./words.js";

const POLL_MS = 5_000;
const WELCOME_MS = 10_000;
const SAFETY_MS = 60_000;
const PING_MS = 25_000;
const PONG_MS = 10_000;
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];
const NOT_SIGNED_IN = 4401;

let address;
let hear;
let lookAgain;
let line; // the one socket that counts; none while signed out
let reconnecting;
let polling;
let isOut = false;

// `onHint` gets every hint, and a welcome at each new beginning; `onDoubt` looks at the server's
// rows, as hints may be lost on the way.
export function openLine(path, { onHint, onDoubt }) {
  address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
  hear = onHint;
  lookAgain = onDoubt;
  connect(0);
  setInterval(() => document.visibilityState === "visible" && refresh(), SAFETY_MS);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && lookAgain());
  window.addEventListener("focus", () => isOut && lookAgain());
}

export function refresh() {
  if (!isOut) lookAgain();
}

function connect(tries) {
  const socket = new WebSocket(address);
  line = socket;
  let pinging;
  let opened = false;
  const late = setTimeout(() => socket.close(), WELCOME_MS);
  socket.addEventListener("message", (event) => {
    const hint = JSON.parse(event.data);
    hear(hint);
    if (hint.kind === "welcome") {
      opened = true;
      clearTimeout(late);
      pinging = keepAlive(socket);
      lineIs("live");
      refresh();
    }
  });
  socket.addEventListener("close", (event) => {
    clearInterval(pinging);
    clearTimeout(late);
    if (socket !== line) return;
    lineIs("lost");
    if (event.code === NOT_SIGNED_IN) refresh();
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
  if (state === "lost") polling ??= setInterval(refresh, POLL_MS);
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
  if (!address) return;
  isOut = false;
  lineIs("lost");
  connect(0);
});
