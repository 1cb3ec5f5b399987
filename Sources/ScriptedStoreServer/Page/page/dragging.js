// Dragging: a row is dragged by its handle, and the others make room.
//
//   begin ──▶ held ──(released)──▶ dropped ──(the server has seen the move)──▶ at rest
//
// 1. One row at most is dragged. Another drag, and what ends one, first puts all rows back.
// 2. While a frame is applied, no row is displaced. Behind it the rows are measured again.
// 3. The dragged row is where the pointer holds it, however the list moves or changes meanwhile.

const dragging = (() => {
  const {bounds} = dom;

  // The row that is dragged, and where the pointer holds it: `grip` is from the top of the row. Of
  // one that was dropped, `event` is the number of its move.
  let drag = null;

  function begin(handle, {pointerId, clientY}) {
    const row = rows.rowAt(handle);
    const grip = clientY - bounds(row.dom).top;
    end();
    drag = {row, pointerId, grip, y: clientY, isHeld: true};
    measure();
    show();
  }

  // Where the rows are at rest, from the top of the list.
  function measure() {
    const {row} = drag;
    const {element} = drag.list = rows.listOf(row);
    const rowNodes = drag.rowNodes = rows.shownRows(drag.list);
    for (const rowNode of rowNodes) for (const motion of rowNode.getAnimations()) motion.finish();
    const start = bounds(element).top;
    drag.places = rowNodes.map(bounds).map(({top, bottom}) => [top - start, bottom - start]);
    drag.from = rowNodes.indexOf(row.dom);
  }

  function show() {
    const {row, list, rowNodes, places, from, grip, y} = drag;
    const height = places[from][1] - places[from][0];
    const top = y - grip - bounds(list.element).top;
    const edge = index => index < from ? top : top + height;
    const isBefore = ([start, end], index) => index != from && (start + end) / 2 < edge(index);
    const to = drag.to = places.filter(isBefore).length;
    // The room of the row goes with it: its height, and the gap between rows.
    const gaps = places.slice(1).map(([start], index) => start - places[index][1]);
    const room = height + Math.min(...gaps);
    rowNodes.forEach((rowNode, index) => {
      const isPassed = index > from ? index <= to : index >= to;
      const shift = index == from ? top - places[from][0]
        : isPassed ? Math.sign(from - index) * room : 0;
      rowNode.style.translate = shift ? `0 ${shift}px` : "";
    });
    row.dom.classList.add("moving");
  }

  function putBack() {
    for (const rowNode of drag.rowNodes) rowNode.style.translate = "";
    drag.row.dom.classList.remove("moving");
  }

  function end() {
    if (drag) putBack();
    drag = null;
  }

  // ---- What the pointer does

  const isOf = ({pointerId}) => drag?.isHeld && drag.pointerId == pointerId;

  function move(event) {
    if (!isOf(event)) return;
    drag.y = event.clientY;
    show();
  }

  // The row stays in the room that was made for it until the server has answered.
  function drop(event) {
    if (!isOf(event)) return;
    const {row, list, places, from, to, grip} = drag;
    drag.event = to != from && rows.move(row, to - from);
    if (!drag.event) return end();
    const [start, stop] = places[from];
    const top = to < from ? places[to][0] : places[to][1] - (stop - start);
    Object.assign(drag, {isHeld: false, y: top + grip + bounds(list.element).top});
    show();
  }

  const cancel = event => { if (isOf(event)) end(); };

  // ---- What the server does

  const beforeFrame = () => { if (drag) putBack(); };

  function afterFrame() {
    if (!drag?.row.dom.isConnected) return drag = null;
    measure();
    show();
  }

  // The server has seen some events.
  const seen = () => { if (drag && !drag.isHeld && !connection.isUnseen(drag.event)) end(); };

  return {begin, move, drop, cancel, beforeFrame, afterFrame, seen};
})();
