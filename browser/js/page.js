// What Pointsman asks of a page, in an isolated world: nothing the page redefined is called.
// Installed once per document, before the page's own scripts where the worker was there in time.
// Boxes and points are in px of this frame's viewport.
(() => {
  const KEY = Symbol.for("pointsman");
  const STASH = Symbol.for("pointsman.stash");
  if (globalThis[KEY]) return;
  const { computeAccessibleName, getRole } = globalThis.__pointsmanAria;

  // --- reading the DOM ------------------------------------------------------------------------
  // A form's fields and a document's images shadow built-in properties by their names, in every
  // world: `form.parentNode` may be an <input name="parentNode">. So the prototypes are asked.
  const get = (prototype, name) => {
    const read = Object.getOwnPropertyDescriptor(prototype, name).get;
    return (node) => read.call(node);
  };
  const call = (prototype, name) => {
    const run = prototype[name];
    return (node, ...given) => run.apply(node, given);
  };
  const dom = {
    parentNode: get(Node.prototype, "parentNode"),
    parentElement: get(Node.prototype, "parentElement"),
    isConnected: get(Node.prototype, "isConnected"),
    nodeType: get(Node.prototype, "nodeType"),
    textContent: get(Node.prototype, "textContent"),
    localName: get(Element.prototype, "localName"),
    id: get(Element.prototype, "id"),
    shadowRoot: get(Element.prototype, "shadowRoot"),
    slotOfElement: get(Element.prototype, "assignedSlot"),
    slotOfText: get(Text.prototype, "assignedSlot"),
    childrenOfElement: get(Element.prototype, "children"),
    childrenOfRoot: get(DocumentFragment.prototype, "children"),
    innerText: get(HTMLElement.prototype, "innerText"),
    isEditable: get(HTMLElement.prototype, "isContentEditable"),
    control: get(HTMLLabelElement.prototype, "control"),
    outerHTML: get(Element.prototype, "outerHTML"),
    root: call(Node.prototype, "getRootNode"),
    clone: call(Node.prototype, "cloneNode"),
    closest: call(Element.prototype, "closest"),
    matches: call(Element.prototype, "matches"),
    attribute: call(Element.prototype, "getAttribute"),
    box: call(Element.prototype, "getBoundingClientRect"),
    boxes: call(Element.prototype, "getClientRects"),
    first: call(Element.prototype, "querySelector"),
    all: call(Element.prototype, "querySelectorAll"),
    isShown: call(Element.prototype, "checkVisibility"),
    scrollIntoView: call(Element.prototype, "scrollIntoView"),
    allOfRoot: call(DocumentFragment.prototype, "querySelectorAll"),
    allOfDocument: call(Document.prototype, "querySelectorAll"),
    hitOfDocument: call(Document.prototype, "elementFromPoint"),
    hitOfRoot: call(ShadowRoot.prototype, "elementFromPoint"),
    range: call(Document.prototype, "createRange"),
    focusOfDocument: get(Document.prototype, "activeElement"),
    focusOfRoot: get(ShadowRoot.prototype, "activeElement"),
  };
  const isElement = (node) => node instanceof Element;
  const isRoot = (node) => node instanceof ShadowRoot;

  const TEXT = 200;
  const CONTEXT = 120;
  const NAME = 100;
  const PATH = 2_000;
  const NAMED_PARTS = 2_000;
  const ROWS = "tr,[role=row],li,[role=listitem],article,[role=article]";
  const REGIONS =
    "dialog,[role=dialog],form,fieldset,section,aside,nav,header,footer,main,[role=region],[role=navigation]";
  const INTERACTIVE =
    "a[href],button,input,select,textarea,summary,iframe,audio[controls],video[controls],[tabindex],[contenteditable],[role=button],[role=link],[role=checkbox],[role=menuitem],[role=tab],[role=option],[role=switch]";
  const BUTTONS = new Set(["button", "submit", "reset", "image"]);
  const cut = (text, limit) => (text ?? "").slice(0, limit).toWellFormed();
  const squeeze = (text, limit) => cut((text ?? "").replace(/\s+/g, " ").trim(), limit);
  const attempt = (compute) => {
    try {
      return compute() ?? "";
    } catch {
      return "";
    }
  };
  const textOf = (element) =>
    element instanceof HTMLElement ? dom.innerText(element) : dom.textContent(element);
  const typeOf = (element) => (element instanceof HTMLInputElement ? element.type : "");

  // The elements of the look that is being asked about; `at` says which look that is.
  let current = "";
  const held = () => globalThis[STASH]?.get(current) ?? [];

  // --- where an element is, and what lies on it -----------------------------------------------
  const boxOf = (element) => {
    const rect = dom.box(element);
    if (rect.width > 0 && rect.height > 0) return rect;
    if (getComputedStyle(element).display !== "contents") return rect;
    // display:contents has no box of its own; its content has.
    const range = dom.range(document);
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };

  const isVisible = (element) => {
    if (!dom.isConnected(element)) return false;
    const box = boxOf(element);
    if (!(box.width > 0 && box.height > 0)) return false;
    if (getComputedStyle(element).display === "contents") {
      const parent = dom.parentElement(element);
      return parent ? isVisible(parent) : true;
    }
    return dom.isShown(element, { visibilityProperty: true });
  };

  const isEnabled = (element) =>
    !dom.matches(element, ":disabled") && !dom.closest(element, "[aria-disabled=true],[inert]");

  const parentOf = (node) => {
    if (isRoot(node)) return node.host;
    if (node instanceof Window || node instanceof Document) return null;
    const slot = isElement(node)
      ? dom.slotOfElement(node)
      : node instanceof Text
        ? dom.slotOfText(node)
        : null;
    return slot ?? dom.parentNode(node);
  };
  const contains = (outer, inner) => {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  };

  // The element a person's finger would meet at a point, through open shadow roots.
  const hitAt = (x, y) => {
    let hit = dom.hitOfDocument(document, x, y);
    for (let root = hit && dom.shadowRoot(hit); root; root = dom.shadowRoot(hit)) {
      const inner = dom.hitOfRoot(root, x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };

  // Whether a press on `hit` is a press on `element`: it is inside it, or in its label. A control
  // of its own inside that label takes the press for itself.
  const receives = (element, hit) => {
    if (!hit || hit instanceof Window || hit instanceof Document) return false;
    if (contains(element, hit)) return true;
    for (let node = hit; node; node = parentOf(node)) {
      if (node instanceof HTMLLabelElement) return dom.control(node) === element;
      if (isElement(node) && dom.matches(node, INTERACTIVE)) return false;
    }
    return false;
  };

  const sayWhat = (node) =>
    isElement(node)
      ? { tag: cut(dom.localName(node), NAME), text: squeeze(textOf(node), 60) }
      : { tag: "document", text: "" };
  const OUTSIDE = { tag: "nothing", text: "the point lies outside the page" };

  // The middle of the first part of the element that lies inside the viewport.
  const pointOf = (element) => {
    const rects = [...dom.boxes(element)].filter((r) => r.width > 0 && r.height > 0);
    if (!rects.length) rects.push(boxOf(element));
    for (const r of rects) {
      const left = Math.max(r.left, 0);
      const top = Math.max(r.top, 0);
      const right = Math.min(r.right, innerWidth);
      const bottom = Math.min(r.bottom, innerHeight);
      if (right - left >= 1 && bottom - top >= 1) {
        return { x: (left + right) / 2, y: (top + bottom) / 2 };
      }
    }
    return null;
  };

  const coverAt = (element, point) => {
    const hit = hitAt(point.x, point.y);
    if (receives(element, hit)) return null;
    return hit ? sayWhat(hit) : OUTSIDE;
  };

  const isOnTop = (frame, x, y) => {
    const hit = hitAt(x, y);
    return hit === frame ? null : hit ? sayWhat(hit) : OUTSIDE;
  };

  // --- what an element is ---------------------------------------------------------------------
  const attributesOf = (element) => {
    const found = {};
    for (const name of ["id", "name", "type", "data-testid", "aria-label", "placeholder", "title"]) {
      const value = dom.attribute(element, name);
      if (value !== null) found[name] = cut(value, TEXT);
    }
    const href = dom.attribute(element, "href");
    if (href !== null) found.href = cut(href, 500);
    if (BUTTONS.has(typeOf(element))) found.value = cut(element.value, TEXT);
    return found;
  };

  const step = (element) => {
    const parent = dom.parentNode(element);
    const children = isElement(parent)
      ? dom.childrenOfElement(parent)
      : isRoot(parent)
        ? dom.childrenOfRoot(parent)
        : [];
    const name = cut(dom.localName(element), NAME);
    const twins = [...children].filter((sibling) => cut(dom.localName(sibling), NAME) === name);
    return twins.length > 1 ? `${name}:nth-of-type(${twins.indexOf(element) + 1})` : name;
  };

  const isOnlyOne = (id, root) => {
    const all = root instanceof Document ? dom.allOfDocument : dom.allOfRoot;
    return all(root, `#${CSS.escape(id)}`).length === 1;
  };

  const pathOf = (element) => {
    const steps = [];
    let node = element;
    while (isElement(node)) {
      const root = dom.root(node);
      const id = dom.id(node);
      const alone = id && id.length <= NAME && (root instanceof Document || isRoot(root)) && isOnlyOne(id, root);
      steps.unshift(alone ? `#${CSS.escape(id)}` : step(node));
      if (alone || dom.parentNode(node) === root) {
        if (!isRoot(root)) break;
        steps.unshift("::shadow");
        node = root.host;
      } else node = dom.parentElement(node);
    }
    return steps.join(" > ").slice(-PATH).toWellFormed();
  };

  const headingOf = (region) => {
    const labelled = dom.attribute(region, "aria-label");
    if (labelled) return labelled;
    const heading = dom.first(region, "legend,h1,h2,h3,h4,h5,h6,[role=heading],caption");
    return heading ? textOf(heading) : "";
  };

  const rowTextOf = (row, element) => {
    const own = textOf(element);
    return own ? textOf(row).replace(own, " ") : textOf(row);
  };

  const around = (element, selector) => {
    const parent = dom.parentElement(element);
    return parent ? dom.closest(parent, selector) : null;
  };

  const contextOf = (element) => {
    const parts = [];
    const row = around(element, ROWS);
    if (row) parts.push(squeeze(rowTextOf(row, element), 60));
    let region = around(element, REGIONS);
    for (let depth = 0; region && depth < 2; depth += 1) {
      const heading = squeeze(attempt(() => headingOf(region)), 50);
      const kind = cut(dom.attribute(region, "role") ?? dom.localName(region), NAME);
      parts.push(heading ? `${kind} "${heading}"` : kind);
      region = around(region, REGIONS);
    }
    return cut(parts.filter(Boolean).join(", "), CONTEXT);
  };

  // What is written when a label is named: its field.
  const fieldOf = (element) =>
    (element instanceof HTMLLabelElement && dom.control(element)) || element;

  const isSecret = (element) => {
    const field = fieldOf(element);
    if (!(field instanceof HTMLInputElement)) return false;
    return field.type === "password" || /(^|\s)cc-|password|one-time-code/.test(field.autocomplete);
  };

  const roleOf = (element) =>
    dom.attribute(element, "role")?.trim().split(/\s+/)[0] || getRole(element);

  // The library walks every part of an element, with its style: too slow for thousands of them.
  const nameOf = (element) =>
    dom.all(element, "*").length > NAMED_PARTS
      ? (dom.attribute(element, "aria-label") ?? dom.textContent(element))
      : computeAccessibleName(element);

  const describe = (element) => {
    const box = boxOf(element);
    const point = pointOf(element);
    return {
      tag: cut(dom.localName(element), NAME),
      role: cut(attempt(() => roleOf(element)), NAME),
      name: squeeze(attempt(() => nameOf(element)), TEXT),
      text: squeeze(textOf(element), TEXT),
      attributes: attributesOf(element),
      box: { x: box.x, y: box.y, width: box.width, height: box.height },
      point,
      visible: isVisible(element),
      enabled: isEnabled(element),
      covered_by: point && coverAt(element, point),
      shadow: isRoot(dom.root(element)),
      path: pathOf(element),
      context: contextOf(element),
      is_secret: isSecret(element),
    };
  };

  // Everything the selector found in this frame; the first `limit` visible ones described.
  const survey = (limit) => {
    const elements = held();
    const seen = [];
    elements.forEach((element, position) => {
      if (isVisible(element)) seen.push({ element, position });
    });
    return {
      total: elements.length,
      visible: seen.length,
      scroll: { x: scrollX, y: scrollY },
      candidates: seen
        .slice(0, limit)
        .map(({ element, position }) => ({ position, ...describe(element) })),
    };
  };

  const texts = (limit) =>
    held()
      .filter(isVisible)
      .slice(0, limit)
      .map((element) => cut(textOf(element), 20_000));

  // --- holding still --------------------------------------------------------------------------
  // A page that paints nothing must not hold us up: after `late_ms` we go on without a frame.
  const frame = (late_ms) =>
    new Promise((resolve) => {
      const late = setTimeout(resolve, late_ms);
      requestAnimationFrame(() => {
        clearTimeout(late);
        resolve();
      });
    });

  const settle = async () => {
    await frame(100);
    await frame(100);
  };

  // Bring the element into view and wait until it stands still. Answers what a press would meet.
  const aim = async (position) => {
    const element = held()[position];
    if (!element || !dom.isConnected(element)) return null;
    if (!pointOf(element)) {
      dom.scrollIntoView(element, { block: "center", inline: "center", behavior: "instant" });
    }
    for (let turn = 0; turn < 30; turn += 1) {
      const before = boxOf(element);
      await frame(50);
      const after = boxOf(element);
      if (before.x === after.x && before.y === after.y && before.width === after.width) break;
    }
    return isVisible(element) ? describe(element) : null;
  };

  // What lies on the element at this very point now, asked without waiting: null for nothing.
  const meets = (position, point) => {
    const element = held()[position];
    if (!element || !dom.isConnected(element)) return OUTSIDE;
    return coverAt(element, point);
  };

  const fieldAt = (position) => fieldOf(held()[position]);
  const isSecretNow = (position) => Boolean(held()[position]) && isSecret(held()[position]);

  // --- the guard: while it is armed, only the aimed element may receive input -------------------
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

  // --- the watch: did the page change after the act? --------------------------------------------
  let watched = null;
  const stateOf = (element) =>
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
      ? `${element.value}|${element.checked ?? ""}`
      : "";

  const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };
  const rootAbove = (root) => (isRoot(root) ? dom.root(root.host) : null);

  const watch = (position) => {
    watched?.observer.disconnect();
    const element = held()[position] ? fieldAt(position) : null;
    const changes = { count: 0 };
    const observer = new MutationObserver((records) => (changes.count += records.length));
    // A document's observer sees nothing inside shadow roots: each around the element is watched.
    for (let root = element ? dom.root(element) : document; root; root = rootAbove(root)) {
      observer.observe(root, EVERYTHING);
    }
    watched = {
      observer,
      changes,
      element,
      state: stateOf(element),
      scroll: `${scrollX},${scrollY}`,
    };
    return true;
  };

  const changesSince = () => {
    if (!watched) return ["document"];
    watched.changes.count += watched.observer.takeRecords().length;
    const found = [];
    if (watched.changes.count) found.push("dom");
    if (stateOf(watched.element) !== watched.state) found.push("value");
    if (`${scrollX},${scrollY}` !== watched.scroll) found.push("scroll");
    return found;
  };

  const valueOf = (position) => {
    const element = held()[position] && fieldAt(position);
    if (!element || !dom.isConnected(element)) return null;
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      return element.value;
    }
    return element instanceof HTMLElement && dom.isEditable(element) ? textOf(element) : null;
  };

  // HTML around the element, with every value that could be a secret taken out.
  const snippetOf = (position, limit) => {
    const element = held()[position];
    if (!element) return "";
    const copy = dom.clone(dom.parentElement(element) ?? element, true);
    for (const part of dom.all(copy, "script,style,noscript,template")) part.remove();
    for (const field of [copy, ...dom.all(copy, "input,textarea,option")]) {
      if (field instanceof HTMLTextAreaElement) field.textContent = "";
      const isField = field instanceof HTMLInputElement || field instanceof HTMLOptionElement;
      if (isField && field.hasAttribute("value") && !BUTTONS.has(typeOf(field))) {
        field.setAttribute("value", "•••");
      }
    }
    return cut(dom.outerHTML(copy), limit);
  };

  const hold = (element) => {
    (globalThis[STASH] ??= new Map()).set(current, [element]);
    return dom.isConnected(element);
  };

  const questions = {
    survey, texts, settle, aim, meets, arm, disarm, hasFocus, watch, changesSince, valueOf,
    isSecretNow,
    snippetOf, isOnTop, hold, element: (position) => held()[position],
  };
  const at = (token) => {
    current = token;
    return questions;
  };
  globalThis[KEY] = { at };
})();
