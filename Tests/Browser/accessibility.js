// What breaks a rule of WCAG 2.2, level A or AA, a line each: the rules that styles and attributes tell. The criterion's number stands
// in front. `accessibility_tests.py` looks for names, which only the tree of the browser has. Where a modal dialog is open, only the
// uppermost is looked at: nobody perceives what is inert below it.

(() => {
  // A colour that is on its way to another one is not judged.
  for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();

  const found = [];
  const middle = ({left, right, top, bottom}) => document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  const layer = [...document.querySelectorAll("dialog:modal")]
    .find(dialog => middle(dialog.getBoundingClientRect())?.closest("dialog") == dialog) ?? document.body;
  const name = element => `${element.localName}.${element.className} "${element.innerText?.slice(0, 30) ?? ""}"`;
  const report = (rule, element) => found.push(`${rule}: ${name(element)}`);
  const all = selector => [layer, ...layer.querySelectorAll("*")].filter(element => element.matches(selector));

  const isSeen = element => element.checkVisibility({opacityProperty: true, visibilityProperty: true}) &&
    element.getBoundingClientRect().width > 1;
  const isDisabled = element => element.closest(":disabled, [aria-disabled=true]") != null;

  // Colours: what canvas understands, as red, green, blue and alpha from 0 to 1.
  const pen = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  function colour(text) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].map(part => part / 255);
  }
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const ground = element => element
    ? over(colour(getComputedStyle(element).backgroundColor), ground(element.parentElement)) : canvas;
  const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0, 1] : [1, 1, 1, 1];
  const luminance = colour => colour.slice(0, 3)
    .map(part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [.2126, .7152, .0722][i], 0);
  function contrast(element, part) {
    const behind = ground(element);
    const {color, opacity} = getComputedStyle(element, part);
    const [red, green, blue, alpha] = colour(color);
    const [a, b] = [over([red, green, blue, alpha * opacity], behind), behind].map(luminance);
    return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  }
  const hasText = element => [...element.childNodes].some(node => node.nodeType == 3 && node.data.trim()) ||
    /^(input|textarea|select)$/.test(element.localName) && !/^(checkbox|radio|range)$/.test(element.type);

  for (const element of all("*")) {
    if (!isSeen(element)) continue;
    if (hasText(element) && !isDisabled(element)) {
      const {fontSize, fontWeight} = getComputedStyle(element);
      const isLarge = parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24);
      const ratio = contrast(element);
      if (ratio < (isLarge ? 3 : 4.5)) report(`1.4.3 contrast ${ratio.toFixed(2)}`, element);
      const hint = element.placeholder ? contrast(element, "::placeholder") : 21;
      if (hint < 4.5) report(`1.4.3 contrast of the placeholder ${hint.toFixed(2)}`, element);
    }
    if (element.tabIndex > 0) report("2.4.3 tabindex above 0", element);
    for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
      for (const id of element.getAttribute(attribute)?.split(/\s+/) ?? []) {
        if (!document.getElementById(id)) report(`4.1.2 ${attribute} leads nowhere`, element);
      }
    }
  }

  for (const element of all("button, a[href], input, select, textarea, summary, [role=button]")) {
    if (!isSeen(element)) continue;
    const {width, height} = element.getBoundingClientRect();
    const isInText = element.localName == "a" || /^(checkbox|radio)$/.test(element.type) && element.closest("label");
    if (Math.min(width, height) < 24 && !isInText) report(`2.5.8 target of ${width} × ${height}`, element);
  }
  // Not `all`: an id is that of the whole page.
  const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
  for (const id of ids) if (ids.indexOf(id) != ids.lastIndexOf(id)) found.push(`4.1.1 two elements of the id ${id}`);
  if (!document.documentElement.lang) found.push("3.1.1 no language");
  if (!document.title) found.push("2.4.2 no title");
  if (document.documentElement.scrollWidth > innerWidth) found.push(`1.4.10 scrolls sideways to ${document.documentElement.scrollWidth}`);
  if (layer.localName == "dialog" && layer.scrollWidth > layer.clientWidth) found.push(`1.4.10 a dialog scrolls sideways to ${layer.scrollWidth}`);
  const focused = document.activeElement;
  const {left, right, top, bottom} = focused.getBoundingClientRect();
  const isInView = right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  if (focused != document.body && isInView && isSeen(focused)) {
    const points = [[.5, .5], [.1, .1], [.9, .1], [.1, .9], [.9, .9]].map(([x, y]) => [left + x * (right - left), top + y * (bottom - top)])
      .filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
    const isShown = points.some(([x, y]) => [focused, focused.closest("label")].some(one => one?.contains(document.elementFromPoint(x, y))));
    if (!isShown) report("2.4.11 what has the focus is covered", focused);
  }
  return [...new Set(found)];
})()
