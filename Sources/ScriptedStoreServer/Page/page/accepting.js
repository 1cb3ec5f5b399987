// Accepting: the list that rows are dropped into says by `accepts` from which lists they may come,
// and has `onDrop`.

const accepting = (() => {
  // Whether a node is a list or a table.
  const isList = node => node.list == node;

  function accepts({props}, {props: {name}}) {
    return !!props.onDrop && name != null && !!props.accepts?.includes(name);
  }

  // Whether rows of a list can be moved inside of it.
  const movesWithin = list => !!list.props.onMove || accepts(list, list);

  // After a frame: rows of lists that others have begun or ceased to accept get their buttons, or
  // lose them.
  function refresh() {
    const lists = [...containers].filter(node => isList(node) && node.dom.isConnected);
    const takers = lists.filter(({props}) => props.onDrop);
    for (const list of lists) {
      const goesOn = takers.some(other => accepts(other, list));
      if (goesOn == !!list.goesOn) continue;
      list.goesOn = goesOn;
      if (list.props.kind == "table") drawing.paint(list);
      for (const row of rows.rowsOf(list)) if (row.element) drawing.paint(row);
    }
  }

  return {isList, accepts, movesWithin, refresh};
})();
