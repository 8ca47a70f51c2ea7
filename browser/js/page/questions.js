// The questions that Pointsman may ask; `at` says which look they are about.
const hold = (element) => {
  (globalThis[STASH] ??= new Map()).set(current, [element]);
  return dom.isConnected(element);
};

const questions = {
  survey, texts, settle, glance, tally, aim, meets, describeHeld, snippetOf,
  arm, ready, disarm, watch, changesSince, refusedFields,
  fieldState, isSecretNow, declareSecret, holdSecrets,
  hasFocus, isHovered, hold, holdAt, holdFocus, bringIntoView, countAlike,
  coversOn, isFrameVisible, isShownAbove, setOffByEnter, pressedBy, screenIn, namedBy,
  element: (position) => held()[position],
};
const at = (token) => {
  current = token;
  return questions;
};
globalThis[KEY] = { at };
