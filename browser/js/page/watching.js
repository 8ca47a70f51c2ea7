// The watch: did the page change after the act, and what does a field hold now?
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
