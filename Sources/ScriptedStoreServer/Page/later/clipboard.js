// The clipboard: a button with `copy` puts its text there.

const clipboard = (() => {
  async function copy(text) {
    try {
      // Only pages of a safe address have it: those of https, or of the machine itself.
      if (navigator.clipboard) await navigator.clipboard.writeText(text);
      else copySelected(text);
      notices.show(notices.words.copied);
    } catch (problem) {
      notices.show(problem.message);
    }
  }

  function copySelected(text) {
    const before = document.activeElement;
    const area = dom.draw(null, ["textarea", {"aria-hidden": "true"}]);
    area.value = text;
    // Behind a modal dialog nothing can be selected.
    (dialogs.top ?? document.body).append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    before?.focus();
    if (!isCopied) throw new Error("The browser does not let the page copy.");
  }

  return {copy};
})();
