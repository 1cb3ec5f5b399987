// Shows the tree of views that the server sends, and says what a person does with it. docs/wire-format.md has the messages,
// docs/view-api.md the nodes.
//
// The DOM is the tree. Of each node there is one DOM node, of an absent one a comment, whose `o` is
//   { n: the node, up: the one around it, as: "sheet" … of what is presented, dom: its DOM node, e: the element that is drawn
//     (inside of `dom` in a row, a cell or an entry), f: the control in it, box: the element with the DOM nodes of its children }
// so a path leads through boxes, and nothing has to be kept in step with the DOM.
"use strict";
{
const main = document.querySelector("main"), status = document.querySelector("#status");
const presentations = ["popover", "dialog", "sheet", "cover", "alert"];
const isMac = /mac|iphone|ipad/i.test(navigator.platform);
const [narrow, dark, still] = ["(max-width: 599px)", "(prefers-color-scheme: dark)", "(prefers-reduced-motion)"].map(q => matchMedia(q));

// ---- Drawing

// Brings an element to a description: [tag, attributes, …what is inside]. Inside are texts, descriptions and DOM nodes, and
// what is false or empty is left out. A description of two parts leaves alone what is inside.
const draw = (e, [tag, attributes, ...inside]) => {
  if (e?.localName != tag) e = document.createElement(tag);
  const old = e.has;
  for (const name in attributes) {
    const value = attributes[name] ?? false;
    if (old ? old[name] === value : value === false) continue;
    if (value === false) e.removeAttribute(name); else e.setAttribute(name, value === true ? "" : value);
    attributes[name] = value;
  }
  e.has = attributes;
  if (!inside.length) return e;
  inside = inside.filter(x => x || x === 0);
  if (inside.length < 2 && typeof inside[0] != "object") {
    const text = String(inside[0] ?? "");
    if (e.textContent !== text) e.textContent = text;
    return e;
  }
  inside.forEach((x, i) => {
    const at = e.childNodes[i];
    if (!x.nodeType) x = draw(at && !inside.includes(at) ? at : null, Array.isArray(x) ? x : ["span", {}, x]);
    if (x != at) e.insertBefore(x, at ?? null);
  });
  for (const x of [...e.childNodes].slice(inside.length)) if (x.localName != "dialog") x.remove();
  return e;
};

const isPlace = n => /^(child|forEach|navigation)$/.test(n.kind);
// In a list, its children are rows.
const holdsRows = n => isPlace(n) || n.kind == "section";
const isOff = o => !!o.n.disabled || !o.as && !!o.up && isOff(o.up);
const nameOf = n => n.label ?? n.title;
const titleOf = e => e.querySelector?.(":is(h1, h2, h3, h4, h5, h6, legend):not(:empty)")?.textContent;
const button = (act, name, sign, more) => ["button", {type: "button", class: act, "aria-label": name, ...more}, sign];

// What a control, a button or a link has.
const using = o => {
  const {n} = o, keys = o.keys = n.shortcut && keysOf(n.shortcut);
  return {
    disabled: isOff(o), name: n.name, "aria-keyshortcuts": keys && keys.replace("ctrl", "control"),
    title: [n.hint, keys && `(${keys.replace(/\b\w/g, c => c.toUpperCase())})`].filter(Boolean).join(" ") || null,
  };
};

// The options of a picker: [value, label].
const optionsOf = n => (n.options ?? []).map(x => x?.value !== undefined ? [x.value, x.label ?? x.value] : [x, x]);

// The label, the control and the error of what takes input.
const field = (o, tag, attributes, ...inside) => {
  const {n} = o, hidden = n.labelHidden;
  return ["div", {}, ["label", {}, !hidden && ["span", {}, n.label], [tag, {
    ...using(o), "aria-label": hidden && n.label, "aria-invalid": n.error ? "true" : null, placeholder: n.prompt, ...attributes,
  }, ...inside]], ["p", {class: "error", role: "alert"}, n.error]];
};
const input = type => (n, o) => field(o, "input", {type, ...type == "text" && {
  // Kinds of keyboards; fields of these types would check what is entered, and hide the caret.
  inputmode: {number: "decimal", phone: "tel"}[n.keyboard] ?? n.keyboard, autocomplete: "off",
}});
const range = (type, min, max, step) => (n, o) => field(o, "input", {type, min: n.min ?? min, max: n.max ?? max, step: n.step ?? step});
const titled = (tag, title) => (n, o) => [tag, {}, [title, {}, n.title], o.box, ["footer", {}, n.footer]];
const line = tag => n => [tag, {}, n.text];
const box = n => ["div", {}];
const folded = (n, o) => ["details", {}, ["summary", using(o), [n.icon, n.label].filter(Boolean).join(" ")], o.box];
const alert = (n, o) => ["div", {}, ["h2", {}, n.title], ["p", {}, n.message], o.box];

// The descriptions of the kinds of nodes.
const kinds = {
  text: n => [n.style == "code" ? "code" : "p", {}, n.text],
  heading: n => ["h" + Math.min(Math.max(n.level ?? 2, 1), 6), {}, n.text],
  image: n => ["img", {src: n.source, alt: n.decorative ? "" : n.label ?? ""}],
  icon: n => ["span", {role: "img"}, n.text],
  progress: n => ["progress", {max: n.max, value: n.style == "spinner" ? null : n.value}],
  divider: n => ["hr", {}],
  spacer: n => ["span", {}],
  badge: line("span"),
  date: n => ["p", {}, (n.label ? n.label + ": " : "") + dateText(n)],
  number: n => ["p", {}, (n.label ? n.label + ": " : "") + numberText(n)],
  button: (n, o) => ["button", {type: "button", ...using(o)}, [n.icon, n.text ?? (n.icon ? "" : n.label)].filter(Boolean).join(" ")],
  link: (n, o) => n.action ? ["button", {type: "button", role: "link", ...using(o)}, n.text ?? n.label]
    : [n.href && !isOff(o) ? "a" : "span", {...using(o), href: n.href, rel: "noopener noreferrer"}, n.text ?? n.label],
  menu: folded,
  textField: input("text"),
  secureField: input("password"),
  textEditor: (n, o) => field(o, "textarea", {rows: Math.min(Math.max(n.lines ?? 3, 1), 100)}),
  toggle: (n, o) => field(o, "input", {type: "checkbox", role: n.style == "switch" && n.style}),
  slider: range("range", 0, 1, "any"),
  stepper: range("number", null, null, 1),
  datePicker: (n, o) => range({time: "time", dateTime: "datetime-local"}[n.style] ?? "date")(n, o),
  picker: (n, o) => /segmented|radio/.test(n.style)
    ? ["fieldset", {...using(o), role: "radiogroup"}, !n.labelHidden && ["legend", {}, n.label], ["div", {class: "options"}, ...optionsOf(n).map(
        x => ["label", {}, ["input", {type: "radio", name: o.id ??= "r" + ++ids}], ["span", {}, x[1]]])], ["p", {class: "error", role: "alert"}, n.error]]
    : field(o, "select", {}, ...optionsOf(n).map(x => ["option", {}, x[1]])),
  row: box, column: box, scroll: box,
  grid: (n, o) => (o.e && (o.e.style.gridTemplateColumns = n.columns > 0 ? `repeat(${n.columns}, minmax(0, 1fr))` : ""), box()),
  screen: titled("section", "h1"),
  section: titled("section", "h2"),
  group: titled("fieldset", "legend"),
  form: n => ["form", {}],
  list: n => ["ul", {}],
  table: (n, o) => ["div", {}, ["table", {"aria-label": n.label}, n.columns?.length && ["thead", {}, ["tr", {}, ...n.columns.map(
    x => ["th", {scope: "col", class: [x.align && "align-" + x.align, x.grow && "wide"].filter(Boolean).join(" ")}, x.title ?? x]), ["th", {}]]], o.box]],
  toolbar: n => ["div", {role: "toolbar"}],
  disclosure: folded,
  tabs: (n, o) => ["div", {}, ["div", {role: "tablist"}, ...standIns(o).map(tab => button("tab", null, nameOf(tab.n), {
    role: "tab", "aria-selected": String(tab == o.tab), tabindex: tab == o.tab ? 0 : -1, disabled: isOff(tab),
  }))], o.box],
  child: box, forEach: box, navigation: box, host: box,
  failed: ({error = {}}, o) => ["div", {}, ["p", {class: "error", role: "alert"}, error.message], ["p", {class: "location"}, error.location],
    ["p", {class: "traceback"}, error.traceback], o.box],
  alert, dialog: alert,
  other: (n, o) => ["div", {}, ["p", {class: "note"}, `unknown element '${n.kind}'`], o.box],
};
// Those whose children have an element of their own, and those that draw their label.
const boxes = {tabs: "div", table: "tbody"}, boxed = /^(screen|section|group|menu|disclosure|failed|alert|dialog)$/;
const labelled = /^(image|date|number|menu|disclosure|table|textField|secureField|textEditor|toggle|slider|stepper|datePicker)$/;

let ids = 0;
const paint = o => {
  const {n, up} = o, words = n.kind == "alert" || n.kind == "dialog" ? [] : [n.style, n.role, n.keyboard];
  const d = (kinds[n.kind] ?? kinds.other)(n, o), isCell = o.tag == "tr" && n.kind == "row" || o.tag == "li" && n.kind == "section";
  for (const key of ["tone", "spacing", "align", "axis"]) if (n[key]) words.push(key + "-" + n[key]);
  for (const key of ["grow", "wrap", "selection"]) if (n[key]) words.push(key);
  d[1] = {
    class: ["n", isPlace(n) ? "place" : n.kind, ...words, n.class].filter(Boolean).join(" "),
    "aria-label": !labelled.test(n.kind) && n.label !== n.text && !(o.n.kind == "picker" && d[0] == "fieldset" && !n.labelHidden) ? n.label : null,
    title: n.hint, "aria-live": n.announce ? "polite" : null, "aria-hidden": n.decorative ? "true" : null, ...d[1],
  };
  if (isCell) d[0] = o.tag;
  const e = o.e = draw(o.e, d), list = isRow(o) && up.list.n;
  let dom = e;
  if (list) {
    const {selection, selected, onDelete, onMove} = list, tools = [
      onMove && button("move", "Move", "⠿", {"aria-labelledby": (e.id ||= "r" + ++ids) + "m " + e.id, id: e.id + "m"}),
      onDelete && button("delete", "Delete", "×", {"aria-labelledby": (e.id ||= "r" + ++ids) + "d " + e.id, id: e.id + "d"})];
    const isSelected = selected != null && selected === n.id;
    if (isSelected) up.list.current = o;
    const attributes = {
      tabindex: selection || onDelete || onMove ? 0 : null, "aria-current": isSelected ? "true" : null,
      "aria-keyshortcuts": [onMove && "Alt+ArrowUp Alt+ArrowDown", onDelete && "Delete"].filter(Boolean).join(" ") || null,
    };
    const cell = (onDelete || onMove) && ["td", {}, ...tools];
    if (o.tag == "li") dom = draw(o.dom, ["li", attributes, tools[0], e, tools[1]]);
    else if (!isCell) dom = draw(o.dom, ["tr", attributes, ["td", {}, e], cell]);
    else {
      draw(e, ["tr", {...d[1], ...attributes}]);
      if (cell) e.append(o.cell = draw(o.cell, cell));
    }
  } else if (o.tag == "td" && !isPlace(n)) dom = draw(o.dom, ["td", {}, e]);
  else if (o.tag == "entry") dom = draw(o.dom, ["div", {class: "entry"}, button("back", null, "‹ " + (o.below ?? "Back")), e]);
  if (o.dom != dom) { o.dom?.replaceWith(dom); o.dom = dom; dom.o = o; }
  o.box ??= e;
  for (const as of presentations) if (n[as] !== undefined) present(o, as);
  if (o.isControl ??= /textField|secureField|textEditor|toggle|slider|stepper|datePicker|picker|disclosure/.test(n.kind)) {
    o.f = e.querySelector("input, textarea, select, summary");
    settle(o);
  }
};

const dateText = ({value, style}) => {
  const isDay = /^\d+-\d+-\d+$/.test(value), date = new Date(isDay ? value + "T00:00" : value);
  if (isNaN(date)) return value ?? "";
  if (style == "relative") {
    const units = {year: 31557600, month: 2629800, day: 86400, hour: 3600, minute: 60, second: 1}, s = (date - Date.now()) / 1000;
    const unit = Object.keys(units).find(x => Math.abs(s) >= units[x]) ?? "second";
    return new Intl.RelativeTimeFormat([], {numeric: "auto"}).format(Math.round(s / units[unit]), unit);
  }
  return date.toLocaleString([], {dateStyle: style == "time" ? undefined : "medium", timeStyle: style == "date" || isDay ? undefined : "short"});
};
const numberText = ({value, style, digits, currency}) => {
  const how = {minimumFractionDigits: digits, maximumFractionDigits: digits ?? (style == "percent" ? 0 : 15)};
  if (style == "percent") how.style = style;
  if (style == "currency" && /^[a-z]{3}$/i.test(currency)) Object.assign(how, {style, currency, maximumFractionDigits: digits});
  if (style == "bytes") {
    const i = Math.min(Math.floor(Math.log10(Math.abs(value) || 1) / 3), 5);
    value /= 1000 ** i;
    Object.assign(how, {style: "unit", unit: ["", "kilo", "mega", "giga", "tera", "peta"][i] + "byte", maximumFractionDigits: digits ?? (i && 1)});
  }
  return typeof value == "number" ? value.toLocaleString([], how) : value ?? "";
};

// ---- Building

const special = new Set();   // what looks at its surroundings after each frame: navigations, tabs, long lists

const build = (n, up, as) => {
  n ??= {};
  const {kind = "nothing"} = n, o = {n, up, as, tag: as ? null : up?.rows};
  if (kind == "nothing") {
    o.dom = document.createComment("");
    return o.dom.o = o;
  }
  const isSection = o.tag == "li" && kind == "section";
  if (o.tag && isPlace(n) || o.tag == "tr" && kind == "section") o.rows = o.tag, o.list = up.list;
  else if (isSection) o.rows = "li", o.list = up.list;
  else if (kind == "list" || kind == "table") o.rows = kind == "list" ? "li" : "tr", o.list = o;
  else if (o.tag == "tr" && kind == "row") o.rows = "td";
  else if (kind == "forEach" && up?.n.kind == "navigation") o.rows = "entry";
  if (boxes[kind] || boxed.test(kind) || !kinds[kind]) {
    o.box = document.createElement(isSection ? "ul" : boxes[kind] ?? "div");
    o.box.className = /alert|dialog/.test(kind) ? "toolbar" : "box";
    if (kind == "tabs") o.box.setAttribute("role", "tabpanel");
  }
  paint(o);
  if (n.children) insert(o, n.children);
  n.children = null;
  if (/^(navigation|tabs|list|table)$/.test(kind)) special.add(o);
  if (n.focused !== undefined) wanted = o;
  return o;
};

// Puts nodes, and runs of rows of one shape, before a child, or behind the last one.
let templates;
const insert = (o, nodes, before) => {
  const fragment = document.createDocumentFragment(), add = n => fragment.append(build(n, o).dom);
  for (const n of nodes) {
    if (!Array.isArray(n)) { add(n); continue; }
    const [index, ids, values] = n;
    let at = 0;
    const fill = t => {
      if (!t || typeof t != "object") return t;
      if (Array.isArray(t)) return t.length ? t.map(fill) : values[at++];
      const filled = {};
      for (const key in t) filled[key] = fill(t[key]);
      return filled;
    };
    const row = id => { const n = fill(templates[index]); n.id = id; add(n); };
    for (const id of ids) if (Array.isArray(id)) for (let i = 0; i < id[1]; i++) row(id[0] + i); else row(id);
  }
  // Behind the children there may be what is presented, and the buttons of a row.
  if (!before) for (let last = o.box.lastChild; last && !last.o; last = last.previousSibling) before = last;
  o.box.insertBefore(fragment, before ?? null);
};

const childrenOf = o => [...o.box.childNodes].map(x => x.o).filter(Boolean);
// The nodes that stand for the children of a node: those in places, not the places.
const standIns = o => childrenOf(o).flatMap(x => !x.e ? [] : isPlace(x.n) ? standIns(x) : x);

// ---- Frames

let root, version = 0, wanted, applying;

const child = (o, step) => {
  if (typeof step == "number") return o.box.childNodes[step - 1].o;
  if (typeof step == "string") return o.presented[step];
  // Changes mostly come in the order of the rows, so the search begins where the last one ended.
  const [id, occurrence] = step, first = o.box.firstChild, start = o.found?.parentNode == o.box ? o.found : first;
  let row = start;
  while (row.o.n.id !== id || row.o.n.occurrence !== occurrence) if ((row = row.nextSibling ?? first) == start) return;
  return (o.found = row).o;
};
const find = path => path.reduce((o, step) => o && child(o, step), root);
const pathOf = ({n, up, as, dom}) => up ? [...pathOf(up), as ?? (up.n.kind == "forEach" ? n.occurrence ? [n.id, n.occurrence] : [n.id]
  : [].indexOf.call(up.box.childNodes, dom) + 1)] : [];

const replace = (o, n) => {
  if (o?.as) { o.up.n[o.as] = n; present(o.up, o.as); }
  else if (o?.up) o.dom.replaceWith(build(n, o.up).dom);
  else {
    special.clear();
    root = build(n);
    main.replaceChildren(root.dom);
  }
};

const change = ([what, path, value, before]) => {
  const o = what || path.length ? find(path) : null;
  if (what == 0) replace(o, value);
  else if (what == 1) {
    const {n} = o, had = n.selected;
    Object.assign(n, value);
    for (const key in value) if (value[key] === null) delete n[key];
    if ("focused" in value) wanted = o;
    for (const as of presentations) if (value[as] === null) present(o, as);
    paint(o);
    if (o.list == o) {
      const all = ["onDelete", "onMove", "selection"].some(key => key in value);
      for (const row of rowsOf(o)) if (row.e && (all || had !== n.selected && (row.n.id === had || row.n.id === n.selected))) paint(row);
    }
    if ("disabled" in value) for (const e of o.dom.querySelectorAll("*")) if (e.o) paint(e.o);
  } else if (what == 2) insert(o, value, before && child(o, before).dom);
  else if (what == 3) o.dom.remove();
  else {
    const {box} = o.up, at = value ? child(o.up, value).dom : null;
    // Where the browser can, an element is moved without losing the focus.
    if (box.moveBefore) box.moveBefore(o.dom, at); else box.insertBefore(o.dom, at);
  }
};

const apply = ([next, changes, shapes, animation]) => {
  const was = remember(), rects = animation && !still.matches && places();
  let last = [];
  applying = true;
  templates = shapes;
  drop();
  for (const one of changes) {
    if (one[1][0] < 0) one[1].splice(0, 1, ...last.slice(0, -one[1][0]));
    last = one[1];
    change(one);
  }
  version = next;
  special.forEach(o => o.dom.isConnected ? refresh(o) : special.delete(o));
  arrange();
  applying = false;
  restore(was);
  takeFocus();
  // Rows go from where they were to where they are, and new ones appear.
  if (rects) for (const [e, {left, top}] of places()) {
    const old = rects.get(e), timing = {duration: (animation.duration ?? .25) * 1000, easing: animation == "linear" ? animation : "ease"};
    if (!old) e.animate({opacity: [0, 1]}, timing);
    else if (old.top != top || old.left != left) e.animate({translate: [`${old.left - left}px ${old.top - top}px`, "0 0"]}, timing);
  }
  document.title = titleOf(main) ?? "ScriptedStore";
};
const places = () => new Map([...document.querySelectorAll("li, tr")].slice(0, 300).map(e => [e, e.getBoundingClientRect()]));

const refresh = o => {
  if (o.n.kind == "navigation") {
    const [first, stack] = childrenOf(o), screens = [first, ...stack ? childrenOf(stack).filter(x => x.e) : []], top = screens.pop();
    for (const x of screens) x.dom.hidden = true;
    top.dom.hidden = false;
    if (screens.length) { top.below = titleOf(screens.pop().dom); paint(top); }
    if (o.top && o.top != top) { o.top.scroll = scrollY; scrollTo(0, top.scroll ?? 0); }
    o.top = top;
  } else if (o.n.kind == "tabs") {
    const tabs = standIns(o), value = o.n.bind || o.n.onChange ? o.n.value : o.chosen;
    o.tab = tabs.find(tab => value != null && (tab.n.name ?? nameOf(tab.n)) === value) ?? tabs[0];
    for (const tab of tabs) tab.dom.hidden = tab != o.tab;
    paint(o);
  } else look(o);
};

// ---- Presentations

const present = (o, as) => {
  const n = o.n[as], all = o.presented ??= {}, old = all[as];
  if (old?.n === n) return;
  old?.dialog.remove();
  delete all[as];
  if (!n) return;
  const x = all[as] = build(n, o, as);
  x.dialog = draw(null, ["dialog", {class: as, role: as == "alert" ? "alertdialog" : null}, x.dom, !/alert|dialog/.test(as) && button("close", "Close", "×")]);
  o.e.append(x.dialog);
};

// Opens the dialogs that there are, in the order of docs/view-api.md.
let layers = [];
const arrange = () => {
  const all = [...main.querySelectorAll("dialog")].filter(d => !d.parentNode.closest("[hidden]")), order = [];
  const rank = d => presentations.indexOf(d.className);
  const collect = below => {
    for (const d of all.filter(d => d.parentNode.closest("dialog") == below).sort((a, b) => rank(a) - rank(b))) { order.push(d); collect(d); }
  };
  collect(null);
  const same = layers.findIndex((d, i) => d != order[i]);
  if (same >= 0) for (const d of layers.slice(same).reverse()) d.close();
  layers = order;
  for (const d of layers) {
    d.ariaLabel = titleOf(d);
    if (!d.open) d.showModal();
  }
};

// ---- Rows

const isRow = o => o.up?.list && !o.as && !holdsRows(o.n);
const owner = e => { while (e && !e.o) e = e.parentNode; return e?.o; };
const rowAt = e => { let o = owner(e); while (o && !isRow(o)) o = o.up; return o; };
// The rows of a list in the tree, with those that show nothing.
const rowsOf = o => childrenOf(o).flatMap(x => holdsRows(x.n) ? rowsOf(x) : x.e || "id" in x.n ? x : []);
const idsOf = ({n}) => n.id === undefined ? [] : [n.id];

const move = (o, by) => {
  const {list} = o.up, rows = rowsOf(list), to = rows.indexOf(o) + by, first = list.n.window?.[0] ?? 1;
  if (by && to >= 0 && to < rows.length) send(o, {gesture: "move", ids: idsOf(o), to: first + to + (by > 0)});
};

// A row is dragged by its handle, and the others make room.
let drop = () => {};
const drag = (handle, down) => {
  const o = rowAt(handle), rows = rowsOf(o.up.list).filter(x => x.e).map(x => x.dom), at = rows.indexOf(o.dom);
  const middles = rows.map(e => { const {top, height} = e.getBoundingClientRect(); return top + height / 2; }), {style} = o.dom;
  let to = at;
  handle.setPointerCapture(down.pointerId);
  style.zIndex = 5;
  handle.onpointermove = ({clientY}) => {
    const by = clientY - down.clientY;
    to = middles.filter((y, i) => i != at && y < middles[at] + by).length;
    rows.forEach((e, i) => e.style.translate = `0 ${i == at ? by : Math.sign((i <= to) - (i < at) - (i >= at && i > at ? 0 : 0)) * 0}px`);
    rows.forEach((e, i) => { if (i != at) e.style.translate = i > at && i <= to ? `0 -${o.dom.offsetHeight}px` : i < at && i >= to ? `0 ${o.dom.offsetHeight}px` : ""; });
  };
  drop = () => {
    drop = () => {};
    style.zIndex = "";
    for (const e of rows) e.style.translate = "";
  };
  handle.onpointerup = handle.onpointercancel = ({type}) => {
    handle.onpointermove = handle.onpointerup = handle.onpointercancel = null;
    if (type == "pointerup" && to != at) { move(o, to - at); setTimeout(drop, 400); } else drop();
  };
};

// A long list has a window of its rows in the tree. The room of the others is left free, and as it is seen, they are asked for.
const look = o => {
  const view = o.n.window, box = o.n.kind == "list" ? o.box : o.e, rows = view ? rowsOf(o).filter(x => x.e) : [];
  if (!rows.length) { box.style.paddingBlock = ""; return; }
  const [first, count, total] = view, rect = e => e.getBoundingClientRect(), scroller = o.e.closest(".scroll, dialog");
  const height = o.height ??= (rect(rows[rows.length - 1].dom).bottom - rect(rows[0].dom).top) / rows.length || 40;
  box.style.paddingBlock = `${(first - 1) * height}px ${Math.max(total - first - count + 1, 0) * height}px`;
  const {top, bottom} = scroller ? rect(scroller) : {top: 0, bottom: innerHeight}, start = rect(box).top;
  const from = Math.max(Math.floor((Math.max(top, 0) - start) / height), 0), to = Math.min(Math.ceil((Math.min(bottom, innerHeight) - start) / height), total);
  if (to < 1 || from >= total || from >= first - 1 && to < first + count) return;
  const show = [Math.max(from - 20, 0) + 1, Math.min(to - from + 40, 200)];
  if (o.show != show + "") send(o, {show}, o.show = show + "");
};
let looking;
const lookAgain = () => looking ??= requestAnimationFrame(() => {
  looking = null;
  for (const o of special) if (o.n.window) look(o);
});
addEventListener("scroll", lookAgain, {capture: true, passive: true});
addEventListener("resize", lookAgain);

// ---- The focus

const isText = f => f?.localName == "textarea" || /^(text|password)$/.test(f?.type) && f.localName == "input";

// Where the focus and the caret are, for when a frame has taken them away.
const remember = () => {
  const f = document.activeElement, o = owner(f), row = o && rowAt(f);
  return o && {
    f, path: pathOf(o), onRow: f == row?.dom, near: row && [row.dom, row.dom.nextSibling, row.dom.previousSibling], name: f.className,
    caret: isText(f) && [f.selectionStart, f.selectionEnd], text: isText(f) && o.last > seen ? f.value : null,
  };
};
const restore = was => {
  if (!was || document.activeElement == was.f || !was.f?.isConnected && document.activeElement != document.body) return;
  // The row has gone, so that its neighbour has the focus.
  const near = was.near?.[0].isConnected ? null : was.near?.find(e => e?.isConnected)?.o, o = near ?? find(was.path);
  const f = was.f?.isConnected ? was.f : was.onRow ? o?.dom : near ? near.dom.querySelector("." + (was.name || "n")) ?? near.dom : o?.f ?? o?.e;
  f?.focus({preventScroll: true});
  if (!was.caret || !isText(f)) return;
  if (was.text != null && f.value != was.text) { f.value = was.text; type(o); }
  f.setSelectionRange(...was.caret);
};

// The state has named the field that has the focus. What the person did last counts until the server has seen it.
let focused = 0;
const takeFocus = () => {
  if (!wanted || focused > seen) return;
  const {n, e} = wanted, active = document.activeElement;
  wanted = null;
  if (n.focused == active.name) return;
  if (n.focused != null) [...e.querySelectorAll("[name]")].find(f => f.name === n.focused)?.focus();
  else if (active.name && e.contains(active)) active.blur();
};
const focus = gesture => ({target, relatedTarget}) => {
  const o = owner(target);
  if (applying || !o?.n.name || gesture == "blur" && (!document.hasFocus() || relatedTarget?.name)) return;
  let box = o.up;
  while (box && !box.n.focus) box = box.as ? null : box.up;
  if (box && (gesture == "blur" || box.n.focused !== o.n.name || focused > seen)) focused = send(o, {gesture}) ?? 0;
};

// ---- What is entered

// A control shows what the tree has, unless the server has still to see what was entered.
const settle = o => {
  const {n, f} = o, {value} = n;
  if (o.last > seen || f.composing) return;
  if (f.localName == "summary") { if (n.bind || n.onChange || o.e.has.open == null) o.e.open = o.e.has.open = value !== false; }
  else if (f.type == "radio") o.e.querySelectorAll("input").forEach((x, i) => x.checked = optionsOf(n)[i][0] === value);
  else if (f.type == "checkbox") f.checked = value === true;
  else if (f.localName == "select") f.selectedIndex = optionsOf(n).findIndex(x => x[0] === value);
  else if (!isText(f)) f.value = String(value ?? "").slice(0, f.type == "datetime-local" ? 16 : 99);
  else if (f.value !== String(value ?? "")) {
    // The caret stays where it was in what is the same.
    const old = f.value, now = String(value ?? ""), caret = [f.selectionStart, f.selectionEnd], same = common(old, now);
    f.value = now;
    if (f == document.activeElement) f.setSelectionRange(...caret.map(at => at <= same ? at : Math.max(same, now.length - old.length + at)));
  }
};
const common = (a, b) => { let i = 0; while (i < a.length && a[i] === b[i]) i++; return i; };

// Sends what was typed: what is between the same beginning and the same end, in pieces of which none ends inside of a character.
const type = o => {
  const {f, n} = o, now = f.value, isPending = o.typed > seen, old = isPending ? o.known : String(n.value ?? "");
  if (f.composing || now === old) return;
  let from = isPending ? o.typed : undefined, start = common(old, now), end = 0;
  const most = Math.min(old.length, now.length);
  if (/[\ud800-\udbff]/.test(old[start - 1])) start--;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  if (end && /[\udc00-\udfff]/.test(old[old.length - end])) end--;
  let removed = old.length - end - start, rest = now.slice(start, now.length - end);
  do {
    let size = Math.min(rest.length, 2500);
    if (size < rest.length && /[\ud800-\udbff]/.test(rest[size - 1])) size--;
    from = send(o, {gesture: "type", from, start, removed, inserted: rest.slice(0, size), more: size < rest.length ? 1 : undefined});
    rest = rest.slice(size);
    start += size;
    removed = 0;
  } while (rest);
  o.typed = from;
  o.known = now;
};

const enter = o => {
  const {f, n} = o;
  if (n.kind == "slider" && o.last > seen) return o.later = true;   // one value at a time
  const value = f.type == "radio" ? optionsOf(n)[[...o.e.querySelectorAll("input")].findIndex(x => x.checked)][0]
    : f.localName == "select" ? optionsOf(n)[f.selectedIndex][0] : f.type == "checkbox" ? f.checked : n.kind == "datePicker" ? f.value || null : f.valueAsNumber;
  if (value === value) send(o, {gesture: "enter", value}); else settle(o);
};

const submit = o => {
  let form = o;
  while (form && !form.n.onSubmit) form = form.as ? null : form.up;
  if (!form) return false;
  type(o);
  return send(o, {gesture: "submit"});
};

// ---- Events

const on = (name, listener) => addEventListener(name, listener, true);
const control = e => { const o = owner(e); return o?.isControl && o.f.localName != "summary" ? o : null; };

on("input", ({target, isComposing}) => {
  const o = control(target);
  if (o && isText(target)) isComposing || type(o); else if (o?.n.kind == "slider") enter(o);
});
on("change", ({target}) => { const o = control(target); if (o && !isText(target)) enter(o); });
on("compositionstart", ({target}) => target.composing = true);
on("compositionend", ({target}) => {
  target.composing = false;
  const o = control(target);
  if (o) { type(o); settle(o); }
});
on("submit", event => event.preventDefault());
on("focusin", focus("focus"));
on("focusout", focus("blur"));
on("pointerdown", event => {
  if (event.target.className != "move" || event.button) return;
  event.preventDefault();
  event.target.focus();
  drag(event.target, event);
});

const dismiss = () => send(root, {gesture: "dismiss"});
on("cancel", event => { if (event.target.localName == "dialog") { event.preventDefault(); dismiss(); } });

// What the buttons of the page itself do.
const acts = {
  close: dismiss, back: () => send(root, {gesture: "back"}), delete: e => { const o = rowAt(e); send(o, {gesture: "delete", ids: idsOf(o)}); }, move: () => {},
  tab: e => {
    const o = owner(e), tab = standIns(o)[[...e.parentNode.childNodes].indexOf(e)];
    o.chosen = tab.n.name ?? nameOf(tab.n);
    if (o.n.bind || o.n.onChange) send(tab, {gesture: "tap"}); else refresh(o);
  },
};

on("click", event => {
  const e = event.target, b = e.closest?.("button, a, summary"), o = owner(e), row = rowAt(e);
  for (const menu of main.querySelectorAll(".menu[open]")) if (!menu.contains(e) || b && b.localName != "summary") menu.open = false;
  if (e.localName == "dialog" && /sheet|popover|dialog/.test(e.className)) {
    const {left, right, top, bottom} = e.getBoundingClientRect();
    if (event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom) dismiss();
  } else if (b && acts[b.className]) acts[b.className](b);
  else if (b && o) {
    if (isOff(o)) event.preventDefault();
    else if (b.localName == "button") send(o, {gesture: "tap"});
    else if (o.n.kind == "disclosure" && (o.n.bind || o.n.onChange)) send(o, {gesture: "enter", value: !o.e.open});
  } else if (row?.up.list.n.selection && !e.closest("label, input, textarea, select")) send(row, {gesture: "select"});
});

// A shortcut as `ctrl+shift+n`. Where the browser keeps it for itself, Alt takes the place of `mod`.
const names = {esc: "escape", return: "enter", del: "delete", " ": "space"};
const keysOf = given => {
  const parts = given.toLowerCase().split(/\+(?!$)/), key = parts.pop();
  const mod = /^([ntwqrlp]|\d|tab)$/.test(key) ? "alt" : isMac ? "meta" : "ctrl";
  return [...parts.map(x => x == "mod" ? mod : x).sort(), names[key] ?? key].join("+");
};

on("keydown", event => {
  if (event.isComposing) return;
  const e = event.target, key = (event.altKey && /^(Key|Digit)/.test(event.code) ? event.code.slice(-1) : event.key).toLowerCase().replace("arrow", "");
  const keys = [...["alt", "ctrl", "meta", "shift"].filter(x => event[x + "Key"] && (x != "shift" || /\w/.test(key))), names[key] ?? key].join("+");
  const o = owner(e), isTyping = isText(e), row = rowAt(e), list = row?.up.list.n ?? {}, by = /up$/.test(keys) ? -1 : 1;
  const onRow = row && e == row.dom, isArrow = /^(alt\+)?(up|down)$/.test(keys);
  const used = [...(layers[layers.length - 1] ?? main).querySelectorAll("[aria-keyshortcuts]")].find(f => owner(f).keys == keys && !f.disabled && f.checkVisibility());
  if (used && !(isTyping && key == keys && key.length == 1)) { used.focus(); if (!isText(used)) used.click(); }
  else if (keys == "enter" && isTyping && e.localName == "input" || /^(ctrl|meta)\+enter$/.test(keys)) { if (!o?.isControl || !submit(o)) return; }
  else if (keys == "escape" && !layers.length) {
    const menu = main.querySelector(".menu[open]");
    if (menu) menu.open = false; else if (main.querySelector(".entry:not([hidden])")) acts.back();
  } else if (e.className == "tab" && /^(left|right)$/.test(keys)) {
    const all = e.parentNode.childNodes, to = all[([].indexOf.call(all, e) + (keys == "left" ? -1 : 1) + all.length) % all.length];
    to.focus();
    acts.tab(to);
  } else if (list.onMove && isArrow && (key != keys || e.className == "move")) move(row, by);
  else if (list.onDelete && !isTyping && /^(delete|backspace)$/.test(keys)) acts.delete(e);
  else if (onRow && isArrow) { const rows = rowsOf(row.up.list); rows[rows.indexOf(row) + by]?.dom.focus?.(); }
  else if (onRow && list.selection && /^(enter|space)$/.test(keys)) send(row, {gesture: "select"});
  else return;
  event.preventDefault();
});

// ---- The connection

let socket, page, files, count = 0, seen = 0, outbox = [], next = 0, pumping, hiding, lost, tries = 0, kept;
const sent = new Map();
const say = message => socket?.readyState == 1 && socket.send(JSON.stringify(message));
const tell = (words, stays) => {
  clearTimeout(hiding);
  status.textContent = words;
  if (!stays) hiding = setTimeout(tell, 5000, "", true);
};

// Events stay in the outbox until the server has seen them, and go out slower than it would refuse them.
const pump = () => {
  if (pumping || socket?.readyState != 1) return;
  for (let i = 0; i < 15 && next < outbox.length; i++) say(outbox[next++]);
  if (next < outbox.length) pumping = setTimeout(() => pump(pumping = 0), 100);
};
const send = (o, what) => {
  if (socket?.readyState != 1 && what.gesture != "type") { tell("Not connected"); if (o.isControl) settle(o); return; }
  outbox.push({n: ++count, at: version, path: /^(back|dismiss)$/.test(what.gesture) ? [] : pathOf(o), ...what});
  sent.set(count, o);
  pump();
  return o.last = count;
};
const see = number => {
  next -= outbox.filter(event => event.n <= number).length;
  outbox = outbox.filter(event => event.n > number);
  next = Math.max(next, 0);
  seen = number;
  for (const [n, o] of sent) {
    if (n > number) continue;
    sent.delete(n);
    if (o.later) { o.later = false; enter(o); } else if (o.isControl) settle(o);
  }
  takeFocus();
};

const heard = message => {
  const {hello, failed, refused} = message;
  if (Array.isArray(message)) {
    apply(message);
    say({at: version});
    if (kept) { scrollTo(0, kept.scroll); restore(kept); kept = null; }
  } else if (hello) {
    if (files && files != hello.build) location.reload();
    ({page, build: files} = hello);
    if (hello.resumed) { see(hello.seen); next = 0; pump(); }
    else { outbox = []; next = 0; sent.clear(); count = seen = hello.seen; }
    clearTimeout(lost);
    lost = tries = 0;
    tell("", true);
  } else if (message.seen) see(message.seen);
  else if (refused) {
    const o = sent.get(refused);
    tell(message.message);
    if (o) { o.last = o.typed = 0; if (o.isControl) settle(o); }
  } else if (failed) { version = 0; replace(null, {kind: "failed", error: failed}); arrange(); }
  dispatchEvent(new CustomEvent("live", {detail: message}));
};

const environment = () => ({width: narrow.matches ? "compact" : "regular", colorScheme: dark.matches ? "dark" : "light", locale: navigator.language});
const connect = () => {
  if (socket?.readyState < 2) return;
  const query = new URLSearchParams({...environment(), ...page && version ? {page, at: version} : {}}), mine = socket = new WebSocket(`/live?${query}`);
  mine.onmessage = ({data}) => { if (mine == socket) heard(JSON.parse(data)); };
  mine.onclose = ({code}) => {
    lost ||= setTimeout(tell, 1000, "Reconnecting …", true);
    setTimeout(connect, code > 1001 && code < 1010 ? 3000 : Math.min(200 * 2 ** tries++, 8000) * (.5 + Math.random() / 2));
  };
};
const wake = () => { if (!document.hidden) connect(tries = 0); };
on("visibilitychange", wake);
on("online", wake);
for (const query of [narrow, dark]) query.onchange = () => say({env: environment()});

// A page that is loaded again has its scroll, focus and caret where they were.
kept = JSON.parse(sessionStorage.getItem("kept"));
history.scrollRestoration = "manual";
on("pagehide", () => {
  const {path = [], onRow, caret} = remember() ?? {};
  sessionStorage.setItem("kept", JSON.stringify({path, onRow, caret, scroll: scrollY}));
});

window.live = {say};
connect();
}
