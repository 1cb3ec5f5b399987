// Controls: what a person enters, and the values that controls show. A text that is typed is in
// typing.js.

const controls = (() => {
  const {all} = dom;

  // The node whose control a DOM node is, or that has it inside.
  function controlAt(domNode) {
    const node = tree.nodeOf(domNode);
    return node?.control && node;
  }

  // A control shows what the tree has, unless the server has still to see what was entered.
  function settle(node) {
    const {control, isHeld, lastEvent} = node;
    if (connection.isUnseen(lastEvent) || control?.composing || isHeld) return;
    const value = node.props.value ?? "";
    if (control) return show(node, value);
    // A disclosure, which opens and closes by itself if the tree has no value.
    if (properties.isBound(node.props) || !node.wasShown) node.element.open = value !== false;
    node.wasShown = true;
  }

  function show({control, element, props}, value) {
    const options = properties.optionsOf(props);
    switch (control.type) {
      case "radio":
        all(element, "input").forEach((radio, index) => {
          radio.checked = options[index][0] === value;
        });
        break;
      case "checkbox":
        control.checked = value === true;
        break;
      case "select-one":
        control.selectedIndex = options.findIndex(option => option[0] === value);
        break;
      case "file": break;
      case "datetime-local":
        control.value = String(value).slice(0, 16);
        break;
      default:
        typing.show(control, String(value));
    }
  }

  // The value that a person has entered; NaN for none.
  function valueOf({control, element, props}) {
    const options = properties.optionsOf(props);
    switch (control.type) {
      case "radio": return options[all(element, "input").findIndex(radio => radio.checked)][0];
      case "checkbox": return control.checked;
      case "select-one": return options[control.selectedIndex][0];
      default: return props.kind == "datePicker" ? control.value || null : control.valueAsNumber;
    }
  }

  function enter(node) {
    const {control, props, lastEvent} = node;
    if (props.kind == "slider" && connection.isUnseen(lastEvent)) {
      // One value at a time: this one is sent when the server has seen the last one.
      node.isEnteredLater = true;
      return;
    }
    // While a year is typed, its first digits are years too. What is outside of the range is sent
    // when the field is left.
    const {rangeUnderflow, rangeOverflow} = control.validity;
    node.isHeld = props.kind == "datePicker" && (rangeUnderflow || rangeOverflow)
      && control == document.activeElement;
    if (node.isHeld) return;
    const value = valueOf(node);
    if (Number.isNaN(value)) settle(node);
    else connection.send(node, {gesture: "enter", value});
  }

  // The number of a stepper goes on by one step.
  function step(node, by) {
    if (tree.isDisabled(node)) return;
    if (by > 0) node.control.stepUp();
    else node.control.stepDown();
    enter(node);
  }

  // ---- The news of a control

  function left(node) {
    if (!node.isHeld) return;
    node.isHeld = false;
    enter(node);
  }

  // The server has seen an event of a node.
  function seen(node) {
    if (node.isEnteredLater) {
      node.isEnteredLater = false;
      enter(node);
    } else if (node.isAskedFor && !connection.isUnseen(node.lastEvent)) {
      node.isAskedFor = false;
      if (node.dom.isConnected) typing.send(node);
    } else if (node.control || node.props.kind == "disclosure") {
      settle(node);
    }
  }

  // A node has become another one, to which nothing belongs that was entered before.
  function forget(node) {
    const {control, element} = node;
    node.lastEvent = node.typedEvent = 0;
    node.isHeld = node.isEnteredLater = node.isAskedFor = false;
    element.ariaBusy = null;
    if (!control) return;
    control.composing = false;
    settle(node);
  }

  // The server has refused an event of a node; with `isAgain` the whole text is to be sent. That
  // waits until `value` has what was not refused, which would be in the text twice otherwise.
  function refused(node, isAgain) {
    node.isAskedFor ||= isAgain && focus.isText(node.control);
    if (node.isAskedFor) return;
    node.lastEvent = node.typedEvent = 0;
    if (node.control) settle(node);
  }

  return {controlAt, settle, enter, step, left, seen, forget, refused};
})();
