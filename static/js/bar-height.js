// Leaves as much room under a card as its fixed bar takes.
import { behaviour } from "./attach.js";

behaviour("[data-bar]", (bar) => {
  const card = bar.closest("[data-card]");
  new ResizeObserver(() => card.style.setProperty("--bar-height", `${bar.offsetHeight}px`)).observe(bar);
});
