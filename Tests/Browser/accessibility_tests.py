"""The examples under the rules of WCAG 2.2, levels A and AA, that can be checked without a person."""

import json
import os
import re

from page_tests import EVERYTHING, MENU, button, text
from screen import Screen
from serve_tests import fine, opened
from serving import ROOT, Server

NAMED = "button|link|textbox|searchbox|checkbox|switch|combobox|slider|spinbutton|radio|image|menuitem|tab|dialog|alertdialog"


def examples():
    """The features with a view: the scripts that a person would open, by the names of their modules."""
    for folder, _, names in os.walk(os.path.join(ROOT, "scripts")):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), os.path.join(ROOT, "scripts"))
            if not name.endswith(".lua") or path.split(os.sep)[0] in ("tests", "types", "examples"):
                continue
            with open(os.path.join(folder, name)) as file:
                source = file.read()
            if "return scripted.feature {" in source and re.search(r"^  view = ", source, re.M):
                yield path[:-4].removesuffix("/init").replace("/", ".")


def findings(page):
    # A colour on its way to another one is none that stays.
    page.run("for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();")
    with open(os.path.join(os.path.dirname(__file__), "accessibility.js")) as file:
        found = page.run(file.read())
    unnamed = [line.strip() for line in page.tree() if re.fullmatch(rf' *({NAMED})( "")?( .*)?', line) and '"' not in line.replace('""', "")]
    return found + [f"4.1.2 no name: {line}" for line in unnamed]


SIGHTS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]


def broken_rules(browser, node, use=lambda page: None):
    """What breaks a rule on a screen, in each sight, when it has been used so."""
    found = []
    for width, scheme in SIGHTS:
        screen = Screen(browser, None, width=width, scheme=scheme)
        screen.frame([0, [], node])
        use(screen.page)
        found += [f"{width} pixels, {scheme}: {line}" for line in findings(screen.page)]
        screen.page.close()
    return found


def child(*nodes):
    return {"kind": "child", "children": list(nodes)}


ASKS = [text("It is gone for ever."), {"kind": "textField", "label": "Why", "prompt": "A word or two", "bind": 1},
        button("Delete", role="destructive"), button("Keep", role="cancel")]


def test_no_element_breaks_a_rule_of_accessibility(browser):
    for width, scheme in SIGHTS:
        screen = Screen(browser, EVERYTHING, width=width, scheme=scheme)
        found = findings(screen.page)
        assert not found, f"{width} pixels, {scheme}\n    " + "\n    ".join(found)
        screen.page.close()


def test_the_rules_find_what_breaks_them(browser):
    screen = Screen(browser, {**EVERYTHING, "sheet": child({"kind": "form", "label": "Part", "children": [button("Save"), {"kind": "textField", "label": "Name", "bind": 1}]})})
    assert not findings(screen.page), findings(screen.page)
    # What is below a dialog is not perceived, and the dialog is.
    screen.page.run("document.querySelector('main h1').style.color = 'color-mix(in srgb, currentColor 5%, transparent)'; 0")
    assert not findings(screen.page), findings(screen.page)
    # A colour that is on its way is judged where it ends.
    screen.page.run("""(() => {
      const {style} = document.querySelector("dialog .n.button");
      style.transition = "color 60s";
      document.body.offsetTop;
      style.color = "#ccc";
    })()""")
    assert any(line.startswith("1.4.3") for line in findings(screen.page))
    screen.page.run("""(() => {
      const dialog = document.querySelector("dialog");
      dialog.querySelector(".n.button").style.cssText = "color: #888; background: #777; padding: 0; line-height: 1; border: 0";
      dialog.querySelector(".n.button").setAttribute("aria-controls", "nobody");
      Object.assign(dialog.querySelector("input"), {placeholder: "Anna", ariaLabel: ""}).style.color = "#bbb";
      dialog.querySelector("input").focus();
      dialog.querySelector("label > span").remove();
      dialog.append(Object.assign(document.createElement("p"), {textContent: "Cover", style: "position: fixed; inset: 0"}));
      dialog.querySelector(".n.form").style.width = "200vw";
    })()""")
    found = findings(screen.page)
    for rule in ("1.4.3 contrast 1.", "2.5.8 target", "4.1.2 aria-controls", "4.1.2 no name: textbox", "1.4.10 a dialog", "2.4.11"):
        assert any(line.startswith(rule) for line in found), (rule, found)
    screen.page.close()


def test_nothing_that_is_presented_breaks_a_rule_of_accessibility(browser):
    for kind in ("popover", "dialog", "sheet", "cover", "alert"):
        found = broken_rules(browser, {**EVERYTHING, kind: child(EVERYTHING)})
        assert not found, f"{kind} with all elements\n    " + "\n    ".join(found)
        if kind in ("alert", "dialog"):
            found = broken_rules(browser, {**EVERYTHING, kind: child({"kind": kind, "title": "Sure?", "message": "It goes.", "children": ASKS})})
            assert not found, f"{kind}\n    " + "\n    ".join(found)
    # A dialog of a dialog.
    found = broken_rules(browser, {**EVERYTHING, "sheet": child({**EVERYTHING, "alert": child({"kind": "alert", "title": "Sure?", "children": ASKS})})})
    assert not found, "\n    ".join(found)


def test_no_toast_menu_or_pushed_screen_breaks_a_rule_of_accessibility(browser):
    toast = {"kind": "toast", "text": "The meeting is deleted", "action": 1}
    navigation = {"kind": "navigation", "children": [EVERYTHING, {"kind": "forEach", "children": [{**EVERYTHING, "title": "Pushed", "id": 1}]}]}
    opens = lambda page: page.run("document.querySelector('main .menu > summary').click()")
    for name, node, use in (
        ("a toast", {**EVERYTHING, "children": [*EVERYTHING["children"], toast]}, lambda page: page.run("document.querySelector('.toast button').focus()")),
        ("a toast in a sheet", {**EVERYTHING, "sheet": child({**EVERYTHING, "children": [*EVERYTHING["children"], toast]})}, lambda page: None),
        ("an open menu", {"kind": "screen", "title": "Menus", "children": [{"kind": "toolbar", "children": [MENU, button("Next")]}]}, opens),
        ("a pushed screen", navigation, lambda page: page.wait("document.querySelector('.back') != null")),
    ):
        found = broken_rules(browser, node, use)
        assert not found, f"{name}\n    " + "\n    ".join(found)
def test_the_list_of_shortcuts_breaks_no_rule_of_accessibility(browser):
    for width, scheme in SIGHTS:
        screen = Screen(browser, button("Save", shortcut="mod+s"), width=width, scheme=scheme)
        screen.page.press("?")
        screen.page.wait("!!document.querySelector('.shortcuts[open]')")
        found = findings(screen.page)
        assert not found, f"{width} pixels, {scheme}\n    " + "\n    ".join(found)
        screen.page.close()


def test_no_theme_of_the_docs_breaks_a_rule_of_accessibility(browser):
    with open(os.path.join(ROOT, "docs/serve.md")) as file:
        themes = re.findall(r"```css\n(.*?)```", file.read(), re.S)
    assert len(themes) == 3, themes
    for theme in themes:
        for width, scheme in SIGHTS:
            screen = Screen(browser, EVERYTHING, width=width, scheme=scheme)
            screen.page.run(f"document.head.append(Object.assign(document.createElement('style'), {{textContent: {json.dumps(theme)}}})); 0")
            found = findings(screen.page)
            assert not found, f"{theme}{width} pixels, {scheme}\n    " + "\n    ".join(found)
            screen.page.close()


def test_no_example_breaks_a_rule_of_accessibility(browser):
    broken = {}
    names = sorted(examples())
    assert len(names) > 20, names
    for name in names:
        with Server(name, options=("--production",)) as server:
            for width, scheme in ((1280, "light"), (390, "dark")):
                page = opened(browser, server, width=width, height=800, scheme=scheme)
                found = findings(page)
                if found:
                    broken[f"{name}, {width} pixels, {scheme}"] = found
                fine(page)
                page.close()
    assert not broken, "\n".join(f"{name}\n    " + "\n    ".join(lines) for name, lines in broken.items())


# What a person can use on the uppermost layer, the first of each look: rows of a list and cells of a board are alike.
USABLE = """(() => {
  const layer = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.querySelector("main");
  const looks = new Set();
  return [...layer.querySelectorAll("button, summary, [role=link], [role=tab], .selects li, .selects tr, .segmented label")].filter(element => {
    if (!element.checkVisibility({visibilityProperty: true}) || element.closest(":disabled, [aria-disabled=true], [aria-selected=true]")) return false;
    const list = element.closest("li, tr, .grid")?.closest("ul, table, .grid");
    const look = element.className + (list ? "in a list" : element.textContent + element.ariaLabel);
    return !looks.has(look) && looks.add(look);
  }).slice(0, 6);
})()"""


def look_around(browser, server):
    """Uses what can be used on a screen, each on a page and with a state of its own. The findings, by what was used."""
    page = opened(browser, server, width=1280, height=800)
    names = page.run(f"{USABLE}.map(element => element.innerText.trim() || element.ariaLabel || element.className)")
    page.close()
    found = {}
    for index, name in enumerate(names):
        page = opened(browser, server, width=1280, height=800)
        before = page.run("document.body.innerHTML")
        page.click_at(*page.middle(f"{USABLE}[{index}]"))
        if page.becomes(f"document.body.innerHTML != {json.dumps(before)} && !document.querySelector('[aria-busy=true]')", 1):
            for width, scheme in ((1280, "light"), (390, "dark")):
                page.look(width=width, height=800, scheme=scheme)
                lines = findings(page)
                if lines:
                    found[f"{name}, {width} pixels, {scheme}"] = lines
        fine(page)
        page.close()
    return found


def test_nothing_that_the_examples_open_breaks_a_rule_of_accessibility(browser):
    broken = {}
    for name in sorted(examples()):
        # Each browser has a store of its own, so that each begins at the first screen.
        with Server(name, options=("--production", "--store", "session")) as server:
            for what, lines in look_around(browser, server).items():
                broken[f"{name}: {what}"] = lines
    assert not broken, "\n".join(f"{name}\n    " + "\n    ".join(lines) for name, lines in broken.items())
