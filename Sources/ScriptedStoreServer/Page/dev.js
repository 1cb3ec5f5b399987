// The bar for development: history, what each action changed, effects in flight, warnings and errors, and the session as a test. It
// speaks through the page's socket; docs/wire-format.md, section 5, has the messages.
"use strict";
{
const make = (tag, name, words, more) => Object.assign(document.createElement(tag), {className: name ?? "", textContent: words ?? "", ...more});
const press = (words, title, act) => make("button", "", words, {type: "button", title, ariaLabel: title, onclick: act});
const say = (dev, more) => live.say({dev, ...more});

const bar = make("aside", "dev", "", {ariaLabel: "Development"});
const strip = make("div", "dev-strip"), panel = make("div", "dev-panel", "", {hidden: true});
const slider = make("input", "", "", {type: "range", ariaLabel: "History", min: 0, max: 0, value: 0});
const place = make("output"), badge = make("button", "dev-badge", "", {type: "button", hidden: true, title: "Warnings and errors"});
const list = make("ol", "dev-entries"), details = make("div", "dev-details"), effects = make("ul", "dev-effects"), messages = make("ul", "dev-messages");
const entries = new Map();
let history = {first: 1, last: 0, at: 0}, chosen, isOpen = sessionStorage.getItem("dev") == "open";

const toggle = press("Dev", "Open or close the bar for development", () => { isOpen = !isOpen; sessionStorage.setItem("dev", isOpen ? "open" : ""); open(); });
const back = press("◀", "One action back", () => say("step", {by: -1}));
const on = press("▶", "One action on", () => say("step", {by: 1}));
const lock = press("Lock", "Drop all actions, so that only the bar moves the store", () => say("lock", {locked: !history.locked}));
const save = press("Export test", "The session as a test", () => say("export"));
slider.oninput = () => say("go", {to: +slider.value});
badge.onclick = () => { show("messages"); if (!isOpen) toggle.click(); };

// The tabs of the panel.
const tabs = {actions: "Actions", effects: "Effects", messages: "Messages"}, choices = make("nav", "dev-tabs"), parts = {};
const show = name => {
  for (const key in tabs) {
    parts[key].hidden = key != name;
    choices.children[Object.keys(tabs).indexOf(key)].ariaPressed = String(key == name);
  }
  if (name == "messages") { badge.hidden = true; badge.count = 0; }
};
for (const [key, words] of Object.entries(tabs)) choices.append(press(words, words, () => show(key)));
parts.actions = make("div", "dev-actions");
parts.actions.append(list, details);
parts.effects = effects;
parts.messages = messages;
panel.append(choices, ...Object.values(parts));
strip.append(toggle, back, slider, on, place, lock, save, badge);
bar.append(strip, panel);

const open = () => {
  say(isOpen ? "open" : "close");
  // A closed bar hears nothing of the history.
  for (const part of [panel, back, slider, on, place]) part.hidden = !isOpen;
  bar.classList.toggle("open", isOpen);
  document.documentElement.style.setProperty("--dev", isOpen ? "20rem" : "2.6rem");
};

const row = entry => {
  const {number, action, payload, source, feature, error, warnings, skipped} = entry;
  const line = make("li", [number == history.at && "at", number > history.at && "later", skipped && "skipped", error && "raised"].filter(Boolean).join(" "));
  const name = press("", `Go to the state after action ${number}`, () => { chosen = number; say("go", {to: number}); tell(); });
  name.append(make("b", "", number), make("code", "", action), make("span", "", payload ?? ""));
  const notes = [!/send|input/.test(source) && [source, feature].filter(Boolean).join(" of "), error && "raised", warnings?.length && "warning"].filter(Boolean);
  if (notes.length) name.append(make("i", "", notes.join(", ")));
  line.append(name, press(skipped ? "Include" : "Skip", skipped ? "Reduce this action again" : "Leave this action out", () => say("skip", {number, skipped: !skipped})));
  line.onmouseenter = name.onfocus = () => { chosen = number; explain(); };
  return line;
};

// What the chosen action changed.
const explain = () => {
  const entry = entries.get(chosen ?? history.at);
  details.replaceChildren();
  if (!entry) return details.append(make("p", "", "The beginning."));
  details.append(make("p", "", `${entry.number} · ${entry.action}`));
  for (const [path, before, after] of entry.changes ?? []) {
    const line = make("p", "dev-change");
    line.append(make("code", "", path));
    if (before != null) line.append(make("del", "", before));
    if (after != null) line.append(make("ins", "", after));
    details.append(line);
  }
  if (!entry.changes?.length && !entry.error) details.append(make("p", "dev-soft", "changed nothing"));
  for (const x of entry.warnings ?? []) details.append(make("p", "warning", x.message ?? x));
  if (entry.error) details.append(make("p", "danger", `${entry.error.message} ${entry.error.location ?? ""}`));
};

const tell = () => {
  const {first, last, at, locked} = history;
  Object.assign(slider, {min: first - 1, max: Math.max(last, first - 1), value: at});
  place.textContent = `${at} of ${Math.max(last, first - 1)}`;
  back.disabled = at < first;
  on.disabled = at >= last;
  lock.textContent = locked ? "Unlock" : "Lock";
  lock.ariaPressed = String(!!locked);
  for (const number of entries.keys()) if (number < first || number > last) entries.delete(number);
  const atEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 40;
  list.replaceChildren(...[...entries.values()].sort((a, b) => a.number - b.number).slice(-200).map(row));
  if (atEnd) list.scrollTop = list.scrollHeight;
  explain();
};

addEventListener("live", ({detail: {hello, dev}}) => {
  if (hello) {
    if (!hello.dev) return bar.remove();
    if (!bar.isConnected) document.body.append(bar);
    entries.clear();
    open();
  }
  if (!dev) return;
  if (dev.history) { history = dev.history; if (!dev.entries) chosen = history.at; }
  for (const entry of dev.entries ?? []) { entries.set(entry.number, entry); chosen = undefined; }
  if (dev.history || dev.entries) tell();
  if (dev.effects) {
    effects.replaceChildren(...dev.effects.map(x => make("li", "",
      [x.feature, x.action, x.origin, x.place, `${Math.round(x.seconds * 10) / 10} s`, x.waitingOn && `waiting on ${x.waitingOn}`].filter(Boolean).join(" · "))));
    if (!dev.effects.length) effects.append(make("li", "dev-soft", "nothing is in flight"));
    choices.children[1].textContent = `Effects ${dev.effects.length || ""}`;
  }
  for (const x of dev.messages ?? (dev.message ? [dev.message] : [])) {
    const line = make("li", x.kind);
    line.append(make("b", "", x.kind), make("span", "", x.text), make("code", "", x.location ?? ""));
    if (x.traceback) line.append(make("pre", "", x.traceback));
    messages.prepend(line);
    while (messages.childElementCount > 100) messages.lastChild.remove();
    if (x.kind != "reload" && parts.messages.hidden) {
      badge.count = (badge.count ?? 0) + 1;
      badge.textContent = `⚠ ${badge.count}`;
      badge.hidden = false;
    }
  }
  if (dev.refused) badge.hidden = false, badge.textContent = dev.refused;
  if (dev.test) {
    navigator.clipboard?.writeText(dev.test.source).catch(() => {});
    make("a", "", "", {href: URL.createObjectURL(new Blob([dev.test.source])), download: dev.test.name}).click();
  }
});
show("actions");
}
