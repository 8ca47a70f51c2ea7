// Where an element is, whether it is visible, and what lies on it.
const boxOf = (element) => {
  if (element instanceof HTMLAreaElement) return areaBoxOf(element);
  const rect = dom.box(element);
  if (rect.width > 0 && rect.height > 0) return rect;
  if (getComputedStyle(element).display !== "contents") return rect;
  // display:contents has no box of its own; its content has.
  const range = dom.range(document);
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
};

// An area of a picture has no box of its own: its corners are counted from the picture's.
const pictureOf = (area) => {
  const name = dom.attribute(dom.closest(area, "map") ?? area, "name");
  return name && dom.first(document.documentElement, `img[usemap="#${CSS.escape(name)}"]`);
};
const cornersOf = (area, picture) => {
  const given = (dom.attribute(area, "coords") ?? "").split(",").map(Number);
  if (area.shape === "default") return [0, 0, picture.width, picture.height];
  if (area.shape !== "circle") return given;
  const [x, y, radius] = given;
  return [x - radius, y - radius, x + radius, y + radius];
};
const areaBoxOf = (area) => {
  const picture = pictureOf(area);
  if (!picture) return new DOMRect();
  const frame = dom.box(picture);
  const corners = cornersOf(area, frame);
  const across = corners.filter((_, place) => place % 2 === 0);
  const down = corners.filter((_, place) => place % 2 === 1);
  const [left, top] = [Math.min(...across), Math.min(...down)];
  return new DOMRect(
    frame.x + left, frame.y + top, Math.max(...across) - left, Math.max(...down) - top,
  );
};

const isVisible = (element) => {
  if (!dom.isConnected(element)) return false;
  const box = boxOf(element);
  if (!(box.width > 0 && box.height > 0)) return false;
  if (getComputedStyle(element).display === "contents") {
    const parent = dom.parentElement(element);
    return parent ? isVisible(parent) : true;
  }
  if (element instanceof HTMLAreaElement) return isVisible(pictureOf(element));
  return dom.isShown(element, { visibilityProperty: true });
};

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
// Asked by its number: an element that came from another document is of another class there.
const upFrom = function* (inner) {
  for (let node = inner; node; node = parentOf(node)) if (dom.nodeType(node) === 1) yield node;
};
const contains = (outer, inner) => {
  for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
  return false;
};

const isEnabled = (element) => {
  if (dom.matches(element, ":disabled")) return false;
  for (let node = element; node; node = parentOf(node)) {
    if (isElement(node) && dom.matches(node, "[aria-disabled=true],[inert]")) return false;
  }
  return true;
};

// A frame that nobody sees shows nothing. Null where a page of another site has to be asked.
const isFrameVisible = (frame) =>
  isVisible(frame) && frame.clientWidth > 0 && frame.clientHeight > 0;
const isShownAbove = () => {
  for (let view = window; view.parent !== view; view = view.parent) {
    if (!view.frameElement) return null;
    if (!isFrameVisible(view.frameElement)) return false;
  }
  return true;
};

// The element a person's finger would meet at a point, through open shadow roots.
const hitAt = (x, y) => {
  let hit = dom.hitOfDocument(document, x, y);
  for (let root = hit && dom.shadowRoot(hit); root; root = dom.shadowRoot(hit)) {
    let inner = dom.hitOfRoot(root, x, y);
    // On text in a slot the browser names the host, though the press goes to what the slot is in.
    if (inner === hit) inner = dom.hitsOfRoot(root, x, y)[0];
    if (!inner || inner === hit || !contains(hit, inner)) break;
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

const isMatch = (element, selector) => Boolean(attempt(() => dom.matches(element, selector)));

// What is hit, and the controls of the labels around it: they are pressed with it, unless a control
// inside the label takes the press for itself.
const KEPT_BY = "a[href],button,input,select,textarea";
const withLabelled = (hit) => {
  const all = [hit];
  for (const node of upFrom(hit)) {
    const labelled = node instanceof HTMLLabelElement && dom.control(node);
    if (labelled) all.push(labelled);
    if (isMatch(node, KEPT_BY)) break;
  }
  return all;
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

// What lies on a frame at each of these points: null for nothing.
const coversOn = (frame, points) =>
  points.map(({ x, y }) => {
    const hit = hitAt(x, y);
    return hit === frame ? null : hit ? sayWhat(hit) : OUTSIDE;
  });
