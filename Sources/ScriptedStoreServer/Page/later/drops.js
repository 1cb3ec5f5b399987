// Drops: rows that go from one list into another one that accepts them.

const drops = (() => {
  const layerOf = ({element}) => element.closest("dialog") ?? dom.main;
  const isBefore = (a, b) => a.element.compareDocumentPosition(b.element) & 4;
  // The row that was dropped into another list, until the server has seen it.
  let dropped = null;

  // The lists of a layer that one sees, in the order of the screen.
  const around = list => [...containers]
    .filter(other => accepting.isList(other) && other.dom.isConnected && layerOf(other) == layerOf(list))
    .filter(({element}) => element.checkVisibility())
    .sort((a, b) => isBefore(a, b) ? -1 : 1);

  // The other lists into which a row can be dropped.
  const targetsOf = row => around(rows.listOf(row)).filter(other =>
    other != rows.listOf(row) && accepting.accepts(other, rows.listOf(row))
      && !tree.isDisabled(other) && !row.dom.contains(other.element));

  // Drops a row into the list after its own, or before it, that accepts it: before the row `index`
  // there, or at the end. Returns whether there is such a list.
  function moveOn(row, by, index) {
    const list = rows.listOf(row);
    const targets = targetsOf(row);
    const target = by > 0 ? targets.find(other => isBefore(list, other))
      : targets.findLast(other => isBefore(other, list));
    if (target) rows.move(row, target, index);
    return !!target;
  }

  // A row goes into another list: it takes the focus along, if that was in it.
  function follow(row, list, event) {
    if (event) dropped = {row, list, event, id: row.props.id};
  }

  // After a frame: `hadFocus` is what had the focus before.
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

  return {around, targetsOf, moveOn, follow, settle, seen};
})();
