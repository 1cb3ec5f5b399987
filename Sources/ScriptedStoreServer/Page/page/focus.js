// The focus: keeps it where it is when a frame replaces what has it, gives it to the field that the
// state names, and says which field has it.
//
// Nodes are known by their places. When one comes or goes above what has the focus, the focus goes
// with the caret and the text to the node that has the same kind and name, if there is one.
//
// When what has the focus goes or is hidden, the first of these that is there gets it: the node in
// its place; the row beside its row; what had it before the dialog or the screen that went; what is
// beside it; the heading of what is shown.

const focus = (() => {
  const {all} = dom;
  // The node whose property `focused` is to be done.
  let wanted;
  // The last event of the focus.
  let lastEvent = 0;
  // Where the focus was before what a frame took away.
  let earlier = [];

  // What a node is called, with its kind and the rows around it; null for what has no name.
  function nameOf({props: {kind, name, label, text}}, path) {
    const called = name ?? label ?? text;
    return called == null ? null : JSON.stringify([kind, called, path.filter(Array.isArray)]);
  }

  const isText = control => control?.localName == "textarea"
    || control?.localName == "input" && /text|password|search/.test(control.type);

  // ---- Over a frame

  // Where the focus and the caret are.
  function remember() {
    const control = document.activeElement;
    const node = tree.nodeOf(control);
    if (!node) return undefined;
    const rowNode = rows.rowAt(control);
    const row = rowNode?.dom;
    const path = tree.pathOf(node);
    const isUnseen = isText(control) && (connection.isUnseen(node.lastEvent) || control.composing);
    return {
      control, node, path, isRow: control == row, className: control.className || "n",
      kind: node.props.kind, name: nameOf(node, path),
      scope: control.closest(".entry, dialog, main"),
      box: node.parent?.box,
      rows: row && [row, row.nextSibling, row.previousSibling],
      rowPath: rowNode && tree.pathOf(rowNode),
      list: rowNode && rows.listOf(rowNode),
      caret: isText(control) && [control.selectionStart, control.selectionEnd],
      text: isUnseen ? control.value : null,
    };
  }

  function restore(before) {
    if (!before || document.activeElement == before.control) return;
    // Another element has taken the focus meanwhile.
    if (!before.control?.isConnected && document.activeElement != document.body) return;
    const row = neighbourOf(before);
    const isLike = ({className}) => !before.isRow && className === before.className;
    const node = row ? undefined : tree.find(before.path);
    const control = before.control?.isConnected ? before.control
      : before.isRow ? node?.dom : node?.control ?? node?.element;
    if (row) giveTo(...all(row, "*").filter(isLike), row, ...fields(row));
    else giveTo(control);
    takeText(before, node, control);
  }

  // A field gets the caret of one before it, and the text that the server has not seen. That is
  // sent when the server has seen what was sent of it.
  function takeText({caret, text, node: old}, node, control) {
    if (!caret || !isText(control)) return;
    if (text != null && control.value != text) {
      if (old && old != node) connection.pass(old, node);
      control.value = text;
      node.isAskedFor = node != old && connection.isUnseen(node.lastEvent);
      typing.send(node);
    }
    control.setSelectionRange(...caret);
  }

  // Follows what had the focus to another place.
  function follow({control, node, kind, name, scope, ...before}) {
    if (!name || document.activeElement != control && !isLost()) return;
    const isSame = other => other.props.kind == kind && nameOf(other, tree.pathOf(other)) === name;
    if (control.isConnected && isSame(tree.nodeOf(control))) return;
    const same = all(scope, "*").map(({viewNode}) => viewNode)
      .filter(other => other?.element && isSame(other) && other.element.checkVisibility());
    const part = partsOf(node).indexOf(control);
    if (same.length != 1 || part < 0) return;
    const [other] = same;
    if (node.dom.isConnected) controls.forget(node);
    const target = partsOf(other)[part];
    giveTo(target);
    takeText({...before, node}, other, target);
  }

  // If the row has gone, its neighbour has the focus; if it was only drawn anew, the new one has.
  // If all of them have gone from the window of a long list, a person has scrolled far: then the
  // first row in sight has it.
  function neighbourOf({rows: near, rowPath, isRow, list}) {
    if (!near || near[0].isConnected) return undefined;
    const again = tree.find(rowPath);
    const neighbour = [again && rows.isRow(again) && again.dom, ...near]
      .find(row => row?.isConnected && row.localName);
    if (neighbour || !isRow || !list.dom.isConnected || !list.props.window) return neighbour;
    return rows.shownRows(list).find(row => dom.bounds(row).bottom > 0);
  }

  // What can have the focus in an element.
  const fields = element =>
    element ? all(element, "button, a, input, select, textarea, summary, [tabindex='0']") : [];

  // What can have the focus of a node, in an order that is that of another node of its kind.
  const partsOf = ({element}) => [element, ...fields(element)];

  // The first of these elements that takes the focus has it.
  const giveTo = (...elements) => elements.some(element => {
    element?.focus({preventScroll: true});
    return element && element == document.activeElement;
  });

  // ---- When what had it has gone

  const isLost = () => {
    const {activeElement} = document;
    return !activeElement || [document.body, dom.main].includes(activeElement)
      || !activeElement.checkVisibility();
  };

  // A dialog or a screen went, before which the focus was there.
  const offer = before => { if (before) earlier.push(before); };

  // After a frame.
  function settle(before) {
    if (!before && !earlier.length) return;
    if (isLost()) document.activeElement?.blur();
    if (before) follow(before);
    for (const place of [before, ...earlier]) if (isLost()) restore(place);
    earlier = [];
    if (!isLost() || giveTo(...fields(before?.box))) return;
    const shown = dialogs.top ?? dom.main;
    const heading = dom.headingOf(shown) ?? shown;
    heading.tabIndex = -1;
    giveTo(heading);
  }

  // ---- What the state says

  const want = node => { wanted = node; };

  // What the person did last counts until the server has seen it.
  function take() {
    if (!wanted || connection.isUnseen(lastEvent)) return;
    const {props: {focused}, element} = wanted;
    const active = document.activeElement;
    wanted = null;
    if (focused == active.dataset.name) return;
    if (focused != null) {
      const isNamed = field => field.dataset.name === String(focused);
      all(element, "[data-name]").find(isNamed)?.focus();
    } else if (active.dataset.name && element.contains(active)) {
      active.blur();
    }
  }

  // ---- What a person does

  // A field has got the focus or lost it ("blur").
  function report(gesture, {target, relatedTarget}) {
    const node = tree.nodeOf(target);
    if (frames.isApplying || !node?.props.name) return;
    const goesOn = !document.hasFocus() || relatedTarget?.dataset?.name;
    if (gesture == "blur" && goesOn) return;
    const box = tree.nearest(node.parent, "focus");
    if (!box) return;
    const isNews = box.props.focused !== node.props.name || connection.isUnseen(lastEvent);
    if (gesture == "blur" || isNews) lastEvent = connection.send(node, {gesture}) ?? 0;
  }

  return {isText, remember, restore, offer, settle, want, take, report};
})();
