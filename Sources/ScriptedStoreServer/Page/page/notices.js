// Notices: the page's own texts, and what it has to say in the line at its foot.

const notices = (() => {
  // An author may have other ones, which come with `hello`. PageText has the list.
  const words = {
    notConnected: "Not connected", reconnecting: "Reconnecting …",
    back: "Back", close: "Close", delete: "Delete", move: "Move", undo: "Undo",
    increase: "Increase", decrease: "Decrease", copied: "Copied", clear: "Clear",
    shortcuts: "Keyboard shortcuts", moved: "{row}: {place} of {count}", language: "en",
  };
  const line = document.querySelector("#status");
  let timer;

  // What is behind a modal dialog can be neither seen nor read out, so the line is in that.
  function stay(text) {
    clearTimeout(timer);
    const home = dialogs.top ?? document.body;
    if (line.parentNode != home) home.append(line);
    line.textContent = text;
  }

  const hide = () => stay("");

  function show(text) {
    stay(text);
    timer = setTimeout(hide, 5000);
  }

  return {words, show, stay, hide};
})();
