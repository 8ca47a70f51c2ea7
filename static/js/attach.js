// Ties behaviours to elements, on the page as it loads and in every fragment that comes later.
const behaviours = [];

export function behaviour(selector, attach) {
  behaviours.push([selector, attach]);
  document.querySelectorAll(selector).forEach(attach);
}

export function attachWithin(root) {
  for (const [selector, attach] of behaviours) {
    if (root.matches(selector)) attach(root);
    root.querySelectorAll(selector).forEach(attach);
  }
}
