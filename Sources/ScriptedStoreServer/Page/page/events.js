// Events: what the browser says of a person, for the module whose it is. All listeners are at the
// window, so nodes have none.

const events = (() => {
  const {all, main} = dom;

  // Of the node that is presented, and of the entry of a stack: they say to the server in which tab
  // they are.
  const dismiss = ({firstChild}) => connection.send(tree.nodeOf(firstChild), {gesture: "dismiss"});
  const back = domNode => connection.send(tree.nodeOf(domNode), {gesture: "back"});

  // The buttons of the page itself, by their class.
  const buttons = {
    __proto__: null, close: button => dismiss(button.closest("dialog")), back,
    tab: containers.choose,
    delete: button => rows.remove(rows.rowAt(button)),
    less: button => controls.step(tree.nodeOf(button), -1),
    more: button => controls.step(tree.nodeOf(button), 1),
    clear: button => typing.clear(tree.nodeOf(button).control),
    move() {},
  };

  function click(event) {
    const {target} = event;
    const button = target.closest?.("button, a, summary, .shape[role]");
    closeMenus(target, button);
    // What is not of the tree, as the errors for the author and the list of shortcuts.
    if (target.closest("aside")) return;
    if (target.localName == "dialog") {
      if (dialogs.closesBy(target, event)) dismiss(target);
      return;
    }
    const node = tree.nodeOf(target);
    if (button && buttons[button.className]) buttons[button.className](button);
    else if (button && node) use(node, button, event);
    else selectAt(target);
  }

  function closeMenus(target, button) {
    const isChoice = button && button.localName != "summary";
    for (const menu of all(main, ".menu[open]")) {
      if (!menu.contains(target) || isChoice) closeMenu(menu);
    }
  }

  function closeMenu(menu) {
    if (menu.contains(document.activeElement)) menu.firstChild.focus();
    menu.open = false;
  }

  // A button, a link or a summary of a node was clicked.
  function use(node, button, event) {
    if (tree.isDisabled(node)) {
      event.preventDefault();
    } else if (node.props.copy) {
      later.load().then(parts => parts?.clipboard.copy(node.props.copy));
    } else if (button.localName == "button" || node.props.kind == "shape") {
      connection.send(node, {gesture: "tap"});
    } else if (node.props.kind == "disclosure" && properties.isBound(node.props)) {
      connection.send(node, {gesture: "enter", value: !node.element.open});
    }
  }

  function selectAt(target) {
    const row = rows.rowAt(target);
    if (!row || !rows.listOf(row).props.selection) return;
    if (!target.closest("label, input, textarea, select")) rows.select(row);
  }

  function input({target, isComposing}) {
    const node = controls.controlAt(target);
    if (node && focus.isText(target)) {
      if (!isComposing) typing.send(node);
    } else if (node?.props.kind == "slider") {
      controls.enter(node);
    }
  }

  function change({target}) {
    const node = controls.controlAt(target);
    if (target.type == "file") later.parts.files.send(node);
    else if (node && !focus.isText(target)) controls.enter(node);
  }

  // What an input method has not ended yet is not sent, and no frame changes it.
  function compositionEnd({target}) {
    target.composing = false;
    const node = controls.controlAt(target);
    if (!node) return;
    typing.send(node);
    controls.settle(node);
  }

  function blur({target}) {
    const node = controls.controlAt(target);
    if (node) controls.left(node);
  }

  function focusIn(event) {
    closeMenus(event.target);
    focus.report("focus", event);
  }

  function cancel(event) {
    if (!event.target.matches("main dialog")) return;
    event.preventDefault();
    dismiss(event.target);
  }

  function pointerDown(event) {
    if (event.target.className != "move" || event.button) return;
    event.preventDefault();
    event.target.focus();
    later.parts.dragging.begin(event.target, event);
  }

  function listen() {
    const listeners = {
      click, input, change, blur, cancel,
      keydown: shortcuts.keyDown,
      pointerdown: pointerDown,
      // A field keeps the focus when its button is used.
      mousedown: event => event.target.className == "clear" && event.preventDefault(),
      pointermove: event => later.parts?.dragging.move(event),
      pointerup: event => later.parts?.dragging.drop(event),
      pointercancel: event => later.parts?.dragging.cancel(event),
      compositionstart: ({target}) => { target.composing = true; },
      compositionend: compositionEnd,
      submit: event => event.preventDefault(),
      focusin: focusIn,
      focusout: event => focus.report("blur", event),
      scroll: longLists.lookAgain,
      resize: longLists.lookAgain,
      toggle: longLists.lookAgain,
    };
    for (const name in listeners) addEventListener(name, listeners[name], true);
  }

  return {listen, back, closeMenu};
})();
