// Calls somebody who asked for it when a card comes: by a sound, by a notification.
import { announce } from "./announce.js";
import { behaviour } from "./attach.js";
import { post } from "./post.js";
import { gettext } from "./words.js";

const BLOCKED = gettext("Your browser does not let this site show notifications: allow them in its settings.");
const LATE = gettext("A card still waits: most of its time is over");
const LOST = gettext("This could not be kept. Try again.");
let form;
let sounds;

behaviour("[data-alerts]", (element) => {
  form = element;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => choose(event.target));
  // Browsers keep a page silent until somebody has touched it.
  if (form.elements.sound.checked) document.addEventListener("pointerdown", () => audio(), { once: true });
  if (form.elements.sound.checked) document.addEventListener("keydown", () => audio(), { once: true });
  document.querySelector("[data-queue]").addEventListener("arrived", (event) => call(wordsOf(event.detail)));
  document.addEventListener("escalated", () => {
    announce(LATE);
    call(LATE);
  });
});

async function choose(box) {
  say("");
  if (box.name === "notify" && box.checked && !(await mayNotify())) {
    box.checked = false;
    return say(BLOCKED);
  }
  if (box.name === "sound" && box.checked) ring();
  const { ok } = await post(form.dataset.url, new FormData(form)).catch(() => ({ ok: false }));
  if (!ok) say(LOST);
}

async function mayNotify() {
  if (!("Notification" in window)) return false;
  return (await Notification.requestPermission()) === "granted";
}

function say(words) {
  form.querySelector("[data-alerts-said]").textContent = words;
}

function call(words) {
  if (form.elements.sound.checked) ring();
  if (form.elements.notify.checked && !document.hasFocus()) notify(words);
}

// What the page or the agent wrote stays out: it would lie open on a locked screen.
function wordsOf(rows) {
  const level = rows[0].querySelector(".row-top .level").textContent.trim();
  return rows.length === 1 ? gettext("A card waits: {level}", { level }) : gettext("{count} new cards wait", { count: rows.length });
}

function notify(words) {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const note = new Notification("Pointsman", { body: words, tag: "pointsman-queue", icon: document.querySelector("link[rel=icon]").href });
  note.addEventListener("click", () => { window.focus(); note.close(); });
}

function audio() {
  sounds ??= new AudioContext();
  if (sounds.state === "suspended") sounds.resume().catch(() => {});
  return sounds;
}

// Two short soft tones.
function ring() {
  const { currentTime, destination } = audio();
  for (const [place, pitch] of [[0, 660], [0.14, 880]]) {
    const [tone, loudness] = [sounds.createOscillator(), sounds.createGain()];
    tone.frequency.value = pitch;
    loudness.gain.setValueAtTime(0.0001, currentTime + place);
    loudness.gain.exponentialRampToValueAtTime(0.15, currentTime + place + 0.02);
    loudness.gain.exponentialRampToValueAtTime(0.0001, currentTime + place + 0.3);
    tone.connect(loudness).connect(destination);
    tone.start(currentTime + place);
    tone.stop(currentTime + place + 0.32);
  }
}
