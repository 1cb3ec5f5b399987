// Toasts: the room that they have at the end of their layer, so that they cover nothing there.

const toasts = (() => {
  const observer = new ResizeObserver(entries => entries.forEach(makeRoom));

  // Leaves as much room after the last line of the layer as the toast takes: page.css reads `--toast`.
  // An element with the focus is scrolled out from below the toast.
  function makeRoom({target: toast}) {
    const {height, top} = dom.bounds(toast);
    if (!height) return;
    document.documentElement.style.setProperty("--toast", `${Math.ceil(height)}px`);
    const focused = document.activeElement;
    const isCovered = !focused.contains(toast) && !toast.contains(focused)
      && focused.closest("main, dialog") == toast.closest("main, dialog")
      && dom.bounds(focused).bottom > top;
    if (isCovered) focused.scrollIntoView({block: "nearest"});
  }

  // A toast has a size when it is in the page, which is after it was drawn.
  const watch = node => { requestAnimationFrame(() => observer.observe(node.element)); };

  return {watch};
})();
