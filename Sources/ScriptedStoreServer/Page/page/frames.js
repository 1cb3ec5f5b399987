// Frames: brings the tree to the next version. docs/wire-format.md, section 2, has the messages.

const frames = (() => {
  const {all, bounds} = dom;
  const reducedMotion = matchMedia("(prefers-reduced-motion)");
  let version = 0;
  let isApplying = false;

  function apply([newVersion, changes, shapes, animation]) {
    const hadFocus = focus.remember();
    const before = animation && !reducedMotion.matches && rowBounds();
    const isWholePage = changes.some(([code, path]) => code == 0 && !path.length);
    isApplying = true;
    try {
      templates.use(shapes);
      later.parts?.dragging.beforeFrame();
      applyChanges(changes);
      version = newVersion;
      accepting.refresh();
      containers.refreshAll(hadFocus);
      dialogs.arrange(hadFocus);
      later.parts?.dragging.afterFrame();
    } finally {
      isApplying = false;
    }
    later.parts?.drops.settle(hadFocus);
    focus.settle(hadFocus);
    focus.take();
    rows.sayPlace();
    announcements.settle(isWholePage);
    if (before) animate(before, animation);
    document.title = dom.titleOf(dialogs.screen) ?? "ScriptedStore";
  }

  // A path may begin with a negative number, which stands for as many steps of the path before.
  function applyChanges(changes) {
    let last = [];
    for (const change of changes) {
      const path = change[1];
      if (path[0] < 0) path.splice(0, 1, ...last.slice(0, -path[0]));
      last = path;
      applyChange(change);
    }
  }

  function applyChange([code, path, value, before]) {
    const node = tree.find(path);
    // Other children may be another name.
    if (code != 1) rows.nameLater(rows.rowAt(node?.dom));
    switch (code) {
      case 0: return tree.replace(path.length ? node : null, value);
      case 1: return set(node, value);
      case 2: return tree.insert(node, value, before && tree.child(node, before).dom);
      case 3: return node.dom.remove();
      default: return move(node, value);
    }
  }

  function set(node, values) {
    const {props} = node;
    const selectedBefore = props.selected;
    Object.assign(props, values);
    properties.clean(props);
    if ("focused" in values) focus.want(node);
    drawing.paint(node);
    // Nodes are disabled by those around them, and rows show what one can do with their list.
    if ("disabled" in values) {
      for (const {viewNode} of all(node.dom, "*")) if (viewNode) drawing.paint(viewNode);
    }
    if (node.list != node) return;
    const haveOtherButtons = ["onDelete", "onMove", "selection"].some(name => name in values);
    if (!haveOtherButtons && selectedBefore === props.selected) return;
    for (const row of rows.rowsOf(node)) {
      const isOther = row.props.id === selectedBefore || row.props.id === props.selected;
      if (row.element && (haveOtherButtons || isOther)) drawing.paint(row);
    }
  }

  // Moves a row before another one, or to the end.
  function move({dom, parent}, before) {
    const {box} = parent;
    // Where the browser can, it moves an element that keeps the focus.
    const insert = box.moveBefore ? "moveBefore" : "insertBefore";
    box[insert](dom, before ? tree.child(parent, before).dom : null);
  }

  const rowBounds = () =>
    new Map(all(document, "li, tr").slice(0, 300).map(row => [row, bounds(row)]));

  // Rows go from where they were to where they are, and new ones appear.
  function animate(before, animation) {
    const timing = {
      duration: Math.max(Number(animation.duration ?? .25) || 0, 0) * 1000,
      easing: animation == "linear" ? animation : "ease",
    };
    for (const [row, {left, top}] of rowBounds()) {
      const old = before.get(row);
      if (!old) {
        row.animate({opacity: [0, 1]}, timing);
      } else if (old.top != top || old.left != left) {
        const start = `${old.left - left}px ${old.top - top}px`;
        row.animate({translate: [start, "0 0"]}, timing);
      }
    }
  }

  // Shows that there is no tree.
  function fail(error) {
    version = 0;
    tree.replace(null, {kind: "failed", error});
    dialogs.arrange();
  }

  return {
    get version() { return version; },
    get isApplying() { return isApplying; },
    apply, fail,
  };
})();
