// The bar: a strip with buttons at the foot of the page, and a panel with tabs that it opens.

const bar = (() => {
  const {make, button} = elements;

  const aside = make("aside", "dev", "", {ariaLabel: "Development"});
  const strip = make("div", "dev-strip");
  const panel = make("div", "dev-panel", "", {hidden: true});
  let isOpen = sessionStorage.getItem("dev") == "open";

  // ---- The strip

  const toggle = button("Dev", "Open or close the bar for development", () => {
    isOpen = !isOpen;
    sessionStorage.setItem("dev", isOpen ? "open" : "");
    open();
  });
  const back = button("◀", "One action back", () => server.say("step", {by: -1}));
  const forward = button("▶", "One action on", () => server.say("step", {by: 1}));
  const lock = button("Lock", "Drop all actions, so that only the bar moves the store",
    () => server.say("lock", {locked: !actions.range.locked}));
  const save = button("Export test", "The session as a test", () => server.say("export"));
  const position = make("output");
  const slider = make("input", "", "", {
    type: "range", ariaLabel: "History", min: 0, max: 0, value: 0,
    oninput: () => server.say("go", {to: Number(slider.value)}),
  });
  messages.badge.onclick = () => {
    showTab("messages");
    if (!isOpen) toggle.click();
  };
  strip.append(toggle, back, slider, forward, position, lock, save, messages.badge);

  // ---- The panel

  const tabs = {actions, state, calls, views, effects, messages};
  let shown;
  const tabButtons = {};
  for (const name in tabs) {
    const title = name[0].toUpperCase() + name.slice(1);
    tabButtons[name] = button(title, title, () => showTab(name));
  }
  const choices = make("nav", "dev-tabs");
  choices.append(...Object.values(tabButtons));
  panel.append(choices, ...Object.values(tabs).map(({part}) => part));
  aside.append(strip, panel);

  function showTab(chosen) {
    for (const name in tabs) {
      tabs[name].part.hidden = name != chosen;
      tabButtons[name].ariaPressed = String(name == chosen);
    }
    if (chosen == "messages") messages.seen();
    if (isOpen && shown != chosen) server.say("panel", {name: chosen});
    shown = chosen;
  }
  showTab("actions");

  // ---- What is shown

  // Opens or closes the panel. A closed bar hears nothing of the history.
  function open() {
    server.say(isOpen ? "open" : "close");
    if (isOpen) {
      state.clear();
      server.say("panel", {name: shown});
    }
    for (const part of [panel, back, slider, forward, position]) part.hidden = !isOpen;
    document.documentElement.style.setProperty("--dev", isOpen ? "20rem" : "2.6rem");
  }

  function show() {
    if (!aside.isConnected) document.body.append(aside);
    open();
  }

  function draw() {
    const {first, last, at, locked} = actions.range;
    const end = Math.max(last, first - 1);
    Object.assign(slider, {min: first - 1, max: end, value: at});
    position.textContent = `${at} of ${end}`;
    back.disabled = at < first;
    forward.disabled = at >= last;
    lock.textContent = locked ? "Unlock" : "Lock";
    lock.ariaPressed = String(!!locked);
    actions.draw();
  }

  const countEffects = count => { tabButtons.effects.textContent = `Effects ${count || ""}`; };

  return {show, draw, countEffects, remove: () => aside.remove()};
})();
