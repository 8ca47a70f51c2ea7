// A selector engine that only collects: `... >> NAME=stash:TOKEN:TURN` remembers every element that
// the selector before it found; another turn of the same look takes the place of the last one.
// `NAME=pick:TOKEN:3` gives the fourth of them back. It runs in the isolated world, where the page
// cannot see it. The latest looks are kept.
({
  queryAll(root, body) {
    const [verb, token, number] = body.split(":");
    const looks = (globalThis[Symbol.for("pointsman.stash")] ??= new Map());
    if (verb === "pick") {
      const element = looks.get(token)?.[Number(number)];
      return element?.isConnected ? [element] : [];
    }
    if (!looks.has(token) || looks.get(token).turn !== number) {
      looks.set(token, Object.assign([], { turn: number }));
      while (looks.size > 256) looks.delete(looks.keys().next().value);
    }
    looks.get(token).push(root);
    return [root];
  },
  query(root, body) {
    return this.queryAll(root, body)[0];
  },
})
