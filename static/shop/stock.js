// Asks whether the product is in stock; until the answer a spinner stands where the button will be.
const form = document.querySelector("[data-stock]");
const note = form.querySelector("[data-stock-note]");
const usual = note.textContent;

async function askStock() {
  note.textContent = "Loading…";
  try {
    const answer = await fetch(form.dataset.stock);
    if (!answer.ok) throw new Error(`stock answered ${answer.status}`);
    const { in_stock: inStock } = await answer.json();
    note.textContent = `${inStock} in stock, sent today if you order before three.`;
  } catch {
    note.textContent = usual;
  }
  form.classList.remove("is-waiting");
}

askStock();
