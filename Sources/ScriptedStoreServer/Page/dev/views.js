// The views that ran for the last change, and how long each took.

const views = (() => {
  const {make} = elements;
  const part = make("ul", "dev-views");

  const time = microseconds => `${(microseconds / 1000).toFixed(2)} ms`;

  function take({number, action, count, time: whole, runs = []}) {
    const lines = runs.map(([place, duration]) => {
      const line = make("li");
      line.append(make("code", "", place || "the root"), make("span", "", time(duration)));
      return line;
    });
    if (count > runs.length) lines.push(make("li", "dev-soft", `${count - runs.length} more`));
    part.replaceChildren(make("li", "dev-soft", title(number, action, count, whole)), ...lines);
  }

  function title(number, action, count, whole) {
    if (count == null) return "No view has run since this was opened.";
    const ran = count == 1 ? "1 view ran" : `${count} views ran`;
    const last = `${ran} for action ${action}, in ${time(whole)}`;
    return action == number ? last : `No view ran for action ${number}. Before, ${last}`;
  }

  return {part, take};
})();
