// Later: the parts of the page that few screens need come in a script of their own, which is loaded
// when a node needs it first.

const later = (() => {
  let parts;
  let loading;
  // A browser does not ask again for an address that has failed.
  let failures = 0;
  const waiting = new Set();

  // The parts; undefined while they are not there. Then the node is drawn again.
  function need(node) {
    if (parts) return parts;
    waiting.add(node);
    load();
    return undefined;
  }

  // Calls `body` with the parts, when they are there.
  const use = body => load().then(() => parts && body(parts));

  const load = () =>
    loading ??= import("/later.js" + (failures ? `?${failures}` : "")).then(take).catch(problem => {
      loading = null;
      failures++;
      reportError(problem);
    });

  function take(loaded) {
    parts = loaded;
    for (const node of waiting) if (node.dom?.isConnected) drawing.paint(node);
    waiting.clear();
  }

  return {need, use, get parts() { return parts; }};
})();
