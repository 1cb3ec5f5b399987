// Long lists: of such a list, the tree has a window of its rows. The room of the others is left
// free, and when a person scrolls there, the page asks for them.

const longLists = (() => {
  const {bounds} = dom;
  // Rows that are asked for beyond those that are seen, on each side; and the most in a window.
  const margin = 20, most = 200;
  let frame;

  function refresh(list) {
    const box = list.props.kind == "list" ? list.box : list.element;
    const rowNodes = list.props.window ? rows.shownRows(list) : [];
    // Those of a list that had a window go.
    if (list.props.window || list.numbered) later.need(list)?.rowNumbers.refresh(list);
    if (!rowNodes.length) {
      if (list.rowHeight) box.style.paddingBlock = "";
      return;
    }
    // What is hidden has no size. It keeps the rows that it has.
    if (!box.checkVisibility()) return;
    const [first, count, total] = list.props.window;
    const height = list.rowHeight ??= heightOf(rowNodes) || 40;
    const below = Math.max(total - first - count + 1, 0);
    box.style.paddingBlock = `${(first - 1) * height}px ${below * height}px`;
    const [from, to] = seenRows(list, box, height, total);
    if (to == from || from >= first - 1 && to < first + count) {
      // Another screen may begin with other rows, and then the same are asked for again.
      list.askedFor = null;
      return;
    }
    ask(list, [Math.max(from - margin, 0) + 1, Math.min(to - from + 2 * margin, most)]);
  }

  const heightOf = rowNodes =>
    (bounds(rowNodes.at(-1)).bottom - bounds(rowNodes[0]).top) / rowNodes.length;

  // The rows that are in sight, from 0 on: the first one, and the one after the last.
  function seenRows(list, box, height, total) {
    const scroller = list.element.closest(".scroll, dialog");
    const {top, bottom} = scroller ? bounds(scroller) : {top: 0, bottom: innerHeight};
    const start = bounds(box).top;
    const rowAt = y => Math.min(Math.max(Math.floor((y - start) / height), 0), total);
    return [rowAt(Math.max(top, 0)), rowAt(Math.min(bottom, innerHeight) + height)];
  }

  function ask(list, show) {
    const text = String(show);
    if (list.askedFor == text) return;
    list.askedFor = text;
    connection.send(list, {show});
  }

  // Something was scrolled: looks once for each frame that the browser draws.
  function lookAgain() {
    frame ??= requestAnimationFrame(() => {
      frame = null;
      for (const node of containers) if (node.props.window) refresh(node);
    });
  }

  // What was asked for may have gone with the connection, or with the screen of another environment.
  function askAgain() {
    for (const node of containers) node.askedFor = null;
    lookAgain();
  }

  return {refresh, lookAgain, askAgain};
})();
