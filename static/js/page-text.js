// Text that others wrote, made safe to read: the rules of proposals/page_text.py for what a script shows.
const UNSEEN = /([\p{C}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0])/u;
const SPACES = /[ \t\n\r\u00a0]+/g;

// Isolated from the words around it, with every unseen character under its name.
export function visible(words) {
  const shown = document.createElement("bdi");
  const parts = words.replace(SPACES, " ").trim().split(UNSEEN).filter(Boolean);
  shown.append(...parts.map((part) => (UNSEEN.test(part) ? named(part) : part)));
  return shown;
}

function named(character) {
  const name = document.createElement("span");
  name.className = "unseen";
  name.textContent = `⟦U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
  return name;
}
