// Shows the picture at the page's own size, with the picked candidate in the middle.
import { behaviour } from "./attach.js";

behaviour("[data-zoom]", (button) => {
  button.addEventListener("click", () => {
    const frame = button.closest(".scene-frame");
    const zoomed = frame.toggleAttribute("data-zoomed");
    button.setAttribute("aria-pressed", String(zoomed));
    if (zoomed) centre(frame);
  });
});

export function centre(frame) {
  const view = frame.querySelector("[data-scene-view]:not([hidden])");
  const box = ["[data-box][data-picked]", ".box-acted", ".box-starred", "[data-box]"]
    .map((kind) => view?.querySelector(kind)).find(Boolean);
  if (!box) return;
  view.scrollLeft = box.offsetLeft + box.offsetWidth / 2 - view.clientWidth / 2;
  view.scrollTop = box.offsetTop + box.offsetHeight / 2 - view.clientHeight / 2;
}
