// The targets of a card's form and what is picked for each: the one place that reads the radios.

// In the call's order; empty for a call without a target.
export function targetsOf(form) {
  return [...form.querySelectorAll("[data-target]")].map(readTarget);
}

export function readTarget(element) {
  const radios = [...element.querySelectorAll("[data-pick]")];
  const { starred, name } = element.dataset;
  const chosen = radios.find((radio) => radio.checked);
  return { element, radios, chosen, name: name ?? "", starred: Number(starred), count: radios.length, picked: Number(chosen?.value ?? -1) };
}

// The targets whose pick is not the starred one.
export const changedOf = (targets) => targets.filter(({ picked, starred }) => picked >= 0 && picked !== starred);

// The name by which a candidate's box, entry and radio find each other.
export const markOf = (radio) => radio.closest("[data-candidate]").dataset.candidate;
