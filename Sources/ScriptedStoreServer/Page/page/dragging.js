// Dragging: a row is dragged by its handle, and the others make room.

const dragging = (() => {
  const {bounds} = dom;

  // Puts the rows back of which one is dragged; null while none is.
  let putBack = null;

  const end = () => putBack?.();

  function begin(handle, down) {
    const row = rows.rowAt(handle);
    const rowNodes = rows.shownRows(rows.listOf(row));
    const from = rowNodes.indexOf(row.dom);
    const height = row.dom.offsetHeight;
    const middles = rowNodes.map(bounds).map(({top, height}) => top + height / 2);
    let to = from;

    function moveTo(by) {
      const isBefore = (middle, index) => index != from
        && middle < middles[from] + by + Math.sign(index - from) * height / 2;
      to = middles.filter(isBefore).length;
      rowNodes.forEach((rowNode, index) => {
        const isPassed = index > from ? index <= to : index >= to;
        const shift = index == from ? by : isPassed ? Math.sign(from - index) * height : 0;
        rowNode.style.translate = `0 ${shift}px`;
      });
    }

    const putThemBack = () => {
      if (putBack == putThemBack) putBack = null;
      for (const rowNode of rowNodes) rowNode.style.translate = "";
    };
    putBack = putThemBack;
    handle.setPointerCapture(down.pointerId);
    handle.onpointermove = ({clientY}) => moveTo(clientY - down.clientY);
    handle.onlostpointercapture = handle.onpointercancel = () => {
      handle.onpointermove = handle.onlostpointercapture = handle.onpointercancel = null;
      rows.move(row, to - from);
      // The frame with the new order ends it; this is for when none comes.
      setTimeout(putThemBack, to == from ? 0 : 400);
    };
  }

  return {begin, end};
})();
