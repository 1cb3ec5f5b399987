// Warnings, errors, and what reloads did. A badge counts those that were not seen.

const messages = (() => {
  const {make} = elements;
  // The most that are listed.
  const most = 100;

  const part = make("ul", "dev-messages");
  const badge = make("button", "dev-badge", "", {
    type: "button", hidden: true, title: "Warnings and errors",
  });
  let unseen = 0;

  function take({kind, text, location, traceback}) {
    const line = make("li", kind);
    line.append(make("b", "", kind), make("span", "", text), make("code", "", location));
    if (traceback) line.append(make("pre", "", traceback));
    part.prepend(line);
    while (part.childElementCount > most) part.lastChild.remove();
    if (kind == "reload" || !part.hidden) return;
    unseen++;
    warn(`⚠ ${unseen}`);
  }

  function warn(text) {
    badge.textContent = text;
    badge.hidden = false;
  }

  function seen() {
    badge.hidden = true;
    unseen = 0;
  }

  return {part, badge, take, warn, seen};
})();
