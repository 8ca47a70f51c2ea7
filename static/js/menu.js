// A menu closes when something else is clicked, and by Escape.
import { behaviour } from "./attach.js";

behaviour("[data-menu]", (menu) => {
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
});
