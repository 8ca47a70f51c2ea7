// The questions that Pointsman may ask; `at` says which look they are about.
const hold = (element) => {
  (globalThis[STASH] ??= new Map()).set(current, [element]);
  return dom.isConnected(element);
};

const questions = {
  survey, texts, settle, aim, meets, arm, ready, disarm, watch, changesSince, refusedFields, fieldState, isSecretNow,
  hasFocus, isHovered, holdAt, bringIntoView, holdFocus, countAlike, describeHeld, snippetOf,
  coversOn, isFrameVisible, isShownAbove, glance, tally, hold,
  element: (position) => held()[position],
};
const at = (token) => {
  current = token;
  return questions;
};
globalThis[KEY] = { at };
