// The focus: keeps it where it is when a frame replaces what has it, gives it to the field that the
// state names, and says which field has it.
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

  const isText = control => control?.localName == "textarea"
    || control?.localName == "input" && /text|password|search/.test(control.type);

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
      box: node.parent?.box,
      rows: row && [row, row.nextSibling, row.previousSibling],
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
    if (!before.caret || !isText(control)) return;
    if (before.text != null && control.value != before.text) {
      control.value = before.text;
      typing.send(node);
    }
    control.setSelectionRange(...before.caret);
  }

  // If the row has gone, its neighbour has the focus.
  function neighbourOf({rows}) {
    if (!rows || rows[0].isConnected) return undefined;
    return rows.find(row => row?.isConnected && row.localName);
  }

  // What can have the focus in an element.
  const fields = element =>
    element ? all(element, "button, a, input, select, textarea, summary, [tabindex='0']") : [];

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
