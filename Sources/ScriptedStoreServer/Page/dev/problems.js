// Problems: the errors that are not mended yet, over the page, whether the bar is open or not.

const problems = (() => {
  const {make, button} = elements;

  const list = make("ul");
  const part = make("aside", "dev-problems", "", {ariaLabel: "Errors", role: "alert"});
  part.append(list, button("×", "Close until the next error", () => take([])));
  let isShown = false;

  // These are all that there are now, the newest last.
  function take(all) {
    list.replaceChildren(...all.toReversed().map(line));
    isShown = all.length > 0;
    if (isShown) place();
    else part.remove();
  }

  function line({text, location, traceback}) {
    const item = make("li");
    item.append(make("code", "", location), make("p", "", text));
    if (traceback) {
      const details = make("details");
      details.append(make("summary", "", "Traceback"), make("pre", "", traceback));
      item.append(details);
    }
    return item;
  }

  // What is behind a modal dialog can be neither seen nor used.
  function place() {
    const home = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
    if (part.parentNode != home) home.append(part);
  }

  // A dialog may have opened or closed.
  const follow = () => { if (isShown) place(); };

  return {take, follow};
})();
