// Shortcuts and other keys.

const shortcuts = (() => {
  const isMac = /mac|iphone|ipad/i.test(navigator.platform);
  const names = {__proto__: null, esc: "escape", return: "enter", del: "delete", " ": "space"};
  const modifiers = ["alt", "ctrl", "meta", "shift"];

  // The shortcut of a node as `ctrl+shift+n`; null for none. Where the browser keeps it
  // for itself, Alt takes the place of `mod`.
  function of({props: {shortcut}}) {
    if (!shortcut) return null;
    const parts = String(shortcut).toLowerCase().split(/\+(?!$)/);
    const key = parts.pop();
    const isKept = /^([ntwqrlp]|\d|tab)$/.test(key);
    const mod = isKept ? "alt" : isMac ? "meta" : "ctrl";
    const held = parts.map(part => part == "mod" ? mod : part).sort();
    return [...held, names[key] ?? key].join("+");
  }

  // The same as a person reads it.
  const textOf = node =>
    of(node).replace(/\b\w/g, letter => letter.toUpperCase()).replace("Meta", "⌘");

  // What one sees in a layer that has a shortcut, in the order of the screen. Rows only have keys.
  const elementsIn = layer => dom.all(layer, "[aria-keyshortcuts]:not(li, tr)")
    .filter(element => element.checkVisibility());

  // What is pressed, in the same form; and the key alone.
  function pressed(event) {
    const isLetter = event.altKey && /^(Key|Digit)/.test(event.code);
    const name = isLetter ? event.code.slice(-1) : event.key;
    const key = name.toLowerCase().replace("arrow", "");
    // What is no letter, as "?", needs Shift on some keyboards and not on others.
    const counts = modifier => modifier != "shift" || /\w/.test(key);
    const held = modifiers.filter(modifier => event[modifier + "Key"] && counts(modifier));
    return {key, keys: [...held, names[key] ?? key].join("+")};
  }

  function keyDown(event) {
    if (event.isComposing) return;
    const {target} = event;
    const {key, keys} = pressed(event);
    const by = /up|left/.test(key) ? -1 : 1;
    const isDone = keys == "escape" && typing.clear(target) || useShortcut(target, keys)
      || submit(target, keys) || leave(keys) || tap(target, keys) || useMenu(target, keys, by)
      || changeTab(target, keys, by) || useRow(target, keys, by) || list(target, keys);
    if (isDone) event.preventDefault();
  }

  // Each of these returns whether the keys were for it.

  function useShortcut(target, keys) {
    if (focus.isText(target) && keys.length == 1) return false;
    const isUsed = node => of(node) == keys && !tree.isDisabled(node);
    const used = elementsIn(dialogs.top ?? dom.main)
      .find(element => isUsed(tree.nodeOf(element)));
    // A toast goes when its button is used, and the focus stays where it is.
    if (!used?.closest(".toast")) used?.focus();
    if (used && !focus.isText(used)) used.click();
    return !!used;
  }

  function submit(target, keys) {
    const isEnter = keys == "enter" && focus.isText(target) && target.localName == "input";
    if (!isEnter && !/^(ctrl|meta)\+enter$/.test(keys)) return false;
    const node = controls.controlAt(target);
    if (!node || !tree.nearest(node, "onSubmit")) return false;
    typing.send(node);
    connection.send(node, {gesture: "submit"});
    return true;
  }

  // What is no button of the browser has no keys of its own.
  function tap(target, keys) {
    if (!/^(enter|space)$/.test(keys) || !target.matches(".shape[tabindex]")) return false;
    connection.send(tree.nodeOf(target), {gesture: "tap"});
    return true;
  }

  // Dialogs hear of Escape by themselves.
  function leave(keys) {
    if (keys != "escape") return false;
    const menu = dom.main.querySelector(".menu[open]");
    const entry = dom.all(dom.main, ".entry").findLast(element => element.checkVisibility());
    if (menu) events.closeMenu(menu);
    else if (dialogs.top) return false;
    else if (entry) events.back(entry);
    return true;
  }

  // The arrows open a menu, and go from one choice to the next.
  function useMenu(target, keys, by) {
    const menu = target.closest("details.menu");
    if (!menu || focus.isText(target) || !/^(up|down|home|end)$/.test(keys)) return false;
    menu.open = true;
    const choices = dom.all(menu, ".box button:enabled, .box a");
    const at = choices.indexOf(target);
    const next = keys == "home" ? 0 : keys == "end" ? -1 : at < 0 && by < 0 ? at : at + by;
    choices.at(next % choices.length)?.focus();
    return true;
  }

  function changeTab(target, keys, by) {
    if (target.className != "tab" || !/^(left|right)$/.test(keys)) return false;
    const tabs = [...target.parentNode.childNodes];
    const next = tabs.at((tabs.indexOf(target) + by) % tabs.length);
    next.focus();
    containers.choose(next);
    return true;
  }

  function useRow(target, keys, by) {
    const row = rows.rowAt(target);
    if (!row) return false;
    const {onDelete, selection} = rows.listOf(row).props;
    const isRow = target == row.dom;
    const [, alt, arrow] = /^(alt\+)?(up|down|left|right)$/.exec(keys) ?? [];
    const moves = (alt || arrow && target.className == "move") && rows.isMovable(row);
    const isBeside = /left|right/.test(arrow);
    const deletes = /^(delete|backspace)$/.test(keys) && !focus.isText(target);
    if (moves && !isBeside) rows.moveBy(row, by);
    else if (moves && rows.listOf(row).goesOn && !focus.isText(target)) rows.moveBeside(row, by);
    else if (onDelete && deletes) rows.remove(row);
    else if (isRow && /^(alt\+)?(up|down)$/.test(keys)) rows.focusNext(row, by);
    else if (isRow && selection && /^(enter|space)$/.test(keys)) rows.select(row);
    else return false;
    return true;
  }

  function list(target, keys) {
    if (keys != "?" || focus.isText(target)) return false;
    later.load().then(parts => parts?.shortcutList.open());
    return true;
  }

  return {of, textOf, elementsIn, keyDown};
})();
