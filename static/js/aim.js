// Points at a place of the picture, by mouse or by arrow keys, and looks up what is there.
import { announce } from "./announce.js";
import { behaviour } from "./attach.js";
import { lookUp } from "./lookup.js";
import { turnTo } from "./scene-tabs.js";
import { gettext } from "./words.js";

const STEP_PX = 20;
const SMALL_STEP_PX = 2;
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

behaviour("[data-aim]", (aim) => {
  const card = aim.closest("[data-card]");
  const toggle = card.querySelector("[data-aim-open]");
  const point = middleOf(aim);
  toggle.addEventListener("click", () => (aim.hidden ? open(aim, toggle, point) : close(aim, toggle)));
  aim.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close(aim, toggle);
    else if (event.key === "Enter") look(aim, toggle, point);
    else if (MOVES[event.key]) move(aim, point, MOVES[event.key], event.shiftKey ? SMALL_STEP_PX : STEP_PX);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  aim.addEventListener("click", (event) => {
    if (event.detail === 0) return look(aim, toggle, point); // pressed by a screen reader
    Object.assign(point, pointAt(aim, event));
    look(aim, toggle, point);
  });
});

function open(aim, toggle, point) {
  turnTo(aim.closest("[data-card]"), "tab-viewport");
  aim.hidden = false;
  toggle.setAttribute("aria-pressed", "true");
  show(aim, point);
  aim.focus({ preventScroll: true });
  announce(gettext("Pick a point: click it, or move with the arrow keys and press Enter"));
}

function close(aim, toggle) {
  aim.hidden = true;
  toggle.setAttribute("aria-pressed", "false");
  toggle.focus({ preventScroll: true });
}

// The point in CSS px of the picture becomes one of the whole page.
function look(aim, toggle, { x, y }) {
  const { scrollX, scrollY } = aim.closest("[data-picture]").dataset;
  const form = aim.closest("[data-card]").querySelector("[data-decision]");
  close(aim, toggle);
  lookUp(form, { point: { x: x + Number(scrollX), y: y + Number(scrollY) } });
}

function move(aim, point, [right, down], step) {
  const { width, height } = sizeOf(aim);
  point.x = Math.min(width - 1, Math.max(0, point.x + right * step));
  point.y = Math.min(height - 1, Math.max(0, point.y + down * step));
  show(aim, point);
  announce(gettext("{x} from the left, {y} from the top", { x: Math.round(point.x), y: Math.round(point.y) }));
}

function show(aim, { x, y }) {
  const { width, height } = sizeOf(aim);
  aim.style.setProperty("--aim-left", (100 * x) / width);
  aim.style.setProperty("--aim-top", (100 * y) / height);
}

function sizeOf(aim) {
  const { width, height } = aim.closest("[data-picture]").dataset;
  return { width: Number(width), height: Number(height) };
}

function middleOf(aim) {
  const { width, height } = sizeOf(aim);
  return { x: width / 2, y: height / 2 };
}

function pointAt(aim, event) {
  const shown = aim.getBoundingClientRect();
  const { width, height } = sizeOf(aim);
  return { x: ((event.clientX - shown.left) / shown.width) * width, y: ((event.clientY - shown.top) / shown.height) * height };
}
