// Kinds: the description of each kind of node, for `dom.draw`. docs/view-api.md, section 3, says
// what they are.
//
// A new kind is an entry of `descriptions`, and its styles are in page.css. If a person enters
// something into it, it is one of `entered`, and controls.js reads and writes its value. If the page
// keeps something of it besides its DOM, it is one of `keepsOwn`.

const kinds = (() => {
  const {words, button} = dom;

  // The attributes of what is named, used or entered.
  function attributesOf(node, more) {
    const {label, text, hint, name} = node.props;
    const keys = shortcuts.of(node);
    // The hint of what takes input stands below it.
    const isShown = entered.has(node.props.kind);
    return {
      "aria-label": label !== text && label,
      title: words(!isShown && hint, keys && `(${shortcuts.textOf(node)})`) || null,
      "aria-description": isShown && hint,
      // Not `name`: in a form that would hide the property of that name, as `childNodes`.
      "data-name": name,
      disabled: tree.isDisabled(node),
      "aria-keyshortcuts": keys?.replace("ctrl", "control"),
      ...more,
    };
  }

  // The element that has the children of a node.
  function boxOf(node, tag = "div", attributes) {
    const isRows = node.wrapper == "li" && node.props.kind == "section";
    const role = isRows && "list";
    return node.box ??= dom.draw(null, [isRows ? "ul" : tag, {class: "box", role, ...attributes}]);
  }

  const paragraph = (className, text) => ["p", {class: className}, text];
  const errorText = (text, id) => ["p", {class: "error", id, role: "alert"}, text];

  // The ids of the hint and the error below a control; none without an error, because then the hint
  // alone describes the control, by an attribute.
  function noteIDs(node) {
    const {hint, error} = node.props;
    if (!error) return {};
    node.noteID ??= dom.newID();
    return {hint: hint != null && node.noteID + "hint", error: node.noteID + "error"};
  }

  // The ids of what describes a control in which something is wrong.
  function describedBy(node) {
    const {hint, error} = noteIDs(node);
    return words(hint, error) || null;
  }

  // What a control says of itself, and what is wrong with it.
  function notes(node) {
    const {hint, error} = node.props;
    const ids = noteIDs(node);
    const hintText = ["p", {class: "hint", id: ids.hint, "aria-hidden": "true"}, hint];
    return [hint != null && hintText, errorText(error, ids.error)];
  }

  // The attributes of what has no role of its own. Browsers pass over a label of such an element, so
  // one with a label is a group. The row of a table has a role.
  function namedAttributesOf(node, more) {
    const attributes = attributesOf(node, more);
    const isRow = node.wrapper == "tr" || node.props.kind == "empty";
    if (attributes["aria-label"] && !isRow) attributes.role ??= "group";
    return attributes;
  }

  // A tag for a node with its text, or with its children.
  const plain = (tag, role) => node => {
    const text = "text" in node.props ? [node.props.text] : [];
    const attributes = /^(div|span)$/.test(tag) ? namedAttributesOf : attributesOf;
    return [tag, attributes(node, {role}), ...text];
  };

  // The label, the control and the notes of what takes input. `after` stands after the control.
  function field(node, tag, attributes, inside = [], after = null) {
    const {label, labelHidden, error, prompt} = node.props;
    const control = attributesOf(node, {
      "aria-label": labelHidden && label, "aria-invalid": error && "true",
      "aria-describedby": describedBy(node), placeholder: prompt, ...attributes,
    });
    const shownLabel = !labelHidden && ["span", {}, label];
    const isOutput = after?.[0] == "output";
    return ["div", {},
      ["label", {}, shownLabel, [tag, control, ...inside], isOutput && after],
      !isOutput && after, ...notes(node)];
  }

  const input = type => node => {
    const {kind, min, max, step, keyboard, prompt, style} = node.props;
    const isSlider = kind == "slider";
    const isSearch = type == "search";
    return field(node, "input", {
      type, autocomplete: "off", dir: (type == "text" || isSearch) && "auto",
      min: min ?? (isSlider ? 0 : null), max: max ?? (isSlider ? 1 : null),
      step: step ?? {slider: "any", stepper: 1}[kind],
      // An empty search field shows something, by which the style sheet knows that it is empty.
      placeholder: prompt ?? (isSearch && " "),
      // Of fields only the keyboard: those of other types would check what is entered, and hide the
      // caret.
      inputmode: {number: "decimal", phone: "tel"}[keyboard] ?? keyboard ?? (isSearch && type),
      role: style == "switch" && style,
    }, [], beside[kind]?.(node));
  };
  // What stands after the control: the value of a slider, and the buttons of a stepper and of a
  // search field. Keys do the same, so that the buttons are not among those that Tab reaches.
  const beside = {
    __proto__: null,
    // The slider has the value, too, so that this one is only seen.
    slider: ({props: {value}}) => ["output", {"aria-hidden": "true"}, formats.number({value})],
    stepper: node => {
      const attributes = {tabindex: -1, disabled: tree.isDisabled(node)};
      return ["span", {class: "steps"}, button("less", notices.words.decrease, "−", attributes),
        button("more", notices.words.increase, "+", attributes)];
    },
    textField: ({props: {style}}) =>
      style == "search" && button("clear", notices.words.clear, "×", {tabindex: -1}),
  };
  const dateInputs = {
    __proto__: null, date: input("date"), time: input("time"), dateTime: input("datetime-local"),
  };

  function picker(node) {
    const {style, label, labelHidden} = node.props;
    const options = properties.optionsOf(node.props);
    if (!/segmented|radio/.test(style)) {
      return field(node, "select", {}, options.map(([, text]) => ["option", {}, text]));
    }
    node.radioName ??= dom.newID();
    const radio = ["input", {type: "radio", name: node.radioName}];
    const attributes = {
      role: "radiogroup", "aria-invalid": node.props.error && "true",
      "aria-describedby": describedBy(node),
    };
    return ["fieldset", attributesOf(node, attributes),
      !labelHidden && ["legend", {}, label],
      ["div", {class: "options"}, ...options.map(
        ([, text]) => ["label", {}, radio, ["span", {}, text]])],
      ...notes(node)];
  }

  const titled = (tag, heading) => node => {
    const {label, title, footer} = node.props;
    return [tag, attributesOf(node, {"aria-label": label}),
      [heading, {}, title], boxOf(node), ["footer", {}, footer]];
  };

  function folded(node) {
    const {kind, icon, label, labelHidden} = node.props;
    const role = kind == "menu" && kind;
    const hidden = icon && labelHidden && label;
    const attributes = attributesOf(node, {"aria-label": hidden, "aria-haspopup": role});
    return ["details", {}, ["summary", attributes, ...icons.before(icon, !hidden && label)],
      boxOf(node, "div", {role})];
  }
  const isChoice = ({parent}) =>
    parent && (parent.props.kind == "menu" || properties.isPlace(parent.props) && isChoice(parent));

  const alert = node =>
    ["div", {}, ["h2", {}, node.props.title], ["p", {}, node.props.message], boxOf(node)];

  const amount = format => node => {
    const {label} = node.props;
    const text = (label ? label + ": " : "") + format(node.props);
    return ["p", attributesOf(node, {"aria-label": null}), text];
  };

  function toast(node) {
    const {text, action, button: name} = node.props;
    const attributes = attributesOf(node, {type: "button", "aria-label": null});
    later.need(node)?.toasts.watch(node);
    return ["div", {role: "status"}, ["p", {}, text],
      action && ["button", attributes, name ?? notices.words.undo]];
  }

  // Whether an address is one of `SafeAddress`, in which blanks may stand here: browsers encode them.
  const isSafe = (address, schemes) => !!address && new RegExp(
    `^(?!//)(${schemes}|(?![^/?#]*:))[^\\x00-\\x1f\\x7f\\\\]*$`, "i").test(address);
  const addressNote = ["span", {class: "note"}, "address left out"];

  function link(node) {
    const {action, file, href = file, text, label} = node.props;
    const leads = isSafe(href, "https?:|mailto:");
    const tag = action ? "button" : leads && !tree.isDisabled(node) ? "a" : "span";
    const attributes = attributesOf(node, {
      type: action && "button", role: isChoice(node) ? "menuitem" : action && "link",
      href: tag == "a" && href, rel: tag == "a" && "noopener noreferrer", download: file && "",
    });
    const isLeftOut = !action && !leads;
    return [tag, attributes, text ?? label, isLeftOut && " ", isLeftOut && addressNote];
  }

  function table(node) {
    const {label, columns, onMove, onDelete} = node.props;
    const haveButtons = onMove || onDelete || node.goesOn;
    const headerOf = column => {
      const {align, grow} = column;
      const className = words(align && "align-" + align, grow && "wide");
      return ["th", {scope: "col", class: className}, column.title ?? column];
    };
    // The last column is for the buttons of a row.
    const head = columns?.map && ["thead", {},
      ["tr", {}, ...columns.map(headerOf), haveButtons && ["td", {}]]];
    return ["div", {}, ["table", {"aria-label": label}, head, boxOf(node, "tbody")]];
  }

  function tabs(node) {
    const id = node.panelID ??= dom.newID();
    const tabOf = tab => button("tab", null, properties.nameOf(tab.props), {
      role: "tab", id: tab == node.shownTab && id + "tab", "aria-controls": id,
      "aria-selected": String(tab == node.shownTab),
      tabindex: tab == node.shownTab ? 0 : -1, disabled: tree.isDisabled(tab),
    });
    const shown = tree.standIns(node).map(tabOf);
    const panel = boxOf(node, "div", {role: "tabpanel", id});
    dom.setAttribute(panel, "aria-labelledby", node.shownTab && id + "tab");
    return ["div", {}, ["div", {role: "tablist", "aria-label": node.props.label}, ...shown], panel];
  }

  function failed(node) {
    const {message, location, traceback} = node.props.error ?? {};
    return ["div", {}, errorText(message), paragraph("location", location),
      paragraph("location", traceback), boxOf(node)];
  }

  // The label is seen, as that of a number.
  function progress(node) {
    const {label, max, value, style} = node.props;
    const isSpinner = style == "spinner";
    const amount = {max, value: isSpinner ? null : value};
    if (label == null || label === "") return ["progress", attributesOf(node, amount)];
    return ["label", attributesOf(node, {"aria-label": null}), ["span", {}, label],
      ["progress", {...amount, class: isSpinner && style}]];
  }

  const image = node => {
    const {file, source = file, decorative, label, width, height} = node.props;
    if (!isSafe(source, "https?:")) {
      return ["span", attributesOf(node, {role: label && "img"}), addressNote];
    }
    const alternative = decorative ? "" : label ?? "";
    return ["img", attributesOf(node, {
      src: source, alt: alternative, width, height, "aria-label": null,
    })];
  };
  function canvas(node) {
    const {width, height} = node.props;
    return ["svg", attributesOf(node, {width, height, viewBox: `0 0 ${width} ${height}`, role: "group"})];
  }
  const headingTag = ({level}) => "h" + Math.min(Math.max(Math.round(level) || 2, 1), 6);
  const lineCount = ({lines}) => Math.min(Math.max(lines ?? 3, 1), 100);
  const buttonText = ({icon, text, label}) => icons.before(icon, text ?? (!icon && label));
  const icon = node => {
    const {text, label} = node.props;
    return ["span", attributesOf(node, {role: "img", "aria-label": label ?? text}), icons.sign(text)];
  };

  // Nothing, until the part that draws shapes is there.
  const shape = node => later.need(node)
    ?.shapes.describe(node, tree.isDisabled(node), attributesOf(node)) ?? ["g", {}];

  // Nothing, until the part that sends files is there.
  const file = node => later.need(node)?.files.describe(node, field) ?? ["div", {}];

  const box = plain("div");
  const mark = plain("span");
  const descriptions = {
    __proto__: null,
    // Texts
    text: node =>
      [node.props.style == "code" ? "code" : "p", namedAttributesOf(node), node.props.text],
    heading: node => [headingTag(node.props), attributesOf(node), node.props.text],
    date: amount(formats.date), number: amount(formats.number),
    icon, canvas, shape,
    badge: mark, image,
    progress,
    // Controls
    button: node => ["button",
      attributesOf(node, {type: "button", role: isChoice(node) && "menuitem"}),
      ...buttonText(node.props)],
    link, toast, menu: folded, disclosure: folded,
    // Inputs
    textField: node => input(node.props.style == "search" ? "search" : "text")(node),
    secureField: input("password"), toggle: input("checkbox"),
    slider: input("range"), stepper: input("number"), picker,
    datePicker: node => (dateInputs[node.props.style] ?? dateInputs.date)(node),
    textEditor: node => field(node, "textarea", {rows: lineCount(node.props), dir: "auto"}), file,
    // Containers
    row: box, column: box, columns: box, empty: box, scroll: box, grid: box,
    toolbar: plain("div", "toolbar"), host: box,
    child: box, forEach: box, navigation: box, form: plain("form"), list: plain("ul", "list"),
    spacer: mark, divider: plain("hr"), table, tabs,
    screen: titled("section", "h1"), section: titled("section", "h2"),
    group: titled("fieldset", "legend"),
    // Presentations, and views that failed
    alert, dialog: alert, failed,
  };
  const unknown = node =>
    ["div", {}, paragraph("note", `unknown element '${node.props.kind}'`), boxOf(node)];

  // Into these a person enters something: they have a control, which controls.js reads and writes.
  const entered = new Set([
    "textField", "secureField", "textEditor", "toggle", "picker", "slider", "stepper", "datePicker",
    "file",
  ]);

  // The description of a node. Each node is a boundary: one that cannot be shown shows its error,
  // and the others stand.
  function describe(node) {
    const {kind} = node.props;
    try {
      return (descriptions[kind] ?? unknown)(node);
    } catch (problem) {
      reportError(problem);
      return ["div", {}, errorText(`'${kind}' cannot be shown: ${problem.message}`),
        node.box != node.element && node.box];
    }
  }

  // The classes of the element of a node: what it is, and the words that style it.
  function classesOf(p) {
    const isAlert = p.kind == "alert" || p.kind == "dialog";
    return words(
      "n", properties.isPlace(p) ? "place" : p.kind, entered.has(p.kind) && "field",
      !isAlert && words(p.style, p.role), p.kind == "screen" && p.width && `width-${p.width}`,
      ...["tone", "spacing", "align", "axis"].map(name => p[name] && `${name}-${p[name]}`),
      ...["grow", "wrap", "selection", "onDrop"].map(name => p[name] && name), p.class);
  }

  const isControl = ({kind}) => entered.has(kind);
  // Of these the page keeps something besides the DOM, as the control, or that they wait for a part
  // of the page. So they have to be painted where the DOM of a row is copied.
  const keepsOwn = ({kind}) => entered.has(kind) || /^(disclosure|shape|toast)$/.test(kind);

  return {describe, classesOf, isControl, keepsOwn};
})();
