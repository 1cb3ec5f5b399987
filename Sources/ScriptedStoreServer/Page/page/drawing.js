// Drawing: makes the DOM of a node what its properties say.
//
// When a property has changed, the whole node is drawn again, but not its children: these are nodes
// of their own, in `node.box`.

const drawing = (() => {
  const {draw, button} = dom;

  function paint(node) {
    const {props, wrapper} = node;
    const description = kinds.describe(node);
    // These are the row itself, not inside of one.
    const isWhole = wrapper == "tr" && props.kind == "row"
      || wrapper == "li" && /^(section|empty)$/.test(props.kind);
    if (isWhole) description[0] = wrapper;
    const attributes = description[1] = {
      ...description[1], "aria-live": announcements.liveness(node),
      "aria-hidden": props.decorative && "true", class: kinds.classesOf(props),
      // For screen readers the rows in a place are those of the list.
      ...node.childWrapper == "li" && properties.isPlace(props) && {role: "none"},
    };
    const element = node.element = draw(node.element, description);
    if (props.kind == "grid") element.style.gridTemplateColumns = columnsOf(props);
    place(node, wrapped(node, isWhole, attributes));
    node.box ??= element;
    for (const name of properties.presentations) {
      if (props[name] || node.presented?.[name]) dialogs.present(node, name);
    }
    if (kinds.isControl(props)) node.control = element.querySelector("input, textarea, select");
    if (node.control || props.kind == "disclosure") controls.settle(node);
  }

  function columnsOf({columns}) {
    if (!(columns > 0)) return "";
    return `repeat(${Math.min(Math.floor(columns), 1000)}, minmax(0, 1fr))`;
  }

  // The DOM node that stands for a node among its parent's: its element, or what a row, a cell or
  // an entry has around it.
  function wrapped(node, isWhole, attributes) {
    const {wrapper, element} = node;
    if (rows.isRow(node)) return rows.wrapped(node, isWhole, attributes);
    if (wrapper == "td" && !properties.isPlace(node.props)) {
      return draw(node.dom, ["td", {}, element]);
    }
    if (wrapper == "tr" && node.props.kind == "empty") {
      return draw(node.dom, ["tr", {}, ["td", {colspan: 1000}, element]]);
    }
    if (wrapper == "entry") {
      const back = button("back", null, "‹ " + (node.titleBelow ?? notices.words.back));
      return draw(node.dom, ["div", {class: wrapper}, back, element]);
    }
    return element;
  }

  function place(node, domNode) {
    if (node.dom == domNode) return;
    node.dom?.replaceWith(domNode);
    node.dom = domNode;
    domNode.viewNode = node;
  }

  return {paint};
})();
