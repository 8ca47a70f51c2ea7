// Numbers the lines of a text that is edited, and goes to the line that `data-line` says is wrong.
import { behaviour } from "./attach.js";

behaviour("[data-lined]", (frame) => {
  const field = frame.querySelector("textarea");
  const wrong = Number(frame.dataset.line);
  const column = document.createElement("div");
  column.className = "line-numbers";
  column.setAttribute("aria-hidden", "true");
  frame.prepend(column);

  const follow = () => { column.scrollTop = field.scrollTop; };
  const number = () => {
    const count = field.value.split("\n").length;
    if (column.firstChild?.childElementCount !== count) column.replaceChildren(numbers(count, wrong));
    follow();
  };
  field.addEventListener("input", number);
  field.addEventListener("scroll", follow);
  number();
  if (wrong) goTo(field, wrong);
});

function numbers(count, wrong) {
  const list = document.createElement("ol");
  for (let line = 1; line <= count; line += 1) {
    const item = document.createElement("li");
    item.textContent = line;
    item.classList.toggle("line-wrong", line === wrong);
    list.append(item);
  }
  return list;
}

// To its start, with some lines above it in sight.
function goTo(field, line) {
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  field.focus();
  field.setSelectionRange(start, start);
  field.scrollTop = Math.max(0, (line - 6) * parseFloat(getComputedStyle(field).lineHeight));
}
