// Says something to screen readers without moving anybody's focus.
const announcer = document.querySelector("[data-announcer]");
let clearing;

export function announce(words) {
  if (!announcer) return;
  announcer.textContent = words;
  clearTimeout(clearing);
  clearing = setTimeout(() => { announcer.textContent = ""; }, 5_000);
}
