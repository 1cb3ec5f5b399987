// The list of shortcuts: what can be done by keys now, in a dialog of the page itself.
//
// It stands outside of the tree, so that the server hears nothing of it, and is drawn again when
// the screen changes.

const shortcutList = (() => {
  const nameOf = ({kind, label, text, icon, button}) =>
    kind == "toast" ? button ?? notices.words.undo : label ?? text ?? icon;

  // The nodes whose shortcut can be used in a layer; none if "?" is a shortcut there.
  function nodesIn(layer) {
    const nodes = shortcuts.elementsIn(layer).map(tree.nodeOf).filter(shortcuts.of);
    const isTaken = nodes.some(node => shortcuts.of(node) == "?");
    return isTaken ? [] : nodes.filter(node => !tree.isDisabled(node));
  }

  function describe(nodes) {
    const {words} = notices;
    const row = node => ["tr", {}, ["td", {}, nameOf(node.props)],
      ["td", {class: "align-end"}, ["kbd", {}, shortcuts.textOf(node)]]];
    // It takes the focus when its texts are clicked, which would go to what is below it.
    return ["dialog", {class: "popover shortcuts", "aria-label": words.shortcuts, tabindex: -1},
      ["h2", {}, words.shortcuts], ["table", {}, ["tbody", {}, ...nodes.map(row)]],
      dom.button("close", words.close, "×")];
  }

  const countOfLayers = () => dom.all(dom.main, "dialog[open]").length;

  // The list that is open is the uppermost layer, in which nothing has a shortcut.
  function open() {
    const layer = dialogs.top ?? dom.main;
    const count = countOfLayers();
    const nodes = nodesIn(layer);
    if (!nodes.length) return;
    const aside = dom.draw(null, ["aside", {}, describe(nodes)]);
    const dialog = aside.firstChild;
    const observer = new MutationObserver(() => {
      const nodes = countOfLayers() == count && layer.isConnected ? nodesIn(layer) : [];
      if (nodes.length) dom.draw(dialog, describe(nodes));
      else dialog.close();
    });
    dialog.onclick = event => {
      const isButton = event.target.closest("button");
      if (isButton || event.target == dialog && dialogs.closesBy(dialog, event)) dialog.close();
    };
    dialog.onclose = () => {
      observer.disconnect();
      aside.remove();
    };
    document.body.append(aside);
    dialog.showModal();
    observer.observe(dom.main, {
      subtree: true, childList: true, characterData: true, attributes: true,
    });
  }

  return {open};
})();
