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
    const attributes = {id: id + name, "aria-labelledby": `${id}${name} ${id}`, ...more};
    return button(name, notices.words[name], sign, attributes);
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
    if (accepting.movesWithin(list) && shown[to]) move(row, list, by > 0 ? to + 1 : to);
    else later.parts?.drops.moveOn(row, by, by > 0 ? 0 : Infinity);
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
    isRow, rowAt, listOf, rowsOf, shownRows, isMovable, wrapped, settleEmpty,
    select, remove, move, moveBy, moveBeside, focusNext,
  };
})();
