// Holding still: bringing an element into view and looking at what a press would meet.
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

const isSame = (box, other) =>
  box.x === other.x && box.y === other.y && box.width === other.width && box.height === other.height;

// Bring the element into view and wait until it stands still, unless it stands where `known` says
// it stood a while ago. Answers what a press would meet.
const aim = async (position, known) => {
  const element = held()[position];
  if (!element || !dom.isConnected(element)) return null;
  const inView = Boolean(pointOf(element));
  if (!inView) {
    dom.scrollIntoView(element, { block: "center", inline: "center", behavior: "instant" });
  }
  const isStill = inView && known && isSame(boxOf(element), known);
  for (let turn = 0; !isStill && turn < 30; turn += 1) {
    const before = boxOf(element);
    await frame(50);
    if (isSame(before, boxOf(element))) break;
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
