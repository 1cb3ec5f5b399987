// The tree: the nodes that the server has sent, and their paths.
//
// The DOM is the tree. A node has one DOM node, whose `viewNode` it is; that of an absent node is
// a comment. A node has these properties:
//
//   props          those that the server sent, but for `children`
//   parent         the node around this one
//   presents       how the parent presents it ("sheet", …); null for a child
//   dom            its DOM node
//   element        what draws it; a row, a cell or an entry has it inside of `dom`. None if absent
//   control        the control in `element`, of what takes input
//   box            the parent of the DOM nodes of its children
//   wrapper        what its parent wants around it: "li", "tr", "td" or "entry"
//   childWrapper   what its children have around them
//   list           the list or table of which its children are rows
//
// Other modules keep what they have to know of a node in properties of their own.

const tree = (() => {
  let root;

  // Makes a node of what the server sent, with all that is in it.
  function build(props, parent, presents = null) {
    props = typeof props == "object" ? props ?? {} : {kind: "text", text: props};
    properties.clean(props);
    const wrapper = presents ? null : parent?.childWrapper;
    const node = {props, parent, presents, wrapper};
    const {kind = "nothing", children} = props;
    if (kind == "nothing") {
      node.dom = document.createComment("");
      return node.dom.viewNode = node;
    }
    wrapChildren(node, kind);
    drawing.paint(node);
    if (children) insert(node, children);
    props.children = null;
    if (containers.isContainer(kind)) containers.add(node);
    if (props.focused != null) focus.want(node);
    return node;
  }

  function wrapChildren(node, kind) {
    const {props, parent, wrapper} = node;
    const isInRows = wrapper && wrapper != "entry" && properties.isPlace(props);
    if (isInRows || kind == "section" && parent?.list) {
      node.childWrapper = wrapper;
      node.list = parent.list;
    } else if (kind == "list" || kind == "table") {
      node.childWrapper = kind == "list" ? "li" : "tr";
      node.list = node;
    } else if (wrapper == "tr" && kind == "row") {
      node.childWrapper = "td";
    } else if (kind == "forEach" && parent?.props.kind == "navigation") {
      node.childWrapper = "entry";
    }
  }

  // Puts children, and runs of rows of one shape, before a DOM node in a box, or after the last
  // child.
  function insert(node, children, before) {
    const fragment = document.createDocumentFragment();
    for (const child of children) {
      if (Array.isArray(child)) templates.addRun(child, node, fragment);
      else fragment.append(build(child, node).dom);
    }
    node.box.insertBefore(fragment, before ?? afterLastChild(node.box));
  }

  // After the children there may be a dialog that the node presents, and the buttons of a row.
  function afterLastChild(box) {
    let before = null;
    for (let last = box.lastChild; last && !last.viewNode; last = last.previousSibling) {
      before = last;
    }
    return before;
  }

  // The node at an address is another one. Without an old node it is the root.
  function replace(old, props) {
    if (old?.presents) {
      old.parent.props[old.presents] = props;
      dialogs.present(old.parent, old.presents);
    } else if (old?.parent) {
      old.dom.replaceWith(build(props, old.parent).dom);
    } else {
      containers.clear();
      root = build(props);
      dom.main.replaceChildren(root.dom);
    }
  }

  // ---- Paths

  // The child to which a step leads: an index from 1, the name of a presentation, or [id,
  // occurrence] of a row.
  function child(node, step) {
    if (typeof step == "number") return node.box?.childNodes[step - 1]?.viewNode;
    if (typeof step == "string") return node.presented?.[step];
    return row(node, step);
  }

  // Changes mostly come in the order of the rows, so the search begins where the last one ended.
  function row(node, [id, occurrence]) {
    const first = node.box?.firstChild;
    const start = node.lastFound?.parentNode == node.box ? node.lastFound : first;
    let found = start;
    while (found && !isRow(found.viewNode.props, id, occurrence)) {
      found = found.nextSibling ?? first;
      if (found == start) return undefined;
    }
    node.lastFound = found;
    return found?.viewNode;
  }
  const isRow = (props, id, occurrence) => props.id === id && props.occurrence === occurrence;

  const find = path => path.reduce((node, step) => node && child(node, step), root);
  const pathOf = node => node.parent ? [...pathOf(node.parent), stepOf(node)] : [];

  function stepOf({props, parent, presents, dom}) {
    if (presents) return presents;
    if (parent.props.kind == "forEach") {
      return props.occurrence ? [props.id, props.occurrence] : [props.id];
    }
    return [].indexOf.call(parent.box.childNodes, dom) + 1;
  }

  // ---- Around a node

  // The node in which a DOM node is.
  function nodeOf(domNode) {
    while (domNode && !domNode.viewNode) domNode = domNode.parentNode;
    return domNode?.viewNode;
  }

  // The nearest of a node and those around it, in the same layer, that has a property; null or
  // undefined if none has.
  const nearest = (node, name) =>
    !node || node.props[name] ? node : node.presents ? null : nearest(node.parent, name);

  const childrenOf = node =>
    [...node.box.childNodes].map(domNode => domNode.viewNode).filter(Boolean);

  // The nodes that stand for the children of a node: those in places, not the places.
  const standIns = node => !node.box ? [] : childrenOf(node).flatMap(
    child => !child.element ? [] : properties.isPlace(child.props) ? standIns(child) : child);

  const isDisabled = ({props, parent, presents}) =>
    !!props.disabled || !presents && !!parent && isDisabled(parent);

  return {
    get root() { return root; },
    build, insert, replace, child, find, pathOf, nodeOf, nearest, childrenOf, standIns, isDisabled,
  };
})();
