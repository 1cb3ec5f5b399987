// Toasts: the room that they have at the end of their layer, so that they cover nothing there.

const toasts = (() => {
  const observer = new ResizeObserver(entries => entries.forEach(makeRoom));

  // Behind the last line of the layer is as much room as the toast takes, which page.css reads.
  // What has the focus is scrolled out from below the toast.
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
