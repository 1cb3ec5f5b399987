// Dialogs: what nodes present, each in a `dialog` element, as layers over the screen.

const dialogs = (() => {
  // The dialogs that are open, the uppermost last.
  let layers = [];

  // Shows what a node presents in one way, or shows it no more.
  function present(node, presents) {
    const props = node.props[presents];
    node.presented ??= {};
    const old = node.presented[presents];
    if (old?.props === props) return;
    // Closing gives the focus back.
    old?.dialog.close();
    old?.dialog.remove();
    const shown = node.presented[presents] = props && tree.build(props, node, presents);
    if (!shown) return;
    const close = !/alert|dialog/.test(presents) && dom.button("close", notices.words.close, "×");
    const role = presents == "alert" && "alertdialog";
    shown.dialog = dom.draw(null, ["dialog", {class: presents, role}, shown.dom, close]);
    node.element.append(shown.dialog);
  }

  // Opens the dialogs that there are, in the order of docs/view-api.md. `hadFocus` is what had the
  // focus before.
  function arrange(hadFocus) {
    const order = inOrder();
    for (const dialog of layers.toReversed()) {
      if (!order.includes(dialog)) focus.offer(dialog.opener);
    }
    const same = layers.findIndex((dialog, index) => dialog != order[index]);
    if (same >= 0) for (const dialog of layers.slice(same).reverse()) dialog.close();
    layers = order;
    for (const dialog of layers) {
      if (!dialog.open) open(dialog, hadFocus);
      dialog.ariaLabel = nameOf(dialog);
    }
  }

  // What has neither a title nor a form with a label is called as what has opened it.
  const nameOf = dialog => dom.titleOf(dialog) ??
    dialog.querySelector(".form[aria-label]")?.ariaLabel ?? dialog.opener?.control.textContent;

  // What asks, or would begin with a button that destroys, has the focus at the button that changes
  // nothing, or itself.
  function open(dialog, hadFocus) {
    dialog.opener ??= hadFocus;
    dialog.showModal();
    longLists.lookAgain();
    const asks = /alert|dialog/.test(dialog.className);
    if (!asks && !document.activeElement.matches(".destructive")) return;
    dialog.tabIndex = -1;
    (dialog.querySelector(".cancel") ?? dialog).focus();
  }

  // The dialogs that show, each before those in it.
  function inOrder() {
    const rank = dialog => properties.presentations.indexOf(dialog.className);
    const shown = dom.all(dom.main, "dialog")
      .filter(dialog => !dialog.parentNode.closest("[hidden]"))
      .sort((one, other) => rank(one) - rank(other));
    const inside = outer => shown
      .filter(dialog => dialog.parentNode.closest("dialog") == outer)
      .flatMap(dialog => [dialog, ...inside(dialog)]);
    return inside(null);
  }

  function isOutside(dialog, {clientX, clientY}) {
    const {left, right, top, bottom} = dom.bounds(dialog);
    return clientX < left || clientX > right || clientY < top || clientY > bottom;
  }

  // A click beside a dialog closes it, unless it is one that asks, or has no beside.
  const closesBy = (dialog, click) =>
    !/alert|cover/.test(dialog.className) && isOutside(dialog, click);

  return {
    present, arrange, closesBy,
    // Above all is that of the page itself.
    get top() { return document.querySelector("aside dialog[open]") ?? layers.at(-1); },
    // What fills the window.
    get screen() { return layers.findLast(({className}) => className == "cover") ?? dom.main; },
  };
})();
