// Later: the parts of the page that few screens need come in a script of their own, which is loaded
// when a node or a key needs it first.

const later = (() => {
  let parts;
  let loading;
  // A browser does not ask again for an address that has failed.
  let failures = 0;
  const waiting = new Set();

  // Loads the parts, and promises them; undefined if they do not come.
  function load() {
    return loading ??=
      import("/later.js" + (failures ? `?${failures}` : "")).then(take).catch(problem => {
        loading = null;
        failures++;
        reportError(problem);
      });
  }

  // The parts; undefined while they are not there. Then the node is drawn again.
  function need(node) {
    if (!parts) {
      waiting.add(node);
      load();
    }
    return parts;
  }

  function take(loaded) {
    parts = loaded;
    for (const node of waiting) if (node.dom?.isConnected) drawing.paint(node);
    waiting.clear();
    return parts;
  }

  return {load, need, get parts() { return parts; }};
})();
