// Match confidence for machines and people alike: the data of a card or step, and pure rules on it.
const LEVELS = {
  high: { word: "clear", icon: "clear", tone: "clear" },
  partial: { word: "caution", icon: "caution", tone: "caution" },
  ambiguous: { word: "danger", icon: "danger", tone: "danger" },
};

// The match confidence of an action on this page, or null when it has none.
export function getMatchConfidence(actionId) {
  const blocks = document.querySelectorAll("script[data-match-confidence]");
  const block = [...blocks].find((each) => each.dataset.actionId === actionId);
  return block ? JSON.parse(block.textContent) : null;
}

// What stands for a level: a word, an icon and a colour, never the colour alone.
export function badge(level) {
  return LEVELS[level] ?? { word: "no target", icon: "none", tone: "none" };
}

// The chosen one first, then what can be acted on, then the order of the page.
export function ordered(candidates, chosenIndex = -1) {
  const rank = (candidate) =>
    (candidate.index === chosenIndex ? 0 : 100) +
    (candidate.visible === false ? 40 : 0) +
    (candidate.enabled === false ? 20 : 0) +
    (candidate.covered_by ? 10 : 0) +
    (candidate.in_viewport === false ? 5 : 0);
  return [...candidates].sort((a, b) => rank(a) - rank(b) || a.index - b.index);
}

// What approving `picked` means: the verb and its fields, or null while a pick is missing.
// Indices count from 0; -1 is none. A call without a target has no candidates.
export function decisionPayload({ version, picked = -1, starred = -1, count = 0, reason = "" }) {
  const said = { version, ...(reason && { reason }) };
  if (count === 0) return { verb: "approve", fields: said };
  if (picked < 0 || picked >= count) return null;
  const verb = starred >= 0 && picked !== starred ? "modify" : "approve";
  return { verb, fields: { ...said, chosen_index: picked } };
}

// The same for a call with several targets: `targets` are {picked, starred, count} in their order.
// A change names only what is not the starred one; `missing` says which targets still lack a pick.
export function decisionPayloadOf({ version, targets, reason = "" }) {
  const said = { version, ...(reason && { reason }) };
  const picks = targets.map(({ picked = -1 }, index) => ({ index, chosen_index: picked }));
  const missing = targets.flatMap(({ picked = -1, count }, index) => (picked < 0 || picked >= count ? [index] : []));
  if (missing.length) return { verb: null, missing };
  const changed = targets.some(({ picked, starred }) => starred >= 0 && picked !== starred);
  const fields = changed ? picks.filter(({ chosen_index, index }) => chosen_index !== targets[index].starred) : picks;
  return { verb: changed ? "modify" : "approve", fields: { ...said, fields }, missing };
}
