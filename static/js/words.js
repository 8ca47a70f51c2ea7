// The scripts' own words in the page's language: the page brings what its language says for each.
const catalogue = JSON.parse(document.getElementById("words")?.textContent ?? "{}");
const language = document.documentElement.lang;

// As the reader's browser writes numbers and times, if that is the page's language.
export const locale = navigator.languages.find((each) => each.startsWith(language)) ?? language;

export function gettext(words, values = {}) {
  return filled(catalogue[words] ?? words, values);
}

// `{count}` is in the values by itself.
export function ngettext(one, many, count, values = {}) {
  const forms = catalogue[one] ?? [one, many];
  return filled(forms[count === 1 ? 0 : 1], { count, ...values });
}

function filled(words, values) {
  return words.replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);
}
