// The sheet with the keys.
import { behaviour } from "./attach.js";

const sheet = document.querySelector("[data-help]");

export function openHelp() {
  if (!sheet || sheet.open) return;
  document.querySelectorAll("[data-menu][open]").forEach((menu) => { menu.open = false; });
  sheet.showModal();
}

behaviour("[data-help-open]", (button) => button.addEventListener("click", openHelp));
behaviour("[data-help]", (dialog) => {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
});
