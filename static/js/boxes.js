// Puts the numbered boxes over the picture, and lights box and list entry together.
import { behaviour } from "./attach.js";
import { getMatchConfidence, ordered } from "./match-confidence.js";
import { markOf } from "./targets.js";

const SIDES = { "--left": "left", "--top": "top", "--box-width": "boxWidth", "--box-height": "boxHeight" };
const GAP_PX = 4;
const CORNER_PX = 12;
const CLEAR_PX = 8; // from another box, whose number it would seem

behaviour("[data-picture]", (picture) => {
  const { width, height } = picture.dataset;
  picture.style.setProperty("--natural-width", `${width}px`);
  // The frame keeps the shape of the page's window, whichever picture is in it.
  if (!picture.matches("[data-whole]")) (picture.closest(".scene-frame") ?? picture).style.setProperty("--ratio", width / height);
  arrangeBoxes(picture);
  new ResizeObserver(() => placeLabels(picture.querySelector("[data-boxes]"))).observe(picture);
});

// Also for a box that came later.
export function arrangeBoxes(picture) {
  const layer = picture.querySelector("[data-boxes]");
  const boxes = boxesIn(layer);
  boxes.forEach((box) => {
    for (const [property, name] of Object.entries(SIDES)) box.style.setProperty(property, box.dataset[name]);
  });
  stack(picture, boxes);
  layer.dataset.placed = "";
  requestAnimationFrame(() => placeLabels(layer));
}

function boxesIn(layer) {
  return [...layer.querySelectorAll("[data-box]")];
}

// A small box lies over a large one, and the likelier over the less likely; only the shown target's
// boxes have plain numbers, which `ordered` knows.
function stack(picture, boxes) {
  const card = picture.closest("[data-card]");
  const confidence = card && getMatchConfidence(card.dataset.actionId);
  const order = ordered(confidence?.candidates ?? [], confidence?.chosen_index).map((c) => c.index);
  const area = (box) => box.dataset.boxWidth * box.dataset.boxHeight;
  [...boxes]
    .sort((a, b) => area(b) - area(a) || order.indexOf(Number(b.dataset.box)) - order.indexOf(Number(a.dataset.box)))
    .forEach((box, place) => { box.style.zIndex = place + 1; });
}

// A label sits where it hides least and seems to be no other box's: left of its box, on its corner,
// right, above or below, and inside its own box when all that is taken.
function placeLabels(layer) {
  const boxes = boxesIn(layer);
  const whole = layer.getBoundingClientRect();
  const labels = [];
  for (const box of boxes) {
    const label = box.querySelector(".box-label");
    const at = box.getBoundingClientRect();
    const others = boxes.filter((other) => other !== box).map((other) => other.getBoundingClientRect());
    const isFree = ({ spot, clear }) => isWithin(spot, whole) &&
      ![...others.map((other) => around(other, clear)), ...labels].some((other) => overlap(spot, other));
    const spots = spotsFor(at, label.getBoundingClientRect());
    const { spot } = spots.slice(0, -1).find(isFree) ?? spots.at(-1);
    label.style.setProperty("--label-left", `${spot.left - at.left}px`);
    label.style.setProperty("--label-top", `${spot.top - at.top}px`);
    labels.push(spot);
  }
}

// The best first, the last resort last. `clear` is how far other boxes must be, [x, y] in px: beside
// its box a label is told from those beside it, above and below from those there.
function spotsFor(at, { width, height }) {
  const beside = [CLEAR_PX, 0];
  const stacked = [0, CLEAR_PX];
  return [
    [at.left - width - GAP_PX, at.top, beside],
    ...(at.height > height ? [[at.left - CORNER_PX, at.top - CORNER_PX, [CLEAR_PX, CLEAR_PX]]] : []),
    [at.right + GAP_PX, at.top, beside],
    [at.left, at.top - height - GAP_PX, stacked],
    [at.left, at.bottom + GAP_PX, stacked],
    [at.left, at.top, [0, 0]],
  ].map(([left, top, clear]) => ({ spot: { left, top, right: left + width, bottom: top + height }, clear }));
}

const around = ({ left, top, right, bottom }, [x, y]) =>
  ({ left: left - x, top: top - y, right: right + x, bottom: bottom + y });

const isWithin = (spot, whole) =>
  spot.left >= whole.left && spot.right <= whole.right && spot.top >= whole.top && spot.bottom <= whole.bottom;

const overlap = (spot, other) =>
  spot.left < other.right && spot.right > other.left && spot.top < other.bottom && spot.bottom > other.top;

behaviour("[data-card]", (card) => {
  const light = (event) => setLit(card, marksAt(event.target, card));
  card.addEventListener("pointerover", light);
  card.addEventListener("focusin", light);
  card.addEventListener("pointerleave", () => setLit(card, []));
  card.addEventListener("focusout", () => setLit(card, []));
  card.addEventListener("change", () => setLit(card, marksAt(document.activeElement, card)));
  card.addEventListener("click", (event) => {
    const box = event.target.closest("[data-box]");
    if (box) card.querySelector(`#candidate-${box.dataset.box}`)?.click();
  });
});

// A box and an entry light each other; the head of a row lights what is meant there, or all it may be.
function marksAt(element, card) {
  const one = element.closest("[data-box], [data-candidate]");
  if (one) return [one.dataset.box ?? one.dataset.candidate];
  const row = element.closest("[data-target-head]")?.closest("[data-target]");
  if (!row) return [];
  const radios = [...row.querySelectorAll("[data-pick]")];
  const picked = radios.find((radio) => radio.checked);
  const all = (picked ? [picked] : radios).map(markOf);
  return all.filter((mark) => card.querySelector(`[data-box="${mark}"]`));
}

// One lit box shades the rest of the picture; several only stand out.
function setLit(card, marks) {
  for (const element of card.querySelectorAll("[data-lit]")) delete element.dataset.lit;
  for (const mark of marks) {
    const candidate = card.querySelector(`[data-candidate="${mark}"]`);
    const boxes = card.querySelectorAll(`[data-box="${mark}"]`);
    for (const element of [...boxes, candidate, candidate?.closest("li[data-target]")]) if (element) element.dataset.lit = marks.length > 1 ? "some" : "";
  }
}
