// The bar for development: history, what each action changed, the state, the calls of dependencies,
// the views that ran, effects in flight, warnings and errors, and the session as a test.
// docs/wire-format.md, section 5, has the messages.
//
// The files of this folder are one script, in the order of Sources/Embedded/EmbeddedPage. The page
// imports it when the server says that there is a bar; start.js has what the page calls.

const elements = (() => {
  const make = (tag, className = "", text = "", more) =>
    Object.assign(document.createElement(tag), {className, textContent: text, ...more});

  // A button is called by its words; one with a sign, by its title.
  const button = (text, title, onclick) => make("button", "", text, {
    type: "button", title, ariaLabel: /^\W+$/.test(text) ? title : null, onclick,
  });

  // A list of texts without those that are false or empty.
  const joined = (separator, ...texts) => texts.filter(Boolean).join(separator);

  return {make, button, joined};
})();
