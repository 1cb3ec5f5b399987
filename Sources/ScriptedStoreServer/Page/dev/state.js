// The state as a tree. The server sends the members of values that are open, and of no others.
//
// An item is a member of a value. Its row has a button that opens it, if it has members itself, and
// one that edits it. Arrows move between rows, and open and close values.

const state = (() => {
  const {make, button, joined} = elements;

  const part = make("div", "dev-state");
  const tree = make("ul", "dev-tree", "", {ariaLabel: "State"});
  part.append(tree);

  const marks = {added: "new", changed: "changed", inside: "changed inside"};
  // The items, and the lists of the values that are open, by path.
  const items = new Map();
  const lists = new Map();

  function clear() {
    items.clear();
    lists.clear();
    lists.set("", makeList("", tree));
    tree.replaceChildren();
  }

  const makeList = (path, ul) => ({
    ul, shown: [],
    more: button("", "Show more of them", () => server.say("unfold", {path})),
  });

  // ---- From the server

  function take({lists: changed}) {
    for (const [path, content] of changed) fill(path, content);
  }

  // The members of a value are these now; null: it has none any more.
  function fill(path, content) {
    const list = lists.get(path);
    if (!list) return;
    const {members = [], count = 0, shown = 0} = content ?? {};
    for (const old of list.shown) {
      if (!members.some(member => member.path == old)) forget(old);
    }
    list.shown = members.map(member => member.path);
    const rows = members.map(member => update(member).line);
    if (shown < count) {
      list.more.textContent = `${count - shown} more`;
      const more = make("li", "dev-more");
      more.append(list.more);
      rows.splice(shown, 0, more);
    }
    place(rows, list.ul);
  }

  // Puts rows into a list, and leaves those where they are that are there: one may have the focus.
  function place(rows, ul) {
    let next = ul.firstChild;
    for (const row of rows) {
      if (row == next) next = next.nextSibling;
      else ul.insertBefore(row, next);
    }
    while (next) {
      const old = next;
      next = next.nextSibling;
      old.remove();
    }
  }

  // Closes a value, and all in it.
  function shut(path) {
    const list = lists.get(path);
    if (!list) return;
    lists.delete(path);
    list.ul.remove();
    server.say("fold", {path});
    list.shown.forEach(forget);
  }

  function forget(path) {
    items.delete(path);
    shut(path);
  }

  // ---- Items

  function update(member) {
    const item = items.get(member.path) ?? makeItem(member);
    item.member = member;
    if (!member.count) shut(member.path);
    draw(item);
    return item;
  }

  function makeItem({path, name}) {
    const line = make("li");
    const row = make("div", "dev-row");
    const toggle = button("", "", () => lists.has(path) ? fold(item) : unfold(item));
    const value = button("", "", () => edit(item));
    const label = make("code", "", name);
    const mark = make("small");
    const item = {path, line, row, toggle, label, value, mark};
    row.append(toggle, label, value, mark);
    line.append(row);
    items.set(path, item);
    return item;
  }

  function draw({path, member, line, toggle, label, value, mark}) {
    const {name, text, count, edit} = member;
    const isOpen = lists.has(path);
    line.className = joined(" ", member.mark, isOpen && "open");
    toggle.hidden = !count;
    label.hidden = count > 0;
    toggle.textContent = name;
    toggle.ariaExpanded = count ? String(isOpen) : null;
    value.textContent = isOpen ? `${count} in it` : text;
    value.disabled = edit == null;
    value.title = value.disabled ? "Too long to be edited here" : `Edit ${path}`;
    mark.textContent = marks[member.mark] ?? "";
  }

  function unfold(item) {
    const {path, line} = item;
    const list = makeList(path, make("ul"));
    lists.set(path, list);
    line.append(list.ul);
    server.say("unfold", {path});
    draw(item);
  }

  function fold(item) {
    shut(item.path);
    draw(item);
  }

  // ---- Editing

  function edit(item) {
    if (item.form) return;
    const {path, member, row, value} = item;
    const form = make("form", "dev-edit");
    const field = make("input", "", "", {
      value: member.edit, ariaLabel: `Value of ${path}, in Lua or JSON; nil removes it`,
    });
    const set = make("button", "", "Set", {type: "submit"});
    const cancel = button("Cancel", "", () => close(item));
    const error = make("output", "danger", "", {role: "alert"});
    form.append(field, set, cancel, error);
    form.onsubmit = event => {
      event.preventDefault();
      error.textContent = "";
      server.say("set", {path, value: field.value});
    };
    form.onkeydown = event => { if (event.key == "Escape") close(item); };
    Object.assign(item, {form, error});
    value.hidden = true;
    row.append(form);
    field.select();
    field.focus();
  }

  function close(item) {
    const hadFocus = item.form.contains(document.activeElement);
    item.form.remove();
    item.form = undefined;
    item.value.hidden = false;
    if (hadFocus) item.value.focus();
  }

  // What the server says of an edit.
  function answer({path, error}) {
    const item = items.get(path);
    if (!item?.form) return;
    if (error) item.error.textContent = error;
    else close(item);
  }

  // ---- Keys

  const firstButton = line => [...line.firstChild.children]
    .find(child => child.matches("button:not([hidden], :disabled)"));

  tree.onkeydown = event => {
    if (event.target.matches("input")) return;
    const line = event.target.closest("li");
    const isOpen = line.classList.contains("open");
    const toggle = line.querySelector("[aria-expanded]:not([hidden])");
    const rows = [...tree.querySelectorAll("li")].filter(firstButton);
    const at = rows.indexOf(line);
    const to = {
      ArrowDown: () => rows[at + 1], ArrowUp: () => rows[at - 1],
      Home: () => rows[0], End: () => rows.at(-1),
      ArrowRight: () => isOpen ? rows[at + 1] : toggle?.click(),
      ArrowLeft: () => isOpen ? toggle.click() : line.parentElement.closest("li"),
    }[event.key];
    if (!to) return;
    event.preventDefault();
    const next = to();
    if (next) firstButton(next)?.focus();
  };

  clear();
  return {part, clear, take, answer};
})();
