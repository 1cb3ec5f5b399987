// The focus: keeps it where it is when a frame replaces what has it, gives it to the field that the
// state names, and says which field has it.

const focus = (() => {
  const {all} = dom;
  // The node whose property `focused` is to be done.
  let wanted;
  // The last event of the focus.
  let lastEvent = 0;

  const isText = control => control?.localName == "textarea"
    || control?.localName == "input" && /text|password/.test(control.type);

  // ---- Over a frame

  // Where the focus and the caret are.
  function remember() {
    const control = document.activeElement;
    const node = tree.nodeOf(control);
    if (!node) return undefined;
    const row = rows.rowAt(control)?.dom;
    const isUnseen = isText(control) && connection.isUnseen(node.lastEvent);
    return {
      control, path: tree.pathOf(node), isRow: control == row, className: control.className || "n",
      rows: row && [row, row.nextSibling, row.previousSibling],
      caret: isText(control) && [control.selectionStart, control.selectionEnd],
      text: isUnseen ? control.value : null,
    };
  }

  function restore(before) {
    if (!before || document.activeElement == before.control) return;
    // Somebody else has taken the focus meanwhile.
    if (!before.control?.isConnected && document.activeElement != document.body) return;
    const neighbour = neighbourOf(before);
    const node = neighbour || tree.find(before.path);
    const control = counterpart(before, neighbour, node);
    control?.focus({preventScroll: true});
    if (!before.caret || !isText(control)) return;
    if (before.text != null && control.value != before.text) {
      control.value = before.text;
      typing.send(node);
    }
    control.setSelectionRange(...before.caret);
  }

  // If the row has gone, its neighbour has the focus.
  function neighbourOf(before) {
    if (!before.rows || before.rows[0].isConnected) return undefined;
    return before.rows.find(row => row?.isConnected)?.viewNode;
  }

  // What has the focus now that `before.control` had.
  function counterpart(before, neighbour, node) {
    if (before.control?.isConnected) return before.control;
    if (before.isRow) return node?.dom;
    if (!neighbour) return node?.control ?? node?.element;
    const isSame = element => element.className === before.className;
    return all(neighbour.dom, "*").find(isSame) ?? neighbour.dom;
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

  return {isText, remember, restore, want, take, report};
})();
