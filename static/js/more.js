// Reads the next rows of a long queue shortly before its end comes into view.
import { behaviour } from "./attach.js";
import { loadMore } from "./rows.js";

const AHEAD = "800px";

behaviour("[data-queue]", (queue) => {
  const near = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && load(), { rootMargin: AHEAD, scrollMargin: AHEAD });
  const watch = () => {
    near.disconnect();
    const line = queue.querySelector("[data-more]");
    if (line) near.observe(line);
  };
  queue.addEventListener("arranged", watch);
  queue.addEventListener("click", (event) => {
    if (!event.target.closest("[data-more] a")) return;
    event.preventDefault();
    load();
  });
  watch();
});

let loading = null;

// Without an answer the line stays, and its link asks again.
function load() {
  loading ??= loadMore().catch(() => {}).finally(() => { loading = null; });
}
