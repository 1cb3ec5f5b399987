// Containers: navigations, tabs, and lists, which after each frame have to look at what is in them.

const containers = (() => {
  const all = new Set();

  const isContainer = kind => /^(navigation|tabs|list|table)$/.test(kind);

  // `hadFocus` is what had the focus before the frame.
  function refreshAll(hadFocus) {
    for (const node of all) {
      if (node.dom.isConnected) refresh(node, hadFocus);
      else all.delete(node);
    }
  }

  function refresh(node, hadFocus) {
    switch (node.props.kind) {
      case "navigation": return refreshNavigation(node, hadFocus);
      case "tabs": return refreshTabs(node);
      default:
        rows.settleEmpty(node);
        return longLists.refresh(node);
    }
  }

  // What is scrolled with a node in it.
  const scrollerOf = ({box}) => box.closest(".scroll, dialog") ?? document.scrollingElement;

  // Shows the last entry, with a button that leads to the one below. Each keeps its scroll and its
  // focus.
  function refreshNavigation(node, hadFocus) {
    const [first, stack] = tree.childrenOf(node);
    const entries = stack ? tree.childrenOf(stack).filter(entry => entry.element) : [];
    const below = [first, ...entries];
    const top = below.pop();
    const isOther = node.top && node.top != top;
    // How far it is scrolled, before it is hidden and nothing is so long any more.
    const scroll = isOther && scrollerOf(node).scrollTop;
    for (const screen of below) screen.dom.hidden = true;
    top.dom.hidden = false;
    if (below.length) {
      top.titleBelow = dom.titleOf(below.at(-1).dom);
      drawing.paint(top);
    }
    if (isOther) {
      Object.assign(node.top, {scroll, hadFocus});
      scrollerOf(node).scrollTop = top.scroll ?? 0;
      focus.offer(top.hadFocus);
      longLists.lookAgain();
    }
    node.top = top;
  }

  const valueOfTab = ({props}) => props.name ?? properties.nameOf(props);

  // Shows the tab that the tree has chosen, or the person where the tree does not care. Each keeps
  // its scroll.
  function refreshTabs(node) {
    const tabs = tree.standIns(node);
    const value = properties.isBound(node.props) ? node.props.value : node.chosenTab;
    const isChosen = tab => value != null && valueOfTab(tab) === value;
    const before = node.shownTab, shown = tabs.find(isChosen) ?? tabs[0];
    const isOther = before && before != shown && node.element.checkVisibility();
    if (isOther) before.scroll = scrollerOf(node).scrollTop;
    node.shownTab = shown;
    for (const tab of tabs) tab.dom.hidden = tab != shown;
    drawing.paint(node);
    if (!isOther) return;
    if (shown?.scroll != null) scrollerOf(node).scrollTop = shown.scroll;
    longLists.lookAgain();
  }

  // A person has chosen a tab, by its button.
  function choose(button) {
    const node = tree.nodeOf(button);
    const tab = tree.standIns(node)[[].indexOf.call(button.parentNode.childNodes, button)];
    node.chosenTab = valueOfTab(tab);
    if (properties.isBound(node.props)) connection.send(tab, {gesture: "tap"});
    else refresh(node);
  }

  return {
    [Symbol.iterator]: () => all.values(),
    isContainer, refreshAll, choose,
    add: node => all.add(node), clear: () => all.clear(),
  };
})();
