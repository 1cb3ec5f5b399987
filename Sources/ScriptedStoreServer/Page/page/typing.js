// Typing: sends what was typed into a field as changes of its text. docs/wire-format.md, section 4,
// has the rules.

const typing = (() => {
  // Characters of a piece; a message of the page may have 16 KB.
  const most = 2500;

  const isHigh = unit => /[\ud800-\udbff]/.test(unit);

  // The number of units that two texts have in common at their beginning.
  function commonStart(one, other) {
    let count = 0;
    while (count < one.length && one[count] === other[count]) count++;
    return count;
  }

  // Sends what is between the same beginning and the same end, in pieces of which none ends inside
  // of a character.
  function send(node) {
    const {control, props} = node;
    const isUnseen = connection.isUnseen(node.typedEvent);
    const old = isUnseen ? node.typedText : String(props.value ?? "");
    const now = control.value;
    if (control.composing || node.isAskedFor || now === old) return;
    let {start, removed, inserted} = difference(old, now);
    let from = isUnseen ? node.typedEvent : undefined;
    do {
      const piece = inserted.slice(0, pieceLength(inserted));
      inserted = inserted.slice(piece.length);
      const more = inserted ? 1 : undefined;
      from = connection.send(node, {gesture: "type", from, start, removed, inserted: piece, more});
      start += piece.length;
      removed = 0;
    } while (inserted);
    node.typedEvent = from;
    node.typedText = now;
  }

  function difference(old, now) {
    const shorter = Math.min(old.length, now.length);
    let start = commonStart(old, now);
    if (isHigh(old[start - 1])) start--;
    let end = 0;
    const isSame = () => old[old.length - 1 - end] === now[now.length - 1 - end];
    while (end < shorter - start && isSame()) end++;
    if (isHigh(old[old.length - end - 1])) end--;
    return {
      start, removed: old.length - end - start, inserted: now.slice(start, now.length - end),
    };
  }

  const pieceLength = text => text.length > most ? most - isHigh(text[most - 1]) : text.length;

  // Shows another text in a field. The caret stays where it was in what is the same.
  function show(control, now) {
    const old = control.value;
    if (old === now) return;
    const isActive = focus.isText(control) && control == document.activeElement;
    const caret = isActive && [control.selectionStart, control.selectionEnd];
    control.value = now;
    if (!caret) return;
    const same = commonStart(old, now);
    const grown = now.length - old.length;
    const moved = caret.map(at => at <= same ? at : Math.max(same, grown + at));
    control.setSelectionRange(...moved);
  }

  // Empties a search field. Returns whether there was a text in it.
  function clear(control) {
    const hasText = control.type == "search" && control.value;
    if (hasText) {
      control.value = "";
      send(tree.nodeOf(control));
      control.focus();
    }
    return hasText;
  }

  return {send, show, clear};
})();
