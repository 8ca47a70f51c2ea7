// Keeps the sums on the page in step with the chosen delivery. The server works them out again.
function show(name, text) {
  for (const place of document.querySelectorAll(`[data-${name}]`)) {
    if (place.tagName !== "INPUT") place.textContent = text;
  }
}

function showSums(choice) {
  show("total", choice.dataset.sum);
  show("delivery-price", choice.dataset.price);
  show("credit", `−${choice.dataset.credit}`);
}

for (const choice of document.querySelectorAll("input[name=delivery]")) {
  choice.addEventListener("change", () => showSums(choice));
  if (choice.checked) showSums(choice);
}
