// What breaks a rule of WCAG 2.2, level A or AA, a line each: the rules that styles and attributes tell. The criterion's number stands
// in front. `accessibility_tests.py` looks for names, which only the tree of the browser has.

(() => {
  const found = [];
  const name = element => `${element.localName}.${element.className} "${element.innerText?.slice(0, 30) ?? ""}"`;
  const report = (rule, element) => found.push(`${rule}: ${name(element)}`);
  const all = selector => [...document.querySelectorAll(selector)];

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
  function contrast(element) {
    const behind = ground(element);
    const [a, b] = [over(colour(getComputedStyle(element).color), behind), behind].map(luminance);
    return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  }
  const hasText = element => [...element.childNodes].some(node => node.nodeType == 3 && node.data.trim()) ||
    /^(input|textarea|select)$/.test(element.localName) && !/^(checkbox|radio|range)$/.test(element.type);

  for (const element of all("body *")) {
    if (!isSeen(element)) continue;
    if (hasText(element) && !isDisabled(element)) {
      const {fontSize, fontWeight} = getComputedStyle(element);
      const isLarge = parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24);
      const ratio = contrast(element);
      if (ratio < (isLarge ? 3 : 4.5)) report(`1.4.3 contrast ${ratio.toFixed(2)}`, element);
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
  const ids = all("[id]").map(element => element.id);
  for (const id of ids) if (ids.indexOf(id) != ids.lastIndexOf(id)) found.push(`4.1.1 two elements of the id ${id}`);
  if (!document.documentElement.lang) found.push("3.1.1 no language");
  if (!document.title) found.push("2.4.2 no title");
  if (document.documentElement.scrollWidth > innerWidth) found.push(`1.4.10 scrolls sideways to ${document.documentElement.scrollWidth}`);
  return [...new Set(found)];
})()
