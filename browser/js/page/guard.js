// The guard: while it is armed, only the aimed element may receive input.
const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu"];
const KEYS = ["keydown", "keypress", "keyup", "beforeinput"];
let guard = null;

const onInput = (event) => {
  if (!guard || !event.isTrusted || !guard.types.includes(event.type)) return;
  const target = event.composedPath()[0];
  const reached = guard.element !== null && receives(guard.element, target);
  if (!reached) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
  const met = reached ? null : sayWhat(target);
  guard.tell(JSON.stringify({ event: event.type, reached, met }));
};
for (const type of [...PRESS, ...KEYS]) addEventListener(type, onInput, { capture: true });

// `position` null: no element of this frame may receive anything.
const arm = (position, kind, binding, longest_ms) => {
  disarm();
  guard = {
    element: position === null ? null : kind === "keys" ? fieldAt(position) : held()[position],
    types: kind === "keys" ? KEYS : PRESS,
    tell: Object.hasOwn(globalThis, binding) ? globalThis[binding] : () => {},
    late: setTimeout(disarm, longest_ms),
  };
  return true;
};

const disarm = () => {
  clearTimeout(guard?.late);
  guard = null;
  return true;
};

const hasFocus = (position) => {
  let focus = dom.focusOfDocument(document);
  for (let root = focus && dom.shadowRoot(focus); root; root = dom.shadowRoot(focus)) {
    const inner = dom.focusOfRoot(root);
    if (!inner) break;
    focus = inner;
  }
  return Boolean(focus) && receives(fieldAt(position), focus);
};
