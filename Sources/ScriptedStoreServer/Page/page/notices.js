// Notices: what the page itself has to say, in the line at its foot.

const notices = (() => {
  const line = document.querySelector("#status");
  let timer;

  function stay(text) {
    clearTimeout(timer);
    line.textContent = text;
  }

  const hide = () => stay("");

  function show(text) {
    stay(text);
    timer = setTimeout(hide, 5000);
  }

  return {show, stay, hide};
})();
