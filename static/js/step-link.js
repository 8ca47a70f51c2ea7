// A link to a step that is on another page of a long run leads on to that page.
import { behaviour } from "./attach.js";

behaviour("[data-timeline]", () => {
  const [, step] = location.hash.match(/^#step-(\d+)$/) ?? [];
  const isAsked = new URLSearchParams(location.search).has("step");
  if (step && !isAsked && !document.getElementById(`step-${step}`)) location.replace(`?step=${step}${location.hash}`);
});
