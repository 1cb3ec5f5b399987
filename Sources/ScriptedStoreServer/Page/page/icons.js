// Icons: the description of an icon. An icon that has a name comes from the server when it is first
// shown, and then from the browser's cache.

const icons = (() => {
  // Names the version of the server's files, so that the cache may keep an icon for ever.
  let build = "";

  const use = newBuild => { build = newBuild; };

  // A text that is no name, as "★", is shown as it is.
  const sign = (name, className = "sign") => name && (/^[a-z][a-z\d-]*$/.test(name)
    ? ["svg", {class: className, "aria-hidden": "true"},
      ["use", {href: `/icons/${name}.svg?${build}#i`}]]
    : ["span", {class: className, "aria-hidden": "true"}, name]);

  // An icon before a text, as parts of a description.
  const before = (name, text) => [sign(name, text ? "sign leading" : "sign"), text];

  return {use, sign, before};
})();
