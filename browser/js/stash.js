// A selector engine that only collects: `... >> NAME=stash:TOKEN` remembers every element that the
// selector before it found, `NAME=pick:TOKEN:3` gives the fourth of them back. It runs in the
// isolated world, where the page cannot see it. The last few looks are kept.
({
  queryAll(root, body) {
    const [verb, token, position] = body.split(":");
    const looks = (globalThis[Symbol.for("pointsman.stash")] ??= new Map());
    if (verb === "pick") {
      const element = looks.get(token)?.[Number(position)];
      return element?.isConnected ? [element] : [];
    }
    if (!looks.has(token)) {
      looks.set(token, []);
      if (looks.size > 8) looks.delete(looks.keys().next().value);
    }
    looks.get(token).push(root);
    return [root];
  },
  query(root, body) {
    return this.queryAll(root, body)[0];
  },
})
