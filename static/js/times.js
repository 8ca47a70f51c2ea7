// Says times in the viewer's zone and counts deadlines down by the server's clock.
import { behaviour } from "./attach.js";
import { learnTime, serverNow } from "./server-clock.js";
import { gettext, locale } from "./words.js";

const URGENT_MS = 60_000;
const SECONDS_FROM_S = 120;
const clock = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const hour = clock.resolvedOptions().hourCycle === "h23" ? "2-digit" : "numeric";
const dayAndClock = new Intl.DateTimeFormat(locale, {
  day: "numeric", month: "short", hour, minute: "2-digit",
});
const whole = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" });

document.querySelectorAll("[data-now]").forEach((element) => learnTime(element.dataset.now));

behaviour("[data-moment]", (time) => {
  const at = new Date(time.dateTime);
  const isToday = at.toDateString() === new Date(serverNow()).toDateString();
  time.textContent = (isToday ? clock : dayAndClock).format(at);
  time.title = whole.format(at);
});

behaviour("[data-countdown]", (time) => {
  time.title = gettext("until {time}", { time: whole.format(new Date(time.dateTime)) });
  count(time);
});

setInterval(() => document.querySelectorAll("[data-countdown]").forEach(count), 500);

function count(time) {
  const leftMs = Date.parse(time.dateTime) - serverNow();
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  const words = time.dataset.countdown === "minutes" ? roughly(seconds) : exactly(seconds);
  if (time.textContent !== words) time.textContent = words;
  time.toggleAttribute("data-urgent", leftMs < URGENT_MS);
  if (leftMs <= 0 && !("due" in time.dataset)) {
    time.dataset.due = "";
    time.dispatchEvent(new CustomEvent("due", { bubbles: true }));
  }
}

function exactly(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// In a list of times, so that nobody takes it for a time of day.
function roughly(seconds) {
  if (seconds < SECONDS_FROM_S) return exactly(seconds);
  return gettext("{minutes} min", { minutes: Math.floor(seconds / 60) });
}
