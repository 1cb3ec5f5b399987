// Shapes: what is in a drawing. They are SVG, of data that is checked here as well, so that nothing
// in it leads out of the drawing.

const shapes = (() => {
  // The attributes of a shape, as the names of properties, or `property:attribute`.
  const forms = {
    __proto__: null, line: "x1 y1 x2 y2", rect: "x y width height radius:rx",
    circle: "x:cx y:cy radius:r", path: "d", text: "x y size:font-size anchor:text-anchor",
  };
  const theme = /^(text|secondary|accent|success|warning|danger|line|fill|card)$/;

  const paint = colour =>
    theme.test(colour) ? `var(--${colour})` : /^#[\da-f]{6}$/i.test(colour) ? colour : "none";

  // A shape that can be tapped is a button.
  function describe({props}, isDisabled, attributes) {
    const {shape, onTap, label, text, fill, stroke, strokeWidth, opacity} = props;
    const isDrawn = /line|path/.test(shape);
    for (const form of forms[shape]?.split(" ") ?? []) {
      const [name, attribute = name] = form.split(":");
      attributes[attribute] = props[name];
    }
    return [forms[shape] ? shape : "g", {
      ...attributes, fill: paint(fill ?? (isDrawn ? "none" : "text")),
      stroke: paint(stroke ?? (isDrawn ? "text" : "none")),
      "stroke-width": strokeWidth, opacity, role: onTap && "button", "aria-label": label,
      tabindex: onTap && !isDisabled ? 0 : null, "aria-disabled": isDisabled && onTap && "true",
    }, shape == "text" && text];
  }

  return {describe};
})();
