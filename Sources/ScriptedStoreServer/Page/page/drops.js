// Drops: rows that go from one list into another. The list that they are dropped into says by
// `accepts` from which lists they may come, and has `onDrop`.

const drops = (() => {
  const layerOf = ({element}) => element.closest("dialog") ?? dom.main;
  const isList = ({props}) => /^(list|table)$/.test(props.kind);
  const isBefore = (a, b) => a.element.compareDocumentPosition(b.element) & 4;
  // The row that was dropped into another list, until the server has seen it.
  let dropped = null;

  function accepts({props}, {props: {name}}) {
    return !!props.onDrop && name != null && !!props.accepts?.includes(name);
  }

  // Whether rows of a list can be moved inside of it.
  const movesWithin = list => !!list.props.onMove || accepts(list, list);

  // The lists of a layer that one sees, in the order of the screen.
  const around = list => [...containers]
    .filter(other => isList(other) && other.dom.isConnected && layerOf(other) == layerOf(list))
    .filter(({element}) => element.checkVisibility())
    .sort((a, b) => isBefore(a, b) ? -1 : 1);

  // The other lists into which a row can be dropped.
  const targetsOf = row => around(rows.listOf(row)).filter(other =>
    other != rows.listOf(row) && accepts(other, rows.listOf(row))
      && !tree.isDisabled(other) && !row.dom.contains(other.element));

  // Drops a row into the list behind its own, or before it, that accepts it: before the row `index`
  // there, or at the end. Returns whether there is such a list.
  function moveOn(row, by, index) {
    const list = rows.listOf(row);
    const targets = targetsOf(row);
    const target = by > 0 ? targets.find(other => isBefore(list, other))
      : targets.findLast(other => isBefore(other, list));
    if (target) rows.move(row, target, index);
    return !!target;
  }

  // ---- Frames

  // Behind a frame: rows of lists that others have begun or ceased to accept get their buttons, or
  // lose them.
  function refresh() {
    const lists = [...containers].filter(node => isList(node) && node.dom.isConnected);
    const accepting = lists.filter(({props}) => props.onDrop);
    for (const list of lists) {
      const goesOn = accepting.some(other => accepts(other, list));
      if (goesOn == !!list.goesOn) continue;
      list.goesOn = goesOn;
      if (list.props.kind == "table") drawing.paint(list);
      for (const row of rows.rowsOf(list)) if (row.element) drawing.paint(row);
    }
  }

  // A row goes into another list: it takes the focus along, if that was in it.
  function follow(row, list, event) {
    if (event) dropped = {row, list, event, id: row.props.id};
  }

  // Behind a frame: `hadFocus` is what had the focus before.
  function settle(hadFocus) {
    if (!dropped || hadFocus?.rows?.[0] != dropped.row.dom) return;
    const {row: {dom: old}, list, id} = dropped;
    const row = !old.isConnected && list.dom.isConnected
      && rows.rowsOf(list).find(({props, element}) => element && props.id === id);
    if (!row) return;
    dropped = null;
    const inside = !hadFocus.isRow && dom.all(row.dom, `.${hadFocus.className}`)[0];
    if (!inside && !row.dom.hasAttribute("tabindex")) row.dom.tabIndex = -1;
    (inside || row.dom).focus();
  }

  const seen = () => { if (dropped && !connection.isUnseen(dropped.event)) dropped = null; };

  return {accepts, movesWithin, around, targetsOf, moveOn, refresh, follow, settle, seen};
})();
