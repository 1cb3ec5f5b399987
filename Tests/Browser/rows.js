// The operations of js-framework-benchmark on the rows of scripts/rows.lua: what the page needs from the frame to the laid-out rows, against
// plain DOM code that makes the same rows. Gives { name: [page, plain] } in milliseconds, each the median of some runs.
(async () => {
  const template = {kind: "row", children: [{kind: "text", text: [], tone: "secondary"}, {kind: "button", text: [], action: 1, style: "plain"},
    {kind: "spacer"}, {kind: "button", text: "Remove", action: 1, role: "destructive"}]};
  const label = id => `pretty red table ${id}`;
  let version = 1, next = 1;
  const take = count => { const ids = Array.from({length: count}, () => next++); return ids; };
  const valuesOf = ids => ids.flatMap(id => [id, label(id)]);
  const runOf = ids => [0, [[ids[0], ids.length]], valuesOf(ids)];
  const screen = children => ({kind: "screen", title: "Rows", children: [{kind: "list", selection: 1, children: [{kind: "forEach", children}]}]});
  const hear = (changes, templates) => window.hear([++version, changes, ...templates ? [[template]] : []]);

  // The page.
  const page = {
    reset: ids => hear([[0, [], screen(ids.length ? [runOf(ids)] : [])]], true),
    append: ids => hear([[2, [1, 1], [runOf(ids)]]], true),
    replace: ids => hear([[0, [1, 1], {kind: "forEach", children: [runOf(ids)]}]], true),
    update: ids => hear(ids.map((id, i) => [1, i ? [-2, [id], 2] : [1, 1, [id], 2], {text: label(id) + " !!!"}])),
    select: (id, old) => hear([[1, [1], {selected: id}], [1, [1, 1, [id], 2], {style: "prominent"}], ...old ? [[1, [1, 1, [old], 2], {style: "plain"}]] : []]),
    swap: (a, beforeA, b, beforeB) => hear([[4, [1, 1, [b]], [beforeA]], [4, [1, 1, [a]], [beforeB]]]),
    remove: id => hear([[3, [1, 1, [id]]]]),
    clear: () => hear([[0, [1, 1], {kind: "forEach"}]]),
  };

  // Plain DOM code: a row is cloned, and what varies is put into it.
  const main = document.querySelector("main");
  let place, first;
  const pattern = document.createElement("li");
  const build = () => {
    const add = (to, tag, name, text) => { const e = document.createElement(tag); e.className = name; if (text) e.append(text); to.append(e); return e; };
    pattern.tabIndex = 0;
    const row = add(pattern, "div", "n row");
    add(row, "p", "n text tone-secondary", " ");
    add(row, "button", "n button plain", " ").type = "button";
    add(row, "span", "n spacer");
    add(row, "button", "n button destructive", "Remove").type = "button";
  };
  build();
  const row = id => {
    const li = pattern.cloneNode(true), cell = li.firstChild.firstChild;
    cell.firstChild.data = id;
    cell.nextSibling.firstChild.data = label(id);
    li.id = "row" + id;
    return li;
  };
  const at = id => document.getElementById("row" + id);
  const plain = {
    reset: ids => {
      const section = document.createElement("section"), list = document.createElement("ul");
      section.className = "n screen";
      list.className = "n list selection";
      place = document.createElement("div");
      place.className = "n place";
      list.append(place);
      section.append(list);
      plain.append(ids);
      main.replaceChildren(section);
    },
    append: ids => { const all = document.createDocumentFragment(); for (const id of ids) all.append(row(id)); place.append(all); },
    replace: ids => { place.replaceChildren(); plain.append(ids); },
    update: ids => { for (const id of ids) at(id).firstChild.children[1].firstChild.data = label(id) + " !!!"; },
    select: (id, old) => {
      if (old) { at(old).removeAttribute("aria-current"); at(old).firstChild.children[1].className = "n button plain"; }
      at(id).setAttribute("aria-current", "true");
      at(id).firstChild.children[1].className = "n button prominent";
    },
    swap: (a, beforeA, b, beforeB) => { place.insertBefore(at(b), at(beforeA)); place.insertBefore(at(a), at(beforeB)); },
    remove: id => at(id).remove(),
    clear: () => place.replaceChildren(),
  };

  // Each: what is there before, and what is done then.
  const operations = {
    "create 1,000": [0, (x, ids) => x.append(take(1000))],
    "replace 1,000": [1000, (x, ids) => x.replace(take(1000))],
    "update every 10th": [1000, (x, ids) => x.update(ids.filter((_, i) => i % 10 == 0))],
    "select": [1000, (x, ids) => x.select(ids[5]), (x, ids) => x.select(ids[1], ids[5])],
    "swap": [1000, (x, ids) => x.swap(ids[1], ids[2], ids[998], ids[999])],
    "remove": [1000, (x, ids) => x.remove(ids[4])],
    "create 10,000": [0, (x, ids) => x.append(take(10000))],
    "append 1,000": [1000, (x, ids) => x.append(take(1000))],
    "append 1,000 to 10,000": [10000, (x, ids) => x.append(take(1000))],
    "clear": [1000, (x, ids) => x.clear()],
  };
  const layout = () => document.body.offsetHeight;
  const median = list => list.sort((a, b) => a - b)[list.length >> 1];
  const times = {};
  for (const [name, [count, ...steps]] of Object.entries(operations)) {
    const found = [[], []];
    for (let round = 0; round < (count == 10000 || name.includes("create 10") ? 3 : 9); round++) {
      for (const [i, x] of [[0, page], [1, plain]]) {
        const ids = take(count);
        x.reset(ids);
        layout();
        for (const step of steps.slice(0, -1)) { step(x, ids); layout(); }
        await new Promise(done => setTimeout(done, 5));
        const start = performance.now();
        steps.at(-1)(x, ids);
        layout();
        found[i].push(performance.now() - start);
      }
    }
    times[name] = found.map(median);
  }
  return times;
})()
