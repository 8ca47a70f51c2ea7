// What Pointsman asks of a page, in an isolated world: nothing the page redefined is called.
// Installed once per document as globalThis.__pointsman. Boxes are in px of this frame's viewport.
(() => {
  if (globalThis.__pointsman) return;
  const { computeAccessibleName, getRole } = globalThis.__pointsmanAria;
  const TEXT = 200;
  const CONTEXT = 120;
  const ROWS = "tr,[role=row],li,[role=listitem],article,[role=article]";
  const REGIONS =
    "dialog,[role=dialog],form,fieldset,section,aside,nav,header,footer,main,[role=region],[role=navigation]";
  const BUTTONS = new Set(["button", "submit", "reset", "image"]);
  const squeeze = (text, limit) => (text ?? "").replace(/\s+/g, " ").trim().slice(0, limit);
  const attempt = (compute) => {
    try {
      return compute() ?? "";
    } catch {
      return "";
    }
  };

  // The elements of the look that is being asked about; `at` says which look that is.
  let current = "";
  const held = () => globalThis.__pointsmanStash?.get(current) ?? [];

  const boxOf = (element) => {
    const rect = element.getBoundingClientRect();
    if (rect.width > 0 && rect.height > 0) return rect;
    if (getComputedStyle(element).display !== "contents") return rect;
    // display:contents has no box of its own; its content has.
    const range = element.ownerDocument.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };

  const isVisible = (element) => {
    if (!element.isConnected) return false;
    const box = boxOf(element);
    if (!(box.width > 0 && box.height > 0)) return false;
    if (getComputedStyle(element).display === "contents") {
      return element.parentElement ? isVisible(element.parentElement) : true;
    }
    return element.checkVisibility({ visibilityProperty: true });
  };

  const isEnabled = (element) =>
    !element.matches(":disabled") && !element.closest("[aria-disabled=true],[inert]");

  const parentOf = (node) => node.assignedSlot ?? node.parentNode ?? node.host ?? null;
  const contains = (outer, inner) => {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  };

  // The element a person's finger would meet at a point, through open shadow roots.
  const hitAt = (x, y) => {
    let hit = document.elementFromPoint(x, y);
    while (hit?.shadowRoot) {
      const inner = hit.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };

  const receives = (element, hit) => {
    if (!hit) return false;
    if (contains(element, hit)) return true;
    for (let node = hit; node; node = parentOf(node)) {
      if (node.localName === "label" && node.control === element) return true;
    }
    return false;
  };

  const sayWhat = (element) => ({
    tag: element.localName ?? "document",
    text: squeeze(element.innerText ?? element.textContent, 60),
  });
  const OUTSIDE = { tag: "nothing", text: "the point lies outside the page" };

  // The middle of the first part of the element that lies inside the viewport.
  const pointOf = (element) => {
    const rects = [...element.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
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

  const coverOf = (element, point) => {
    if (!point) return null;
    const hit = hitAt(point.x, point.y);
    if (receives(element, hit)) return null;
    return hit ? sayWhat(hit) : OUTSIDE;
  };

  const attributesOf = (element) => {
    const found = {};
    for (const name of ["id", "name", "type", "data-testid", "aria-label", "placeholder", "title"]) {
      const value = element.getAttribute(name);
      if (value !== null) found[name] = value.slice(0, TEXT);
    }
    const href = element.getAttribute("href");
    if (href !== null) found.href = href.slice(0, 500);
    const isButton = element.localName === "input" && BUTTONS.has(element.type);
    if (isButton) found.value = element.value.slice(0, TEXT);
    return found;
  };

  const step = (element) => {
    const twins = [...(element.parentNode?.children ?? [])].filter(
      (sibling) => sibling.localName === element.localName,
    );
    return twins.length > 1
      ? `${element.localName}:nth-of-type(${twins.indexOf(element) + 1})`
      : element.localName;
  };

  const pathOf = (element) => {
    const steps = [];
    let node = element;
    while (node && node.nodeType === Node.ELEMENT_NODE) {
      const id = node.id;
      const alone = id && node.getRootNode().querySelectorAll(`#${CSS.escape(id)}`).length === 1;
      steps.unshift(alone ? `#${CSS.escape(id)}` : step(node));
      const root = node.getRootNode();
      const top = node.parentNode === root || alone;
      if (top && root instanceof ShadowRoot) {
        steps.unshift("::shadow");
        node = root.host;
      } else if (top) break;
      else node = node.parentElement;
    }
    return steps.join(" > ");
  };

  const headingOf = (region) => {
    const labelled = region.getAttribute("aria-label");
    if (labelled) return labelled;
    const heading = region.querySelector("legend,h1,h2,h3,h4,h5,h6,[role=heading],caption");
    return heading ? (heading.innerText ?? heading.textContent) : "";
  };

  const rowTextOf = (row, element) => {
    const all = row.innerText ?? row.textContent;
    const own = element.innerText ?? "";
    return own ? all.replace(own, " ") : all;
  };

  const contextOf = (element) => {
    const parts = [];
    const row = element.parentElement?.closest(ROWS);
    if (row) parts.push(squeeze(rowTextOf(row, element), 60));
    let region = element.parentElement?.closest(REGIONS);
    for (let depth = 0; region && depth < 2; depth += 1) {
      const heading = squeeze(attempt(() => headingOf(region)), 50);
      const kind = region.getAttribute("role") ?? region.localName;
      parts.push(heading ? `${kind} "${heading}"` : kind);
      region = region.parentElement?.closest(REGIONS);
    }
    return parts.filter(Boolean).join(", ").slice(0, CONTEXT);
  };

  const describe = (element) => {
    const box = boxOf(element);
    const point = pointOf(element);
    return {
      tag: element.localName,
      role: attempt(() => element.getAttribute("role")?.split(" ")[0] || getRole(element)),
      name: squeeze(attempt(() => computeAccessibleName(element)), TEXT),
      text: squeeze(element.innerText ?? element.textContent, TEXT),
      attributes: attributesOf(element),
      box: { x: box.x, y: box.y, width: box.width, height: box.height },
      point,
      visible: isVisible(element),
      enabled: isEnabled(element),
      in_viewport: point !== null,
      covered_by: coverOf(element, point),
      shadow: element.getRootNode() instanceof ShadowRoot,
      path: pathOf(element),
      context: contextOf(element),
      is_secret: isSecret(element),
    };
  };

  const isSecret = (element) =>
    element.localName === "input" &&
    (element.type === "password" || /^cc-|password|one-time-code/.test(element.autocomplete));

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
      .map((element) => (element.innerText ?? element.textContent ?? "").slice(0, 20_000));

  const settle = () =>
    new Promise((resolve) => {
      const late = setTimeout(resolve, 200); // a page that paints nothing must not hold us up
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          clearTimeout(late);
          resolve();
        }),
      );
    });

  // Bring the element into view and wait until it stands still. Answers what a click would meet.
  const aim = async (position) => {
    const element = held()[position];
    if (!element?.isConnected) return { problem: "detached" };
    if (!pointOf(element)) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    for (let turn = 0; turn < 30; turn += 1) {
      const before = boxOf(element);
      const point = pointOf(element);
      await new Promise((resolve) => {
        const late = setTimeout(resolve, 50);
        requestAnimationFrame(() => {
          clearTimeout(late);
          resolve();
        });
      });
      const after = boxOf(element);
      const still = before.x === after.x && before.y === after.y && before.width === after.width;
      if (still || turn === 29) {
        if (!isVisible(element)) return { problem: "detached" };
        return { ...describe(element), point: still ? point : pointOf(element) };
      }
    }
  };

  // --- the guard: for one press, only the aimed element may receive it -------------------------
  const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu"];
  let disarm = () => {};

  const arm = (position, binding) => {
    disarm();
    const element = position === null ? null : held()[position];
    const onPress = (event) => {
      if (!event.isTrusted) return;
      const reached = element !== null && event.composedPath().some((node) => receives(element, node));
      if (!reached) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
      const met = reached ? null : sayWhat(event.composedPath()[0] ?? document.documentElement);
      globalThis[binding]?.(JSON.stringify({ event: event.type, reached, met }));
    };
    for (const type of PRESS) addEventListener(type, onPress, { capture: true });
    const late = setTimeout(() => disarm(), 5_000);
    disarm = () => {
      clearTimeout(late);
      for (const type of PRESS) removeEventListener(type, onPress, { capture: true });
      disarm = () => {};
    };
    return true;
  };

  // --- the watch: did the page change after the act? -----------------------------------------
  let watched = null;
  const stateOf = (element) =>
    element && "value" in element ? `${element.value}|${element.checked ?? ""}` : "";

  const watch = (position) => {
    watched?.observer.disconnect();
    const element = held()[position] ?? null;
    const changes = { count: 0 };
    const observer = new MutationObserver((records) => (changes.count += records.length));
    observer.observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    watched = {
      observer,
      changes,
      element,
      state: stateOf(element),
      focus: document.activeElement,
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
    const element = held()[position];
    if (!element?.isConnected) return null;
    return element.isContentEditable ? element.innerText : (element.value ?? null);
  };

  // HTML around the element, with every value that could be a secret taken out.
  const snippetOf = (position, limit) => {
    const element = held()[position];
    const around = element?.parentElement ?? element;
    if (!around) return "";
    const copy = around.cloneNode(true);
    for (const hidden of copy.querySelectorAll("script,style,noscript,template")) hidden.remove();
    for (const field of [copy, ...copy.querySelectorAll("input,textarea,option")]) {
      if (field.localName === "textarea") field.textContent = "";
      const isButton = field.localName === "input" && BUTTONS.has(field.type);
      if (field.hasAttribute?.("value") && !isButton) field.setAttribute("value", "•••");
    }
    return copy.outerHTML.slice(0, limit);
  };

  const isOnTop = (frame, x, y) => {
    const hit = hitAt(x, y);
    return hit === frame ? null : hit ? sayWhat(hit) : OUTSIDE;
  };

  const hold = (element) => {
    (globalThis.__pointsmanStash ??= new Map()).set(current, [element]);
    return true;
  };

  const questions = {
    survey, texts, settle, aim, arm, disarm: () => disarm(), watch, changesSince, valueOf,
    snippetOf, isOnTop, hold, element: (position) => held()[position],
  };
  const at = (token) => {
    current = token;
    return questions;
  };
  globalThis.__pointsman = { at };
})();
