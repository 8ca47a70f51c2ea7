// Puts what stands beside the button on the clipboard.
import { announce } from "./announce.js";
import { behaviour } from "./attach.js";
import { gettext } from "./words.js";

behaviour("[data-copy]", (button) => {
  button.addEventListener("click", async () => {
    const text = button.parentElement.querySelector("[data-copy-text]");
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = gettext("Copied");
      announce(gettext("Copied"));
    } catch {
      // Not allowed, or no https: mark it, so that one key press copies.
      getSelection().selectAllChildren(text);
    }
  });
});
