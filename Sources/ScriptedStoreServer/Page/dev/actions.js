// The actions of the history, and what each of them changed.

const actions = (() => {
  const {make, button, joined} = elements;
  // The most that are listed. The server sends as many at once (DevelopmentBar.swift).
  const most = 200;

  const list = make("ol", "dev-entries");
  const details = make("div", "dev-details");
  const part = make("div", "dev-actions");
  part.append(list, details);

  const entries = new Map();
  // What the server has said of the whole history: the first number, the last one, and that of the
  // action whose state is shown.
  let range = {first: 1, last: 0, at: 0};
  // The number of the action that is explained; undefined for that whose state is shown.
  let chosen;
  // The number of the last action that the server was asked for.
  let asked;

  function clear() {
    entries.clear();
    asked = undefined;
  }

  function take({history, entries: changed, refused}) {
    if (refused) asked = undefined;
    if (history) {
      range = history;
      if (!changed) chosen = range.at;
    }
    // With as many changed, those before them may have changed too.
    if (changed?.length == most) clear();
    for (const entry of changed ?? []) {
      entries.set(entry.number, entry);
      chosen = undefined;
    }
  }

  function draw() {
    const {first, last} = range;
    for (const number of entries.keys()) {
      if (number < first || number > last) entries.delete(number);
    }
    const isAtEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 40;
    const sorted = [...entries.values()].sort((one, other) => one.number - other.number);
    list.replaceChildren(...sorted.slice(-most).map(row));
    if (isAtEnd) list.scrollTop = list.scrollHeight;
    explain();
  }

  function row(entry) {
    const {number, action, payload, source, feature, error, warnings, skipped} = entry;
    const line = make("li", joined(" ", number == range.at && "at", number > range.at && "later",
      skipped && "skipped", error && "raised"));
    const name = button("", `Go to the state after action ${number}`, () => {
      chosen = number;
      server.say("go", {to: number});
      draw();
    });
    name.append(make("b", "", number), make("code", "", action), make("span", "", payload));
    const origin = !/send|input/.test(source) && joined(" of ", source, feature);
    const notes = joined(", ", origin, error && "raised", warnings?.length && "warning");
    if (notes) name.append(make("i", "", notes));
    const title = skipped ? "Reduce this action again" : "Leave this action out";
    const skip = button(skipped ? "Include" : "Skip", title,
      () => server.say("skip", {number, skipped: !skipped}));
    line.append(name, skip);
    line.onmouseenter = name.onfocus = () => {
      chosen = number;
      explain();
    };
    return line;
  }

  // Shows what the chosen action changed.
  function explain() {
    const number = chosen ?? range.at;
    details.replaceChildren();
    if (number < range.first) return details.append(make("p", "", "The beginning."));
    const entry = entries.get(number);
    if (!entry) return ask(number);
    const {action, changes = [], warnings = [], error} = entry;
    details.append(make("p", "", `${number} · ${action}`), ...changes.map(changeLine));
    if (!changes.length && !error) details.append(make("p", "dev-soft", "changed nothing"));
    for (const warning of warnings) {
      details.append(make("p", "warning", warning));
    }
    if (error) details.append(make("p", "danger", `${error.message} ${error.location ?? ""}`));
  }

  // Asks for an action from before the bar was opened: once, and again after a refusal.
  function ask(number) {
    if (asked != number) server.say("entries", {from: number, to: number});
    asked = number;
  }

  function changeLine([path, before, after]) {
    const line = make("p", "dev-change");
    line.append(make("code", "", path));
    if (before != null) line.append(make("del", "", before));
    if (after != null) line.append(make("ins", "", after));
    return line;
  }

  return {part, clear, take, draw, get range() { return range; }};
})();
