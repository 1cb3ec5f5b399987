// The dependencies that the last action has called, and its effects, with their answers.

const calls = (() => {
  const {make} = elements;
  const part = make("ul", "dev-calls");

  function take({number, action, count, calls: all}) {
    const title = action ? `${number} · ${action}` : "The beginning";
    const left = count - all.length;
    const heading = make("li", "dev-soft", left ? `${title}, without the first ${left}` : title);
    part.replaceChildren(heading, ...all.map(line));
    if (!all.length) part.append(make("li", "dev-soft", "no dependency was called"));
  }

  function line({name, caller, answer, raised, stack, stream}) {
    const item = make("li", raised ? "raised" : "");
    const kind = stack ? "an id of the stack" : stream ? "the next of" : "";
    item.append(make("b", "", caller), kind, make("code", "", name), "→");
    item.append(answer == null ? make("i", "", "no answer yet") : make("code", "", answer));
    return item;
  }

  return {part, take};
})();
