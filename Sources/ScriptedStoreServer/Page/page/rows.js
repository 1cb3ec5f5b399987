// Rows: the children of lists and tables, with their buttons.

const rows = (() => {
  const {draw, words, button} = dom;

  // In a list, the children of these are rows.
  const holdsRows = props => properties.isPlace(props) || props.kind == "section";
  // What stands in place of the rows while there is none.
  const isEmpty = ({props}) => props.kind == "empty";
  const isRow = node =>
    node.parent?.list && !node.presents && !holdsRows(node.props) && !isEmpty(node);

  // The row in which a DOM node is.
  function rowAt(domNode) {
    let node = tree.nodeOf(domNode);
    while (node && !isRow(node)) node = node.parent;
    return node;
  }

  const listOf = row => row.parent.list;
  const isMovable = row => !!listOf(row).props.onMove || !!listOf(row).goesOn;

  // The rows of a list in the tree, with those that show nothing.
  const rowsOf = node => tree.childrenOf(node).flatMap(
    child => holdsRows(child.props) ? rowsOf(child)
      : isEmpty(child) ? []
      : child.element || "id" in child.props ? child : []);
  // The DOM nodes of those that show something.
  const shownRows = list => rowsOf(list).filter(row => row.element).map(row => row.dom);
  const idsOf = ({props}) => props.id === undefined ? [] : [props.id];

  // ---- Drawing

  // The DOM node of a row: its element, if the row is that itself, or what is around it, with the
  // row's buttons.
  function wrapped(row, isWhole, attributes) {
    const {wrapper, element} = row;
    const {onDelete} = listOf(row).props;
    const canMove = isMovable(row);
    // The handle can be used when the part that drags is there.
    const move = canMove && rowButton(element, "move", "⠿", {disabled: !later.need(row)});
    const remove = onDelete && rowButton(element, "delete", "×");
    const uses = usesOf(row);
    if (uses.tabindex === 0) nameLater(row);
    if (wrapper == "li") {
      return draw(row.dom, ["li", {role: "listitem", ...uses}, move, element, remove]);
    }
    const buttons = (canMove || onDelete) && ["td", {}, move, remove];
    if (!isWhole) return draw(row.dom, ["tr", uses, ["td", {}, element], buttons]);
    draw(element, ["tr", {...attributes, ...uses}]);
    row.buttons?.remove();
    if (buttons) element.append(row.buttons = draw(row.buttons, buttons));
    return element;
  }

  function rowButton(element, name, sign, more) {
    const id = element.id ||= dom.newID();
    return button(name, notices.words[name], sign, {id: id + name, ...more});
  }

  // The attributes that say what a person can do with a row.
  function usesOf(row) {
    const {selection, selected, onDelete} = listOf(row).props;
    const isSelected = selected != null && selected === row.props.id;
    const canMove = isMovable(row);
    const keys = words(
      canMove && "Alt+ArrowUp Alt+ArrowDown", listOf(row).goesOn && "Alt+ArrowLeft Alt+ArrowRight",
      onDelete && "Delete");
    return {
      tabindex: (selection || onDelete || canMove) && 0,
      "aria-current": isSelected && "true", "aria-keyshortcuts": keys || null,
    };
  }

  // ---- Names
  //
  // A row that one can use is called by its texts, without the names of what one uses in it, and its
  // buttons by what they do and the same texts.

  // Rows that get their names when all of a frame is there.
  const unnamed = new Set();

  function nameLater(row) {
    if (!row) return;
    if (!unnamed.size) queueMicrotask(nameAll);
    unnamed.add(row);
  }

  function nameAll() {
    const all = [...unnamed];
    unnamed.clear();
    for (const row of all) if (row.element?.isConnected) name(row);
  }

  function name(row) {
    if (!row.dom.hasAttribute("tabindex")) return;
    const ids = textsOf(row).map(({element}) => element.id ||= dom.newID()).join(" ");
    dom.setAttribute(row.dom, "aria-labelledby", ids);
    for (const what of ["move", "delete"]) {
      const id = row.element.id + what;
      const itsButton = document.getElementById(id);
      if (itsButton) dom.setAttribute(itsButton, "aria-labelledby", `${id} ${ids}`);
    }
  }

  // The nodes with the texts of a row; the row if there are only those of controls.
  function textsOf(row) {
    const hasControls = row.element.querySelector("button, input, select, textarea, summary");
    const texts = hasControls ? textsIn(row) : [];
    return texts.length ? texts : [row];
  }

  const isUsed = /^(button|menu|toast|toggle|picker|slider|stepper|datePicker|secureField|file)$/;
  const holdsMuch = /^(disclosure|list|table|tabs)$/;

  function textsIn(node) {
    const {kind, decorative} = node.props;
    if (decorative || isUsed.test(kind) || holdsMuch.test(kind)) return [];
    const inside = tree.standIns(node);
    return inside.length ? inside.flatMap(textsIn) : [node];
  }

  const textOf = ({control, element}) =>
    control?.value ?? element.ariaLabel ?? element.innerText?.trim();
  const nameOf = row => textsOf(row).map(textOf).filter(Boolean).join(" ");

  // What stands in place of the rows is shown while there is none.
  function settleEmpty(list) {
    const empty = tree.childrenOf(list).filter(isEmpty);
    const hasRows = empty.length && (list.props.window?.[2] || rowsOf(list).length);
    for (const {dom} of empty) dom.hidden = !!hasRows;
  }

  // ---- What a person does

  const select = row => connection.send(row, {gesture: "select"});
  const remove = row => connection.send(row, {gesture: "delete", ids: idsOf(row)});

  // Moves a row in its list, or into another one: before the row `index` of those that show
  // something, or after the last one. `to` counts all rows of the list, also those that the tree has
  // not. Returns the number of the event; undefined for none.
  function move(row, list, index) {
    const all = rowsOf(list);
    const shown = all.filter(({element}) => element);
    const last = all.indexOf(shown.at(-1));
    const before = index < shown.length ? all.indexOf(shown[index]) : last + 1;
    const to = (list.props.window?.[0] ?? 1) + before;
    const isWithin = list == listOf(row);
    const into = isWithin ? undefined : tree.pathOf(list);
    const event = connection.send(row, {gesture: "move", ids: idsOf(row), to, into});
    if (!isWithin) later.parts.drops.follow(row, list, event);
    return event;
  }

  // Moves a row up or down by one, and past the end of its list into the next or previous one.
  function moveBy(row, by) {
    const list = listOf(row);
    const shown = shownRows(list);
    const to = shown.indexOf(row.dom) + by;
    if (accepting.movesWithin(list) && shown[to]) {
      const place = placeOf(row);
      const event = move(row, list, by > 0 ? to + 1 : to);
      moved = event && {row, place, event};
    } else {
      later.parts?.drops.moveOn(row, by, by > 0 ? 0 : Infinity);
    }
  }

  // The row that was moved by keys, with its place before, until a frame has moved it.
  let moved;

  const placeOf = row =>
    (listOf(row).props.window?.[0] ?? 1) + rowsOf(listOf(row)).indexOf(row);

  // After a frame: the new place of a row that was moved by keys is read out.
  function sayPlace() {
    if (!moved) return;
    const {row, place: before, event} = moved;
    const place = row.dom.isConnected ? placeOf(row) : before;
    if (place == before && connection.isUnseen(event)) return;
    moved = undefined;
    if (place == before) return;
    const list = listOf(row);
    const values = {row: nameOf(row), place, count: list.props.window?.[2] ?? rowsOf(list).length};
    const fill = (hole, word) => values[word] ?? hole;
    announcements.say(notices.words.moved.replace(/{(\w+)}/g, fill));
  }

  // Moves a row into the list after or before its own, to the same place there.
  const moveBeside = (row, by) =>
    later.parts?.drops.moveOn(row, by, shownRows(listOf(row)).indexOf(row.dom));

  // Gives the focus to the row that is `by` rows from one.
  function focusNext(row, by) {
    const shown = shownRows(listOf(row));
    shown[shown.indexOf(row.dom) + by]?.focus();
  }

  return {
    isRow, rowAt, listOf, rowsOf, shownRows, isMovable, wrapped, nameLater, settleEmpty,
    select, remove, move, moveBy, moveBeside, focusNext, sayPlace,
  };
})();
