// Templates: rows of one shape, of which the server sends the shape once, and for each row what is
// different.
//
// The first row of a run is built as any node. Of it the DOM of the others is copied, because that
// is faster, and what differs is drawn. docs/wire-format.md, "Nodes", has the format.

const templates = (() => {
  // Those of the frame that is applied.
  let shapes;

  const use = newShapes => { shapes = newShapes; };

  // Adds the rows of a run, as children of a node, to a fragment of its box.
  function addRun([index, ids, values], parent, fragment) {
    const shape = shapes[index];
    const isCopied = canBeCopied(shape, parent);
    let position = 0;
    const next = () => values[position++];
    let first;
    const add = id => {
      const props = fill(shape, id, next);
      props.id = id;
      if (!first || !isCopied) {
        first = tree.build(props, parent);
        fragment.append(first.dom);
      } else {
        const domNode = fragment.appendChild(first.dom.cloneNode(true));
        copy(props, shape, first, parent, domNode);
        if (parent.list?.props.selection) rows.nameLater(domNode.viewNode);
      }
    };
    for (const id of ids) {
      if (!Array.isArray(id)) add(id);
      else for (let i = 0; i < id[1]; i++) add(id[0] + i);
    }
  }

  // A shape with its values: `[]` stands for the next one, and `{}` for the row's id.
  function fill(shape, id, next) {
    if (!shape || typeof shape != "object") return shape;
    if (Array.isArray(shape)) {
      return shape.length ? shape.map(part => fill(part, id, next)) : next();
    }
    const filled = {};
    for (const key in shape) filled[key] = fill(shape[key], id, next);
    return filled.kind == null ? id : filled;
  }

  // What has more than its own DOM, as a presentation or the buttons of a row, is built.
  const special =
    /"(list|table|tabs|navigation|focused|announce|sheet|cover|popover|dialog|alert)"/;
  const canBeCopied = (shape, {list}) =>
    !list?.props.onDelete && !list?.props.onMove && !list?.goesOn && !special.test(JSON.stringify(shape));

  // Makes a node for the copy of the DOM of another one.
  function copy(props, shape, from, parent, domNode) {
    if (!from.element) {
      domNode.viewNode = {...from, parent, dom: domNode};
      return;
    }
    if (typeof props != "object") props = {kind: "text", text: props};
    properties.clean(props);
    const {wrapper, childWrapper, list} = from;
    const node = domNode.viewNode = {
      props, parent, presents: null, wrapper, childWrapper, list, dom: domNode,
      element: counterpart(from.dom, domNode, from.element),
      box: counterpart(from.dom, domNode, from.box),
    };
    props.children?.forEach((child, index) => copy(
      child, shape.children[index], from.box.childNodes[index].viewNode, node,
      node.box.childNodes[index]));
    props.children = null;
    // A copy of the selected row looks selected, too.
    const isSelected = [props.id, from.props.id].some(
      id => id !== undefined && parent.list?.props.selected === id);
    from.varies ??= kinds.keepsOwn(props) || hasHoles(shape);
    if (from.varies || list !== undefined || isSelected) drawing.paint(node);
  }

  // Whether a node itself differs from row to row, without its children.
  const hasHoles = shape =>
    /\[]|{}/.test(JSON.stringify(shape.kind ? {...shape, children: 0} : shape));

  // The DOM node in a copy that is where `domNode` is in the original.
  function counterpart(original, copy, domNode) {
    if (original == domNode) return copy;
    const index = [...original.childNodes].findIndex(child => child.contains(domNode));
    return counterpart(original.childNodes[index], copy.childNodes[index], domNode);
  }

  return {use, addRun};
})();
