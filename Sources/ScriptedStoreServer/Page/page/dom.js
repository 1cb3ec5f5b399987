// The DOM: brings elements to descriptions of them, and finds elements.
//
// The files of this folder are one script, in the order of Sources/Embedded/EmbeddedPage. Each is a
// module: a constant with the functions that the others use. The last one, start.js, begins;
// before, modules only define. docs/wire-format.md has the messages, and tree.js says what a node
// is here.

const dom = (() => {
  const main = document.querySelector("main");
  let lastID = 0;
  const svg = /^(svg|use|g|line|rect|circle|path|text)$/;

  // Brings an element to a description: [tag, attributes, …what is inside], which are texts,
  // descriptions and DOM nodes. What is false or empty is left out. A description of two parts
  // leaves alone what is inside. Returns the element, which is a new one if there was none with
  // this tag.
  function draw(element, [tag, attributes, ...inside]) {
    if (element?.localName != tag) {
      element = svg.test(tag)
        ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    }
    for (const name in attributes) setAttribute(element, name, attributes[name]);
    if (inside.length) drawInside(element, inside.filter(part => part || part === 0));
    return element;
  }

  function setAttribute(element, name, value) {
    const text = value === true ? "" : value == null || value === false ? null : String(value);
    if (element.getAttribute(name) === text) return;
    if (text === null) element.removeAttribute(name);
    else element.setAttribute(name, text);
  }

  function drawInside(element, parts) {
    parts.forEach((part, index) => {
      const there = element.childNodes[index];
      const isDescription = Array.isArray(part);
      if (!isDescription && !part.nodeType) return drawText(element, there, String(part));
      if (isDescription) part = draw(parts.includes(there) ? null : there, part);
      if (part != there) element.insertBefore(part, there ?? null);
    });
    // The dialog of what a node presents comes after its other children, and is not described.
    for (const left of [...element.childNodes].slice(parts.length)) {
      if (left.localName != "dialog") left.remove();
    }
  }

  function drawText(element, there, text) {
    if (there?.nodeType != Node.TEXT_NODE) {
      element.insertBefore(document.createTextNode(text), there ?? null);
    } else if (there.data !== text) {
      there.data = text;
    }
  }

  const all = (element, selector) => [...element.querySelectorAll(selector)];
  const bounds = element => element.getBoundingClientRect();
  const words = (...list) => list.filter(Boolean).join(" ");
  const newID = () => "r" + ++lastID;

  // The first heading in an element that is not in a hidden part of it, and its text.
  const heading = ":is(h1, h2, h3, h4, h5, h6, legend):not(:empty, :scope [hidden] *)";
  const headingOf = element => element.querySelector?.(heading);
  const titleOf = element => headingOf(element)?.textContent;

  // The description of a button of the page itself. What it does, events.js finds by its class.
  const button = (className, label, sign, attributes) =>
    ["button", {type: "button", class: className, "aria-label": label, ...attributes}, sign];

  return {main, draw, setAttribute, all, bounds, words, newID, headingOf, titleOf, button};
})();
