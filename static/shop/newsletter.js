// Offers the letter a moment after the page has settled, once per visitor.
const dialog = document.querySelector("#newsletter");

function remember() {
  document.cookie = "newsletter=seen; path=/; max-age=31536000; samesite=lax";
}

if (dialog) {
  setTimeout(() => dialog.showModal(), Number(dialog.dataset.lateMs));
  dialog.addEventListener("close", remember);
  document.querySelector("#newsletter-close").addEventListener("click", () => dialog.close());
}
