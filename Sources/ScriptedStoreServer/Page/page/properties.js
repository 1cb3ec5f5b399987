// Properties: those of a node as the server sent them, without the values that have a wrong type.
//
// A property with a value of a wrong type counts as absent, as in the other drawings. So lists get
// into `dom.draw` only from the page's own code, and data of the state never becomes elements.

const properties = (() => {
  const isScalar = value => /^(string|number|boolean)$/.test(typeof value);
  const scalar = value => isScalar(value) ? value : undefined;

  // What a node presents: these are properties whose values are nodes. In the order in which they
  // lie over each other.
  const presentations = ["popover", "dialog", "sheet", "cover", "alert"];

  // A list of scalars, and of objects that `read` reads.
  function list(value, read) {
    if (!Array.isArray(value)) return undefined;
    return value.map(part => isScalar(part) ? part : read(part ?? {}))
      .filter(part => part !== undefined);
  }

  const readOption = ({value, label}) =>
    isScalar(value) ? {value, label: scalar(label)} : undefined;
  const readColumn = ({title, align, grow}) =>
    ({title: scalar(title) ?? "", align: scalar(align), grow: scalar(grow)});

  function readError(value) {
    if (!value || isScalar(value)) return value ?? undefined;
    const {message, location, traceback} = value;
    return {message: scalar(message), location: scalar(location), traceback: scalar(traceback)};
  }

  // How properties are read that are no scalars.
  const readers = {
    __proto__: null,
    children: value => value,
    window: value => value,
    options: value => list(value, readOption),
    // A name, or a list of names.
    accepts: value => list([value].flat(), () => undefined),
    columns: value => isScalar(value) ? value : list(value, readColumn),
    error: readError,
    digits: value => Number.isInteger(value) && value >= 0 && value <= 100 ? value : undefined,
  };
  for (const name of presentations) {
    readers[name] = value =>
      value && typeof value == "object" && !Array.isArray(value) ? value : undefined;
  }

  function clean(props) {
    for (const name in props) props[name] = (readers[name] ?? scalar)(props[name]);
  }

  // The name by which people know a node.
  const nameOf = ({label, title}) => label ?? title;
  // The options of a picker: [value, label].
  const optionsOf = ({options}) => (options ?? []).map(
    option => option?.value !== undefined
      ? [option.value, option.label ?? option.value] : [option, option]);
  // Whether a node draws nothing itself.
  const isPlace = ({kind}) => /^(child|forEach|navigation)$/.test(kind);
  // Whether the tree knows the value of a control, or is told of it.
  const isBound = ({bind, onChange}) => bind || onChange;

  return {presentations, clean, nameOf, optionsOf, isPlace, isBound};
})();
