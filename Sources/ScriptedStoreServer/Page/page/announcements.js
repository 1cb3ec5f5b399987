// Announcements: what screen readers read out as soon as it comes.
//
// Readers say nothing of a live region that comes with its text. So what comes is written into a
// region that is there all the time, and only then what comes may say itself what changes in it.

const announcements = (() => {
  const region = document.querySelector("#announced");
  // Readers notice a text that comes later than the region has moved or was emptied.
  const pause = 100, duration = 5000;
  // Nodes that were not read out yet.
  const coming = new Set();
  let texts = [];
  let isWaiting = false;
  let timer;

  // Whether a node is read out, and what changes in it: the value of `aria-live`; null for neither.
  function liveness(node) {
    const {kind, announce} = node.props;
    if (!announce && kind != "toast") return null;
    if (!node.element) coming.add(node);
    return coming.has(node) ? "off" : "polite";
  }

  // After a frame. With the whole page, readers begin at its start.
  function settle(isWholePage) {
    if (isWholePage) hear();
    else if (coming.size) wait();
  }

  function say(text) {
    texts.push(text);
    wait();
  }

  function wait() {
    if (isWaiting) return;
    isWaiting = true;
    clearTimeout(timer);
    // What is behind a modal dialog is not read out.
    const home = dialogs.top ?? document.body;
    if (region.parentNode != home) home.append(region);
    region.textContent = "";
    timer = setTimeout(speak, pause);
  }

  function speak() {
    isWaiting = false;
    const shown = [...coming].map(node => node.element)
      .filter(element => element.isConnected && element.checkVisibility());
    region.textContent = [...texts, ...shown.map(element => element.innerText)].join("\n");
    texts = [];
    hear();
    timer = setTimeout(() => { region.textContent = ""; }, duration);
  }

  // From now on these say themselves what changes.
  function hear() {
    const heard = [...coming];
    coming.clear();
    for (const node of heard) dom.setAttribute(node.element, "aria-live", liveness(node));
  }

  return {liveness, settle, say};
})();
