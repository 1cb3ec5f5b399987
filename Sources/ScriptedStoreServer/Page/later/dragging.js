// Dragging: a row is dragged by its handle, and the others make room. Over another list, a line
// shows where it would be dropped, or a mark that it cannot be.
//
//   begin ──▶ held ──(released)──▶ dropped ──(the server has seen the move)──▶ at rest
//
// 1. One row at most is dragged. Another drag, and what ends one, first puts all rows back.
// 2. While a frame is applied, no row is displaced. After it the rows are measured again.
// 3. The dragged row is where the pointer holds it, however the list moves or changes meanwhile.
// 4. A row of a list from which no other list accepts rows stays in its column.

const dragging = (() => {
  const {all, bounds} = dom;
  // The distance from the edge of the window, in pixels, at which the pointer begins to scroll.
  const edge = 48;
  const marks = ["taking", "refusing", "above", "below"];

  // The row that is dragged, and where the pointer holds it: `grip` is from the left and the top of
  // the row. Of one that was dropped, `event` is the number of its move.
  let drag = null;

  function begin(handle, {pointerId, clientX, clientY}) {
    const row = rows.rowAt(handle);
    const {left, top} = bounds(row.dom);
    end();
    drag = {
      row, pointerId, x: clientX, y: clientY, grip: [clientX - left, clientY - top],
      targets: drops.targetsOf(row), isHeld: true,
    };
    measure();
    show();
  }

  // Where the rows are at rest, from the top of the list.
  function measure() {
    const {row} = drag;
    const {element} = drag.list = rows.listOf(row);
    const rowNodes = drag.rowNodes = rows.shownRows(drag.list);
    for (const rowNode of rowNodes) for (const motion of rowNode.getAnimations()) motion.finish();
    const start = bounds(element);
    const places = rowNodes.map(bounds);
    drag.places = places.map(({top, bottom}) => [top - start.top, bottom - start.top]);
    drag.from = rowNodes.indexOf(row.dom);
    drag.left = places[drag.from].left - start.left;
    drag.targets = drag.targets.filter(({dom}) => dom.isConnected);
    drag.lists = drag.targets.length ? drops.around(drag.list) : [drag.list];
    if (!drag.lists.includes(drag.over)) drag.over = drag.list;
    const scroller = drag.scroller = element.closest("dialog") ?? document.scrollingElement;
    drag.scrollEnd = scroller.scrollHeight - scroller.clientHeight;
  }

  // The list to which the pointer is nearest, before all in its direction to the side.
  function listUnder({lists, x, y}) {
    const beyond = (at, start, end) => Math.max(start - at, at - end, 0);
    const distances = lists.map(({element}) => {
      const {left, right, top, bottom} = bounds(element);
      return [beyond(x, left, right), beyond(y, top, bottom)];
    });
    const isNearer = (a, b) => a[0] < b[0] || a[0] == b[0] && a[1] < b[1];
    const nearest = distances.reduce((best, next) => isNearer(next, best) ? next : best);
    return lists[distances.indexOf(nearest)];
  }

  function show() {
    if (drag.isHeld) drag.over = listUnder(drag);
    unmark();
    if (drag.over == drag.list && accepting.movesWithin(drag.list)) showWithin();
    else showOver();
    drag.row.dom.classList.add("moving");
  }

  // How far the row is to the side of its place.
  const aside = ({list, left, lists, x, grip}) =>
    lists.length > 1 ? x - grip[0] - left - bounds(list.element).left : 0;

  function showWithin() {
    const {list, rowNodes, places, from, grip, y} = drag;
    const height = places[from][1] - places[from][0];
    const top = y - grip[1] - bounds(list.element).top;
    const edgeOf = index => index < from ? top : top + height;
    const isBefore = ([start, end], index) => index != from && (start + end) / 2 < edgeOf(index);
    const to = drag.to = places.filter(isBefore).length;
    // The room of the row goes with it: its height, and the gap between rows.
    const gaps = places.slice(1).map(([start], index) => start - places[index][1]);
    const room = height + Math.min(...gaps);
    rowNodes.forEach((rowNode, index) => {
      const isPassed = index > from ? index <= to : index >= to;
      const shift = index == from ? top - places[from][0]
        : isPassed ? Math.sign(from - index) * room : 0;
      displace(rowNode, index == from ? aside(drag) : 0, shift);
    });
  }

  function showOver() {
    const {list, over, targets, rowNodes, places, from, grip, y} = drag;
    const top = y - grip[1] - bounds(list.element).top;
    rowNodes.forEach((rowNode, index) => {
      const isDragged = index == from;
      displace(rowNode, isDragged ? aside(drag) : 0, isDragged ? top - places[from][0] : 0);
    });
    drag.to = from;
    if (over == list) return;
    if (!targets.includes(over)) return over.element.classList.add("refusing");
    over.element.classList.add("taking");
    const others = rows.shownRows(over);
    const to = drag.to = others.filter(other => {
      const {top: start, bottom} = bounds(other);
      return (start + bottom) / 2 < y;
    }).length;
    if (others[to]) others[to].classList.add("above");
    else others.at(-1)?.classList.add("below");
  }

  function displace(rowNode, x, y) {
    rowNode.style.translate = x || y ? `${x}px ${y}px` : "";
  }

  function unmark() {
    for (const mark of marks) for (const element of all(document, "." + mark)) {
      element.classList.remove(mark);
    }
  }

  function putBack() {
    for (const rowNode of drag.rowNodes) rowNode.style.translate = "";
    drag.row.dom.classList.remove("moving");
    unmark();
  }

  function end() {
    if (drag) putBack();
    drag = null;
  }

  // ---- What the pointer does

  const isOf = ({pointerId}) => drag?.isHeld && drag.pointerId == pointerId;

  function move(event) {
    if (!isOf(event)) return;
    Object.assign(drag, {x: event.clientX, y: event.clientY});
    show();
    drag.scrolling ??= requestAnimationFrame(scroll);
  }

  // Scrolls while the row is held at an edge of the window, but not where only the row itself is.
  function scroll() {
    if (!drag?.isHeld) return;
    const {y, scroller, scrollEnd} = drag;
    const wanted = Math.min(y - edge, 0) + Math.max(y - innerHeight + edge, 0);
    const by = Math.min(wanted / 4, scrollEnd - scroller.scrollTop);
    drag.scrolling = by ? requestAnimationFrame(scroll) : null;
    if (!by) return;
    scroller.scrollBy(0, by);
    show();
  }

  // The row stays in the room that was made for it, or where it was dropped, until the server has
  // answered.
  function drop(event) {
    if (!isOf(event)) return;
    const {row, list, over, targets, places, from, to, grip} = drag;
    const isWithin = over == list;
    const isMoved = isWithin ? to != from : targets.includes(over);
    drag.event = isMoved && rows.move(row, over, isWithin && to > from ? to + 1 : to);
    if (!drag.event) return end();
    drag.isHeld = false;
    if (isWithin) {
      const [start, stop] = places[from];
      const top = to < from ? places[to][0] : places[to][1] - (stop - start);
      drag.y = top + grip[1] + bounds(list.element).top;
      drag.x = drag.left + grip[0] + bounds(list.element).left;
    }
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
