// A look at what lies out of view: scrolled there and back before anything is painted.
const scrolledAround = (element) =>
  [...upFrom(element)].map((node) => [node, dom.scrollLeft(node), dom.scrollTop(node)]);

// Pages around ours are asked too, as far as they are of the same site.
const scrolledEverywhere = (element) => {
  const places = scrolledAround(element);
  for (let view = window; view.frameElement; view = view.parent) {
    places.push(...scrolledAround(view.frameElement));
  }
  return places;
};

// What `look` answers about the point where a press would meet the element: null for no point.
const atItsPoint = (element, look) => {
  const there = pointOf(element);
  if (there) return look(there);
  const places = scrolledEverywhere(element);
  dom.scrollIntoView(element, { block: "center", inline: "center", behavior: "instant" });
  try {
    return look(pointOf(element));
  } finally {
    for (const [node, left, top] of places) dom.scrollTo(node, { left, top, behavior: "instant" });
  }
};
