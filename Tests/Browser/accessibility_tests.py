"""The examples under the rules of WCAG 2.2, levels A and AA, that can be checked without a person."""

import json
import os
import re

from page_tests import EVERYTHING
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
    with open(os.path.join(os.path.dirname(__file__), "accessibility.js")) as file:
        found = page.run(file.read())
    unnamed = [line.strip() for line in page.tree() if re.fullmatch(rf' *({NAMED})( "")?( .*)?', line) and '"' not in line.replace('""', "")]
    return found + [f"4.1.2 no name: {line}" for line in unnamed]


SIGHTS = [(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]


def test_no_element_breaks_a_rule_of_accessibility(browser):
    for width, scheme in SIGHTS:
        screen = Screen(browser, EVERYTHING, width=width, scheme=scheme)
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
