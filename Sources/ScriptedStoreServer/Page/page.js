// Shows the tree of views that the server sends, and says what a person does: docs/wire-format.md has the messages.
//
// The DOM is the tree. A node has one DOM node, an absent node a comment, whose `o` is
//   { n: the node, up: that around it, as: "sheet" … if it is presented, dom: its DOM node, e: the element that is drawn, which in
//     a row, a cell or an entry is inside of `dom`, f: the control in it, box: the parent of the DOM nodes of its children }
"use strict";
{
const main = document.querySelector("main"), status = document.querySelector("#status");
const presentations = ["popover", "dialog", "sheet", "cover", "alert"];
const isMac = /mac|iphone|ipad/i.test(navigator.platform);
const [narrow, dark, still] = ["max-width: 599px", "prefers-color-scheme: dark", "prefers-reduced-motion"].map(x => matchMedia(`(${x})`));
const all = (e, selector) => [...e.querySelectorAll(selector)];
const rect = e => e.getBoundingClientRect();
const words = (...list) => list.filter(Boolean).join(" ");

// ---- Drawing

// Brings an element to a description: [tag, attributes, …what is inside], which are texts, descriptions and DOM nodes. What is
// false or empty is left out. A description of two parts leaves alone what is inside.
const draw = (e, [tag, attributes, ...inside]) => {
  if (e?.localName != tag) e = document.createElement(tag);
  for (const name in attributes) {
    const value = attributes[name] ?? false, is = value === true ? "" : value === false ? null : String(value);
    if (e.getAttribute(name) === is) continue;
    if (is == null) e.removeAttribute(name); else e.setAttribute(name, is);
  }
  if (!inside.length) return e;
  inside = inside.filter(x => x || x === 0);
  inside.forEach((x, i) => {
    const at = e.childNodes[i];
    if (Array.isArray(x)) x = draw(inside.includes(at) ? null : at, x);
    else if (!x.nodeType) {
      if (at?.nodeType != 3) e.insertBefore(document.createTextNode(x), at ?? null); else if (at.data !== String(x)) at.data = x;
      return;
    }
    if (x != at) e.insertBefore(x, at ?? null);
  });
  for (const x of [...e.childNodes].slice(inside.length)) if (x.localName != "dialog") x.remove();
  return e;
};

// A property with a value of a wrong type counts as absent, as in the other drawings. So lists get into `draw` only from this file,
// and data of the state never becomes elements.
const isScalar = x => /^(string|number|boolean)$/.test(typeof x);
const scalar = x => isScalar(x) ? x : undefined;
const parts = (x, take) => Array.isArray(x) ? x.map(x => isScalar(x) ? x : take(x ?? {})).filter(x => x !== undefined) : undefined;
const types = {
  __proto__: null, children: x => x, window: x => x,
  options: x => parts(x, ({value, label}) => isScalar(value) ? {value, label: scalar(label)} : undefined),
  columns: x => isScalar(x) ? x : parts(x, ({title, align, grow}) => ({title: scalar(title) ?? "", align: scalar(align), grow: scalar(grow)})),
  error: x => !x || isScalar(x) ? x ?? undefined : {message: scalar(x.message), location: scalar(x.location), traceback: scalar(x.traceback)},
  digits: x => Number.isInteger(x) && x >= 0 && x <= 100 ? x : undefined,
};
for (const as of presentations) types[as] = x => x && typeof x == "object" && !Array.isArray(x) ? x : undefined;
const clean = n => { for (const key in n) n[key] = (types[key] ?? scalar)(n[key]); };

const isPlace = n => /^(child|forEach|navigation)$/.test(n.kind);
const isOff = o => !!o.n.disabled || !o.as && !!o.up && isOff(o.up);
const nameOf = n => n.label ?? n.title;
const titleOf = e => e.querySelector?.(":is(h1, h2, h3, h4, h5, h6, legend):not(:empty)")?.textContent;
const button = (name, label, sign, more) => ["button", {type: "button", class: name, "aria-label": label, ...more}, sign];

// The attributes of what is named, used or entered.
const using = (o, more) => {
  const {n} = o, keys = o.keys = n.shortcut && keysOf(String(n.shortcut));
  return {
    "aria-label": n.label !== n.text && n.label, title: words(n.hint, keys && `(${keys.replace(/\b\w/g, x => x.toUpperCase())})`) || null,
    // Not `name`: in a form that would hide the property of that name, as `childNodes`.
    "data-name": n.name, disabled: isOff(o), "aria-keyshortcuts": keys?.replace("ctrl", "control"), ...more,
  };
};
const inner = (o, tag = "div", more) => o.box ??= draw(null, [o.tag == "li" && o.n.kind == "section" ? "ul" : tag, {class: "box", ...more}]);

// The label, the control and the error of what takes input.
const error = n => ["p", {class: "error", role: "alert"}, n.error];
const field = (o, tag, more, ...inside) => {
  const {n} = o, hidden = n.labelHidden;
  o.isControl = true;
  return ["div", {}, ["label", {}, !hidden && ["span", {}, n.label],
    [tag, using(o, {"aria-label": hidden && n.label, "aria-invalid": n.error && "true", placeholder: n.prompt, ...more}), ...inside]], error(n)];
};
const input = type => (n, o) => field(o, "input", {type, autocomplete: "off", min: n.min ?? (n.kind == "slider" ? 0 : null),
  max: n.max ?? (n.kind == "slider" ? 1 : null), step: n.step ?? {slider: "any", stepper: 1}[n.kind],
  // Of fields only the keyboard: those of other types would check what is entered, and hide the caret.
  inputmode: {number: "decimal", phone: "tel"}[n.keyboard] ?? n.keyboard, role: n.style == "switch" && n.style});
// The options of a picker: [value, label].
const optionsOf = n => (n.options ?? []).map(x => x?.value !== undefined ? [x.value, x.label ?? x.value] : [x, x]);

const safe = /^(https?:|mailto:|(?![^/?#]*:))/i;
const titled = (tag, title) => (n, o) => [tag, using(o, {"aria-label": n.label}), [title, {}, n.title], inner(o), ["footer", {}, n.footer]];
const folded = (n, o) => ["details", {}, ["summary", using(o, {"aria-label": null}), words(n.icon, n.label)], inner(o)];
const alert = (n, o) => ["div", {}, ["h2", {}, n.title], ["p", {}, n.message], inner(o)];
const amount = (n, o) => ["p", using(o, {"aria-label": null}), (n.label ? n.label + ": " : "") + (n.kind == "date" ? dateText(n) : numberText(n))];

// The descriptions of the kinds of nodes; a tag alone has the node's text, or its children.
const kinds = {
  __proto__: null,
  text: (n, o) => [n.style == "code" ? "code" : "p", using(o), n.text],
  heading: (n, o) => ["h" + Math.min(Math.max(Math.round(n.level) || 2, 1), 6), using(o), n.text],
  image: (n, o) => ["img", using(o, {src: n.source, alt: n.decorative ? "" : n.label ?? "", "aria-label": null})],
  progress: (n, o) => ["progress", using(o, {max: n.max, value: n.style == "spinner" ? null : n.value})],
  icon: "span", badge: "span", spacer: "span", divider: "hr", date: amount, number: amount,
  button: (n, o) => ["button", using(o, {type: "button"}), words(n.icon, n.text ?? (!n.icon && n.label))],
  link: (n, o) => [n.action ? "button" : safe.test(n.href ?? ":") && !isOff(o) ? "a" : "span",
    using(o, {type: n.action && "button", role: n.action && "link", href: n.href, rel: "noopener noreferrer"}), n.text ?? n.label],
  menu: folded, disclosure: folded,
  textField: input("text"), secureField: input("password"), toggle: input("checkbox"), slider: input("range"), stepper: input("number"),
  datePicker: (n, o) => input({time: "time", dateTime: "datetime-local"}[n.style] ?? "date")(n, o),
  textEditor: (n, o) => field(o, "textarea", {rows: Math.min(Math.max(n.lines ?? 3, 1), 100)}),
  picker: (n, o) => /segmented|radio/.test(n.style) ? (o.isControl = true,
    ["fieldset", using(o, {role: "radiogroup"}), !n.labelHidden && ["legend", {}, n.label], ["div", {class: "options"}, ...optionsOf(n).map(
      x => ["label", {}, ["input", {type: "radio", name: o.id ??= "r" + ++ids}], ["span", {}, x[1]]])], error(n)])
    : field(o, "select", {}, ...optionsOf(n).map(x => ["option", {}, x[1]])),
  row: "div", column: "div", scroll: "div", grid: "div", toolbar: "div", host: "div", child: "div", forEach: "div", navigation: "div", form: "form", list: "ul",
  screen: titled("section", "h1"), section: titled("section", "h2"), group: titled("fieldset", "legend"),
  table: (n, o) => ["div", {}, ["table", {"aria-label": n.label}, n.columns?.map && ["thead", {}, ["tr", {}, ...n.columns.map(
    x => ["th", {scope: "col", class: words(x.align && "align-" + x.align, x.grow && "wide")}, x.title ?? x]), ["th", {}]]], inner(o, "tbody")]],
  tabs: (n, o) => ["div", {}, ["div", {role: "tablist"}, ...standIns(o).map(tab => button("tab", null, nameOf(tab.n), {
    role: "tab", "aria-selected": String(tab == o.tab), tabindex: tab == o.tab ? 0 : -1, disabled: isOff(tab),
  }))], inner(o, "div", {role: "tabpanel"})],
  failed: ({error: x = {}}, o) => ["div", {}, ["p", {class: "error", role: "alert"}, x.message], ["p", {class: "location"}, x.location],
    ["p", {class: "location"}, x.traceback], inner(o)],
  alert, dialog: alert,
};
const other = (n, o) => ["div", {}, ["p", {class: "note"}, `unknown element '${n.kind}'`], inner(o)];

let ids = 0;
const paint = o => {
  const {n, up, tag} = o, {kind} = n, how = kinds[kind] ?? other, isAlert = how == alert;
  let d;
  try {
    d = how.at ? [how, using(o, {role: {icon: "img", toolbar: kind}[kind]}), ..."text" in n ? [n.text] : []] : how(n, o);
  } catch (problem) {
    // Each node is a boundary: this one shows the error, and the others stand.
    reportError(problem);
    d = ["div", {}, ["p", {class: "error", role: "alert"}, `'${kind}' cannot be shown: ${problem.message}`], o.box != o.e && o.box];
  }
  const isWhole = tag == "tr" && kind == "row" || tag == "li" && kind == "section";     // it is the row itself, not inside of one
  if (isWhole) d[0] = tag;
  d[1] = {
    ...d[1], "aria-live": n.announce && "polite", "aria-hidden": n.decorative && "true",
    class: words("n", isPlace(n) ? "place" : kind, o.isControl && "field", !isAlert && words(n.style, n.role), ...["tone", "spacing", "align", "axis"].map(x => n[x] && `${x}-${n[x]}`),
      ...["grow", "wrap", "selection"].map(x => n[x] && x), n.class),
  };
  let e = o.e = draw(o.e, d), dom = e;
  if (kind == "grid") e.style.gridTemplateColumns = n.columns > 0 ? `repeat(${Math.min(Math.floor(n.columns), 1000)}, minmax(0, 1fr))` : "";
  if (isRow(o)) {
    const {selection, selected, onDelete, onMove} = up.list.n, isSelected = selected != null && selected === n.id;
    const tool = (is, name, label, sign) => is && button(name, label, sign, {id: (e.id ||= "r" + ++ids) + name, "aria-labelledby": `${e.id}${name} ${e.id}`});
    const tools = [tool(onMove, "move", "Move", "⠿"), tool(onDelete, "delete", "Delete", "×")], cell = (onMove || onDelete) && ["td", {}, ...tools];
    const has = {
      tabindex: (selection || onDelete || onMove) && 0, "aria-current": isSelected && "true",
      "aria-keyshortcuts": words(onMove && "Alt+ArrowUp Alt+ArrowDown", onDelete && "Delete") || null,
    };
    if (tag == "li") dom = draw(o.dom, ["li", has, tools[0], e, tools[1]]);
    else if (!isWhole) dom = draw(o.dom, ["tr", has, ["td", {}, e], cell]);
    else {
      draw(e, ["tr", {...d[1], ...has}]);
      if (cell) e.append(o.cell = draw(o.cell, cell));
    }
  } else if (tag == "td" && !isPlace(n)) dom = draw(o.dom, ["td", {}, e]);
  else if (tag == "entry") dom = draw(o.dom, ["div", {class: tag}, button("back", null, "‹ " + (o.below ?? "Back")), e]);
  if (o.dom != dom) {
    o.dom?.replaceWith(dom);
    o.dom = dom;
    dom.o = o;
  }
  o.box ??= e;
  for (const as of presentations) if (n[as] || o.presented?.[as]) present(o, as);
  if (o.isControl) o.f = e.querySelector("input, textarea, select");
  if (o.f || kind == "disclosure") settle(o);
};

const dateText = ({value, style}) => {
  if (typeof value != "string") return "";
  const isDay = /^\d+-\d+-\d+$/.test(value), date = new Date(isDay ? value + "T00:00" : value), s = (date - Date.now()) / 1000;
  if (isNaN(s)) return value;
  if (style != "relative") return date.toLocaleString([], {dateStyle: style == "time" ? undefined : "medium", timeStyle: style == "date" || isDay ? undefined : "short"});
  const [unit, size] = Object.entries({year: 31557600, month: 2629800, day: 86400, hour: 3600, minute: 60, second: 1}).find(x => Math.abs(s) >= x[1]) ?? ["second", 1];
  return new Intl.RelativeTimeFormat([], {numeric: "auto"}).format(Math.round(s / size), unit);
};
const numberText = ({value, style, digits, currency}) => {
  const how = {minimumFractionDigits: digits, maximumFractionDigits: digits ?? (style == "percent" ? 0 : 15)};
  if (style == "percent") how.style = style;
  if (style == "currency" && /^[a-z]{3}$/i.test(currency)) Object.assign(how, {style, currency, maximumFractionDigits: digits});
  if (style == "bytes") {
    const i = Math.min(Math.max(Math.floor(Math.log10(Math.abs(value) || 1) / 3), 0), 5);
    value /= 1000 ** i;
    Object.assign(how, {style: "unit", unit: ["", "kilo", "mega", "giga", "tera", "peta"][i] + "byte", maximumFractionDigits: digits ?? (i && 1)});
  }
  return typeof value == "number" ? value.toLocaleString([], how) : value ?? "";
};

// ---- Building

const special = new Set();   // what looks at its surroundings after each frame: navigations, tabs, lists

const build = (n, up, as) => {
  n = typeof n == "object" ? n ?? {} : {kind: "text", text: n};
  clean(n);
  const {kind = "nothing"} = n, tag = as ? null : up?.rows, o = {n, up, as, tag};
  if (kind == "nothing") return (o.dom = document.createComment("")).o = o;
  if (tag && tag != "entry" && isPlace(n) || kind == "section" && up?.list) o.rows = tag, o.list = up.list;
  else if (kind == "list" || kind == "table") o.rows = kind == "list" ? "li" : "tr", o.list = o;
  else if (tag == "tr" && kind == "row") o.rows = "td";
  else if (kind == "forEach" && up?.n.kind == "navigation") o.rows = "entry";
  paint(o);
  if (n.children) insert(o, n.children);
  n.children = null;
  if (/^(navigation|tabs|list|table)$/.test(kind)) special.add(o);
  if (n.focused != null) wanted = o;
  return o;
};

// Puts nodes, and runs of rows of one shape, before a child, or behind the last one.
let templates;
const insert = (o, nodes, before) => {
  const fragment = document.createDocumentFragment(), add = n => fragment.append(build(n, o).dom);
  for (const n of nodes) {
    if (!Array.isArray(n)) { add(n); continue; }
    const [index, ids, values] = n, template = templates[index];
    let at = 0, first, own;
    const fill = t => {
      if (!t || typeof t != "object") return t;
      if (Array.isArray(t)) return t.length ? t.map(fill) : values[at++];
      const filled = {};
      for (const key in t) filled[key] = fill(t[key]);
      return filled.kind == null ? own : filled;
    };
    const isPlain = !o.list?.n.onDelete && !o.list?.n.onMove && !/"(list|table|tabs|navigation|focused|sheet|cover|popover|dialog|alert)"/.test(JSON.stringify(template));
    const row = id => {
      own = id;
      const n = fill(template);
      n.id = id;
      if (!first || !isPlain) fragment.append((first = build(n, o)).dom);
      else copy(n, template, first, o, fragment.appendChild(first.dom.cloneNode(true)));
    };
    for (const id of ids) if (Array.isArray(id)) for (let i = 0; i < id[1]; i++) row(id[0] + i); else row(id);
  }
  // Behind the children there may be what is presented, and the buttons of a row.
  if (!before) for (let last = o.box.lastChild; last && !last.o; last = last.previousSibling) before = last;
  o.box.insertBefore(fragment, before ?? null);
};

// A further row of a template: what the first one has in the DOM is copied, and what varies is drawn.
const copy = (n, t, from, up, dom) => {
  if (!from.e) return dom.o = {...from, up, dom};
  if (typeof n != "object") n = {kind: "text", text: n};
  clean(n);
  const {tag, rows, list, isControl, keys} = from, o = dom.o = {n, up, tag, rows, list, isControl, keys, dom, e: twin(from.dom, dom, from.e), box: twin(from.dom, dom, from.box)};
  n.children?.forEach((x, i) => copy(x, t.children[i], from.box.childNodes[i].o, o, o.box.childNodes[i]));
  n.children = null;
  from.varies ??= isControl || /\[]|{}/.test(JSON.stringify(t.kind ? {...t, children: 0} : t));
  if (from.varies || list !== undefined || n.id !== undefined && up.list && up.list.n.selected === n.id) paint(o);
};
const twin = (a, b, x) => {
  if (a == x) return b;
  const i = [...a.childNodes].findIndex(e => e.contains(x));
  return twin(a.childNodes[i], b.childNodes[i], x);
};

const childrenOf = o => [...o.box.childNodes].map(x => x.o).filter(Boolean);
// The nodes that stand for the children of a node: those in places, not the places.
const standIns = o => o.box ? childrenOf(o).flatMap(x => !x.e ? [] : isPlace(x.n) ? standIns(x) : x) : [];

// ---- Frames

let root, version = 0, wanted, applying;

const child = (o, step) => {
  if (typeof step == "number") return o.box?.childNodes[step - 1]?.o;
  if (typeof step == "string") return o.presented?.[step];
  // Changes mostly come in the order of the rows, so the search begins where the last one ended.
  const [id, occurrence] = step, first = o.box?.firstChild, start = o.found?.parentNode == o.box ? o.found : first;
  let row = start;
  while (row && (row.o.n.id !== id || row.o.n.occurrence !== occurrence)) if ((row = row.nextSibling ?? first) == start) return;
  return (o.found = row)?.o;
};
const find = path => path.reduce((o, step) => o && child(o, step), root);
const pathOf = ({n, up, as, dom}) => up ? [...pathOf(up), as ?? (up.n.kind == "forEach" ? n.occurrence ? [n.id, n.occurrence] : [n.id]
  : [].indexOf.call(up.box.childNodes, dom) + 1)] : [];

const replace = (o, n) => {
  if (o?.as) { o.up.n[o.as] = n; present(o.up, o.as); }
  else if (o?.up) o.dom.replaceWith(build(n, o.up).dom);
  else {
    special.clear();
    main.replaceChildren((root = build(n)).dom);
  }
};

const change = ([what, path, value, before]) => {
  const o = find(path);
  if (!what) replace(path.length ? o : null, value);
  else if (what == 1) {
    const {n} = o, had = n.selected;
    Object.assign(n, value);
    clean(n);
    if ("focused" in value) wanted = o;
    paint(o);
    // What is in a node has to do with whether it is disabled, and rows with what one can do with their list.
    for (const x of "disabled" in value ? all(o.dom, "*") : []) if (x.o) paint(x.o);
    const isOther = ["onDelete", "onMove", "selection"].some(key => key in value);
    if (o.list == o && (isOther || had !== n.selected)) for (const x of rowsOf(o)) if (x.e && (isOther || x.n.id === had || x.n.id === n.selected)) paint(x);
  } else if (what == 2) insert(o, value, before && child(o, before).dom);
  else if (what == 3) o.dom.remove();
  else {
    const {box} = o.up;
    // Where the browser can, it moves an element that keeps the focus.
    box[box.moveBefore ? "moveBefore" : "insertBefore"](o.dom, value ? child(o.up, value).dom : null);
  }
};

const places = () => new Map(all(document, "li, tr").slice(0, 300).map(e => [e, rect(e)]));
const apply = ([next, changes, shapes, animation]) => {
  const was = remember(), before = animation && !still.matches && places();
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
  if (before) for (const [e, {left, top}] of places()) {
    const old = before.get(e), timing = {duration: Math.max(Number(animation.duration ?? .25) || 0, 0) * 1000, easing: animation == "linear" ? animation : "ease"};
    if (!old) e.animate({opacity: [0, 1]}, timing);
    else if (old.top != top || old.left != left) e.animate({translate: [`${old.left - left}px ${old.top - top}px`, "0 0"]}, timing);
  }
  document.title = titleOf(main) ?? "ScriptedStore";
};

const refresh = o => {
  if (o.n.kind == "navigation") {
    const [first, stack] = childrenOf(o), screens = [first, ...stack ? childrenOf(stack).filter(x => x.e) : []], top = screens.pop();
    for (const x of screens) x.dom.hidden = true;
    top.dom.hidden = false;
    if (screens[0]) { top.below = titleOf(screens.pop().dom); paint(top); }
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
  const n = o.n[as], old = (o.presented ??= {})[as];
  if (old?.n === n) return;
  old?.dialog.close();   // gives the focus back
  old?.dialog.remove();
  const x = o.presented[as] = n && build(n, o, as);
  if (x) o.e.append(x.dialog = draw(null, ["dialog", {class: as, role: as == "alert" && "alertdialog"}, x.dom, !/alert|dialog/.test(as) && button("close", "Close", "×")]));
};

// Opens the dialogs that there are, in the order of docs/view-api.md.
let layers = [];
const arrange = () => {
  const order = [], dialogs = all(main, "dialog").filter(d => !d.parentNode.closest("[hidden]"));
  dialogs.sort((a, b) => presentations.indexOf(a.className) - presentations.indexOf(b.className));
  const collect = below => { for (const d of dialogs) if (d.parentNode.closest("dialog") == below) { order.push(d); collect(d); } };
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

// In a list, children of these are rows.
const holdsRows = n => isPlace(n) || n.kind == "section";
const isRow = o => o.up?.list && !o.as && !holdsRows(o.n);
const owner = e => { while (e && !e.o) e = e.parentNode; return e?.o; };
const rowAt = e => { let o = owner(e); while (o && !isRow(o)) o = o.up; return o; };
// The rows of a list in the tree, with those that show nothing.
const rowsOf = o => childrenOf(o).flatMap(x => holdsRows(x.n) ? rowsOf(x) : x.e || "id" in x.n ? x : []);
const shownRows = o => rowsOf(o).filter(x => x.e).map(x => x.dom);
const idsOf = ({n}) => n.id === undefined ? [] : [n.id];

const move = (o, by) => {
  const {list} = o.up, rows = rowsOf(list), to = rows.indexOf(o) + by;
  if (rows[to] && by) send(o, {gesture: "move", ids: idsOf(o), to: (list.n.window?.[0] ?? 1) + to + (by > 0)});
};

// A row is dragged by its handle, and the others make room.
let drop = () => {};
const drag = (handle, down) => {
  const o = rowAt(handle), rows = shownRows(o.up.list), at = rows.indexOf(o.dom), height = o.dom.offsetHeight, middles = rows.map(e => rect(e).top + rect(e).height / 2);
  let to = at;
  handle.setPointerCapture(down.pointerId);
  handle.onpointermove = ({clientY}) => {
    const by = clientY - down.clientY;
    to = middles.filter((y, i) => i != at && y < middles[at] + by + Math.sign(i - at) * height / 2).length;
    rows.forEach((e, i) => e.style.translate = `0 ${i == at ? by : i > at && i <= to ? -height : i < at && i >= to ? height : 0}px`);
  };
  drop = () => {
    drop = () => {};
    for (const e of rows) e.style.translate = "";
  };
  handle.onlostpointercapture = handle.onpointercancel = () => {
    handle.onpointermove = handle.onlostpointercapture = handle.onpointercancel = null;
    move(o, to - at);
    setTimeout(drop, to == at ? 0 : 400);
  };
};

// A long list has a window of its rows in the tree. The room of the others is left free, and as it is seen, they are asked for.
const look = o => {
  const view = o.n.window, box = o.n.kind == "list" ? o.box : o.e, rows = view ? shownRows(o) : [];
  if (!rows.length) { if (o.height) box.style.paddingBlock = ""; return; }
  const [first, count, total] = view, scroller = o.e.closest(".scroll, dialog");
  const height = o.height ??= (rect(rows[rows.length - 1]).bottom - rect(rows[0]).top) / rows.length || 40;
  box.style.paddingBlock = `${(first - 1) * height}px ${Math.max(total - first - count + 1, 0) * height}px`;
  const {top = 0, bottom = innerHeight} = scroller ? rect(scroller) : {}, row = y => Math.min(Math.max(Math.floor((y - rect(box).top) / height), 0), total);
  const from = row(Math.max(top, 0)), to = row(Math.min(bottom, innerHeight) + height);
  if (to == from || from >= first - 1 && to < first + count) return;
  const show = [Math.max(from - 20, 0) + 1, Math.min(to - from + 40, 200)];
  if (o.show != show + "") send(o, {show}, o.show = show + "");
};
let looking;
const lookAgain = () => looking ??= requestAnimationFrame(() => {
  looking = null;
  for (const o of special) if (o.n.window) look(o);
});

// ---- The focus

const isText = f => f?.localName == "textarea" || f?.localName == "input" && /text|password/.test(f.type);

// Where the focus and the caret are, for when a frame has taken them away.
const remember = () => {
  const f = document.activeElement, o = owner(f), row = o && rowAt(f)?.dom;
  return o && {
    f, path: pathOf(o), onRow: f == row, near: row && [row, row.nextSibling, row.previousSibling], name: f.className || "n",
    caret: isText(f) && [f.selectionStart, f.selectionEnd], text: isText(f) && o.last > seen ? f.value : null,
  };
};
const restore = was => {
  if (!was || document.activeElement == was.f || !was.f?.isConnected && document.activeElement != document.body) return;
  // If the row has gone, its neighbour has the focus.
  const near = was.near && !was.near[0].isConnected && was.near.find(e => e?.isConnected)?.o, o = near || find(was.path);
  const f = was.f?.isConnected ? was.f : was.onRow ? o?.dom : near ? all(near.dom, "*").find(e => e.className === was.name) ?? near.dom : o?.f ?? o?.e;
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
  if (n.focused == active.dataset.name) return;
  if (n.focused != null) all(e, "[data-name]").find(f => f.dataset.name === String(n.focused))?.focus();
  else if (active.dataset.name && e.contains(active)) active.blur();
};
const focus = gesture => ({target, relatedTarget}) => {
  const o = owner(target);
  if (applying || !o?.n.name || gesture == "blur" && (!document.hasFocus() || relatedTarget?.dataset?.name)) return;
  const box = around(o.up, "focus");
  if (box && (gesture == "blur" || box.n.focused !== o.n.name || focused > seen)) focused = send(o, {gesture}) ?? 0;
};
// The nearest node around one, in the same layer, that has a property.
const around = (o, key) => !o || o.n[key] ? o : o.as ? null : around(o.up, key);

// ---- What is entered

// A control shows what the tree has, unless the server has still to see what was entered.
const settle = o => {
  const {n, f, e} = o, value = n.value ?? "";
  if (o.last > seen || f?.composing || o.held) return;
  if (!f) { if (n.bind || n.onChange || !o.isMet) e.open = value !== false; o.isMet = true; }
  else if (f.type == "radio") all(e, "input").forEach((x, i) => x.checked = optionsOf(n)[i][0] === value);
  else if (f.type == "checkbox") f.checked = value === true;
  else if (f.localName == "select") f.selectedIndex = optionsOf(n).findIndex(x => x[0] === value);
  else if (f.type == "datetime-local") f.value = String(value).slice(0, 16);
  else if (f.value !== String(value)) {
    // The caret stays where it was in what is the same.
    const old = f.value, now = String(value), caret = isText(f) && f == document.activeElement && [f.selectionStart, f.selectionEnd], same = common(old, now);
    f.value = now;
    if (caret) f.setSelectionRange(...caret.map(at => at <= same ? at : Math.max(same, now.length - old.length + at)));
  }
};
const common = (a, b) => { let i = 0; while (i < a.length && a[i] === b[i]) i++; return i; };

// Sends what was typed: what is between the same beginning and the same end, in pieces of which none ends inside of a character.
const type = o => {
  const {f, n} = o, now = f.value, isPending = o.typed > seen, old = isPending ? o.known : String(n.value ?? "");
  if (f.composing || now === old) return;
  const isHigh = x => /[\ud800-\udbff]/.test(x), most = Math.min(old.length, now.length);
  let from = isPending ? o.typed : undefined, start = common(old, now), end = 0;
  if (isHigh(old[start - 1])) start--;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  if (isHigh(old[old.length - end - 1])) end--;
  let removed = old.length - end - start, rest = now.slice(start, now.length - end);
  do {
    const size = rest.length > 2500 ? 2500 - isHigh(rest[2499]) : rest.length, more = size < rest.length ? 1 : undefined;
    from = send(o, {gesture: "type", from, start, removed, inserted: rest.slice(0, size), more});
    rest = rest.slice(size);
    start += size;
    removed = 0;
  } while (rest);
  o.typed = from;
  o.known = now;
};

const isOutside = f => f.validity.rangeUnderflow || f.validity.rangeOverflow;
const enter = o => {
  const {f, n} = o, options = optionsOf(n);
  if (n.kind == "slider" && o.last > seen) return o.later = true;   // one value at a time
  // While a year is typed, its first digits are years too. What is outside of the range is sent when the field is left.
  o.held = n.kind == "datePicker" && isOutside(f) && f == document.activeElement;
  if (o.held) return;
  const value = f.type == "radio" ? options[all(o.e, "input").findIndex(x => x.checked)][0] : f.localName == "select" ? options[f.selectedIndex][0]
    : f.type == "checkbox" ? f.checked : n.kind == "datePicker" ? f.value || null : f.valueAsNumber;
  if (value === value) send(o, {gesture: "enter", value}); else settle(o);
};

// ---- Events

const on = (name, listener) => addEventListener(name, listener, true);
const control = e => { const o = owner(e); return o?.f && o; };

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
on("blur", ({target}) => {
  const o = control(target);
  if (o?.held) { o.held = false; enter(o); }
});
on("scroll", lookAgain);
on("resize", lookAgain);
on("cancel", event => { if (event.target.localName == "dialog") { event.preventDefault(); acts.close(); } });
on("pointerdown", event => {
  if (event.target.className != "move" || event.button) return;
  event.preventDefault();
  event.target.focus();
  drag(event.target, event);
});

// What the buttons of the page itself do.
const acts = {
  close: () => send(root, {gesture: "dismiss"}), back: () => send(root, {gesture: "back"}), move: () => {},
  delete: e => { const o = rowAt(e); send(o, {gesture: "delete", ids: idsOf(o)}); },
  tab: e => {
    const o = owner(e), tab = standIns(o)[[].indexOf.call(e.parentNode.childNodes, e)];
    o.chosen = tab.n.name ?? nameOf(tab.n);
    if (o.n.bind || o.n.onChange) send(tab, {gesture: "tap"}); else refresh(o);
  },
};

on("click", event => {
  const e = event.target, b = e.closest?.("button, a, summary"), o = owner(e), row = rowAt(e), {clientX: x, clientY: y} = event;
  for (const menu of all(main, ".menu[open]")) if (!menu.contains(e) || b && b.localName != "summary") menu.open = false;
  if (e.localName == "dialog") {
    const {left, right, top, bottom} = rect(e);
    if (!/alert|cover/.test(e.className) && (x < left || x > right || y < top || y > bottom)) acts.close();
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
  const parts = given.toLowerCase().split(/\+(?!$)/), key = parts.pop(), mod = /^([ntwqrlp]|\d|tab)$/.test(key) ? "alt" : isMac ? "meta" : "ctrl";
  return [...parts.map(x => x == "mod" ? mod : x).sort(), names[key] ?? key].join("+");
};

on("keydown", event => {
  const e = event.target, key = (event.altKey && /^(Key|Digit)/.test(event.code) ? event.code.slice(-1) : event.key).toLowerCase().replace("arrow", "");
  const keys = [...["alt", "ctrl", "meta", "shift"].filter(x => event[x + "Key"] && (x != "shift" || /\w/.test(key))), names[key] ?? key].join("+");
  const isTyping = isText(e), row = rowAt(e), list = row?.up.list.n ?? {}, onRow = row && e == row.dom, by = /up|left/.test(key) ? -1 : 1, isArrow = /^(alt\+)?(up|down)$/.test(keys);
  const used = all(layers[layers.length - 1] ?? main, "[aria-keyshortcuts]").find(f => owner(f).keys == keys && !f.disabled && f.checkVisibility());
  if (event.isComposing) return;
  if (used && !(isTyping && keys.length == 1)) { used.focus(); if (!isText(used)) used.click(); }
  else if (keys == "enter" && isTyping && e.localName == "input" || /^(ctrl|meta)\+enter$/.test(keys)) {
    const o = control(e);
    if (!o || !around(o, "onSubmit")) return;
    type(o);
    send(o, {gesture: "submit"});
  } else if (keys == "escape" && !layers.length) {
    const menu = main.querySelector(".menu[open]");
    if (menu) menu.open = false; else if (main.querySelector(".entry:not([hidden])")) acts.back();
  } else if (e.className == "tab" && /^(left|right)$/.test(keys)) {
    const tabs = [...e.parentNode.childNodes], to = tabs.at((tabs.indexOf(e) + by) % tabs.length);
    to.focus();
    acts.tab(to);
  } else if (list.onMove && isArrow && (key != keys || e.className == "move")) move(row, by);
  else if (list.onDelete && !isTyping && /^(delete|backspace)$/.test(keys)) acts.delete(e);
  else if (onRow && isArrow) { const rows = shownRows(row.up.list); rows[rows.indexOf(e) + by]?.focus(); }
  else if (onRow && list.selection && /^(enter|space)$/.test(keys)) send(row, {gesture: "select"});
  else return;
  event.preventDefault();
});

// ---- The connection

let socket, page, files, count = 0, seen = 0, outbox = [], next = 0, room = 15, hiding, lost, tries = 0;
const sent = new Map();
const say = message => socket?.readyState == 1 && socket.send(JSON.stringify(message));
const tell = (words, stays) => {
  clearTimeout(hiding);
  status.textContent = words;
  if (!stays) hiding = setTimeout(tell, 5000, "", true);
};

// Events stay in the outbox until the server has seen them, and go out slower than it would refuse them.
const pump = () => {
  if (socket?.readyState != 1) return;
  while (next < outbox.length && room) {
    if (room-- == 15) setTimeout(() => pump(room = 15), 100);
    say(outbox[next++]);
  }
};
const send = (o, what) => {
  if (socket?.readyState != 1 && what.gesture != "type") { tell("Not connected"); if (o.f) settle(o); return; }
  outbox.push({n: ++count, at: version, path: /back|dismiss/.test(what.gesture) ? [] : pathOf(o), ...what});
  sent.set(count, o);
  o.last = count;
  pump();
  return count;
};
const see = number => {
  const left = outbox.filter(event => event.n > number);
  next = Math.max(next - outbox.length + left.length, 0);
  outbox = left;
  seen = number;
  for (const [n, o] of sent) {
    if (n > number) continue;
    sent.delete(n);
    if (o.later) { o.later = false; enter(o); } else if (o.f || o.n.kind == "disclosure") settle(o);
  }
  takeFocus();
};

// A page that is loaded again has its scroll, focus and caret where they were.
let kept = JSON.parse(sessionStorage.getItem("kept"));
history.scrollRestoration = "manual";
on("pagehide", () => {
  const {path = [], onRow, caret} = remember() ?? {};
  sessionStorage.setItem("kept", JSON.stringify({path, onRow, caret, scroll: scrollY}));
});

const heard = message => {
  const {hello, failed, refused} = message;
  if (message.at) {
    try { apply(message); } catch (problem) {
      // The tree is not the server's any more, so a new one is asked for.
      reportError(problem);
      applying = page = null;
      return socket.close();
    }
    tries = 0;
    say({at: version});
    if (kept) scrollTo(0, kept.scroll);
    restore(kept);
    kept = null;
  } else if (hello) {
    if (files && files != hello.build) location.reload();
    ({page, build: files} = hello);
    next = 0;
    if (hello.resumed) { see(hello.seen); next = 0; pump(); }
    else { outbox = []; sent.clear(); count = seen = hello.seen; }
    clearTimeout(lost);
    lost = 0;
    tell("", true);
  } else if (message.seen) {
    see(message.seen);
  } else if (refused) {
    const o = sent.get(refused);
    if (!message.again) tell(message.message);
    if (o) { o.last = o.typed = 0; if (message.again && isText(o.f)) type(o); else if (o.f) settle(o); }
  } else if (failed) { version = 0; replace(null, {kind: "failed", error: failed}); arrange(); }
  dispatchEvent(new CustomEvent("live", {detail: message}));
};

const environment = () => ({width: narrow.matches ? "compact" : "regular", colorScheme: dark.matches ? "dark" : "light", locale: navigator.language});
const connect = () => {
  if (socket?.readyState < 2) return;
  const mine = socket = new WebSocket("/live?" + new URLSearchParams({...environment(), ...page && version ? {page, at: version, seen} : {}}));
  mine.onmessage = ({data}) => { if (mine == socket) heard(JSON.parse(data)); };
  mine.onclose = ({code}) => {
    // Perhaps the browser is not let in any more, of which the page itself can say why.
    if (lost) fetch("/").then(x => x.ok || location.reload(), () => {});
    lost ||= setTimeout(tell, 1000, "Reconnecting …", true);
    setTimeout(connect, code > 1001 && code < 1010 ? 3000 : Math.min(200 * 2 ** tries++, 8000) * (.5 + Math.random() / 2));
  };
};
const wake = () => document.hidden || connect(tries = 0);
on("visibilitychange", wake);
on("online", wake);
narrow.onchange = dark.onchange = () => say({env: environment()});
setInterval(() => { for (const e of all(main, ".relative")) paint(owner(e)); }, 30000);

window.live = {say};
connect();
}
