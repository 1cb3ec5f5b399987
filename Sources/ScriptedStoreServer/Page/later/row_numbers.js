// Row numbers: tell screen readers the position of each row of a long list, and the number of all
// rows. Without a window all rows are there, and the browser counts them.

const rowNumbers = (() => {
  function refresh(list) {
    const [first, , total] = list.props.window ?? [];
    const isList = list.props.kind == "list";
    const mark = (row, place) => {
      dom.setAttribute(row, isList ? "aria-posinset" : "aria-rowindex", place);
      if (isList) dom.setAttribute(row, "aria-setsize", place && total);
    };
    // The first row of a table is its head.
    if (!isList) dom.setAttribute(list.box.parentNode, "aria-rowcount", total && total + 1);
    for (const row of list.numbered ?? []) mark(row, null);
    list.numbered = [];
    if (first) rows.rowsOf(list).forEach((row, index) => {
      if (!row.element) return;
      mark(row.dom, first + index + !isList);
      list.numbered.push(row.dom);
    });
  }

  // The lists that were there before this script was.
  for (const node of containers) if (node.props.window) refresh(node);

  return {refresh};
})();
