"""Screens as pictures, in `references/`. `Tests/Browser/run --references` writes them anew; look at each of them before it is committed.

`pictures.py` says when two pictures differ.
"""

import base64
import json
import os
import re
import tempfile

from accessibility_tests import ASKS, child
from chromium import Failure
from page_tests import EVERYTHING, button, text
from pictures import Picture, difference
from screen import Screen
from serve_tests import opened
from serving import ROOT, Server

FOLDER = os.path.join(os.path.dirname(__file__), "references")
# Whether the pictures are written, not compared.
WRITES = False

TODOS = [("Write a feature in Lua", True), ("Save it, and see the page change", False), ("Go back in time", False)]
STATES = {
    "todos": {"nextId": 4, "todos": [{"id": i, "description": d, "isComplete": done} for i, (d, done) in enumerate(TODOS, 1)]},
    "kanban": {}, "contacts": {"selected": 2},
}
ALERT = {"kind": "alert", "title": "Delete the meeting?", "message": "It goes from all lists.", "children": ASKS[2:]}
LIST = {"kind": "screen", "title": "Meetings", "children": [
    {"kind": "list", "style": "cards", "label": "Meetings", "onDelete": 1, "children": [{"kind": "forEach", "children": [
        {"kind": "row", "id": name, "children": [text(name), {"kind": "spacer"}, {"kind": "badge", "text": f"{count} people"}]}
        for name, count in (("Design", 3), ("Engineering", 12), ("A meeting of all who are here and there", 2))]}]},
    {"kind": "toolbar", "children": [button("Add a meeting", role="primary"), button("Clear")]},
    {"kind": "toast", "text": "The meeting is deleted", "action": 1}]}

# The name of each picture, what it shows, and how large the window is.
PICTURES = [
    ("todos-light", "todos", 640, 385, "light"),
    ("todos-narrow-dark", "todos", 390, 500, "dark"),
    ("contacts-wide-light", "contacts", 1280, 320, "light"),
    ("kanban-wide-dark", "kanban", 1280, 400, "dark"),
    ("kanban-narrow-light", "kanban", 390, 500, "light"),
    ("elements-wide-light", EVERYTHING, 1280, 1400, "light"),
    ("elements-narrow-dark", EVERYTHING, 390, 1400, "dark"),
    ("toast-narrow-light", LIST, 390, 500, "light"),
    ("alert-narrow-dark", {**LIST, "alert": child(ALERT)}, 390, 500, "dark"),
    ("sheet-wide-light", {**LIST, "sheet": child({"kind": "screen", "title": "New meeting", "children": [
        {"kind": "form", "children": [{"kind": "textField", "label": "Title", "bind": 1, "prompt": "Design", "error": "This is missing"},
                                      {"kind": "toggle", "label": "Every week", "style": "switch", "bind": 1, "value": True}, button("Save", role="primary")]}]})},
     1280, 500, "light"),
]
# Nothing moves or blinks, and nothing is under the pointer.
STILL = "*, ::before, ::after { animation: none !important; transition: none !important; caret-color: transparent !important; }"


def contacts():
    """The example of the guide."""
    with open(os.path.join(ROOT, "docs/guide/recipes.md")) as file:
        return re.search(r"```lua\n-- scripts/contacts.lua\n(.*?)```", file.read(), re.S).group(1)


def taken(page):
    page.run(f"document.adoptedStyleSheets = [new CSSStyleSheet()]; document.adoptedStyleSheets[0].replaceSync({json.dumps(STILL)}); 0")
    page.run("document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))))")
    return Picture.decode(base64.b64decode(page.call("Page.captureScreenshot", format="png")["data"]))


def shown(browser, what, width, height, scheme):
    """The picture of a node, or of an example; and the font of its texts."""
    options = {"width": width, "height": height, "scheme": scheme}
    if isinstance(what, dict):
        page = Screen(browser, None, **options)
        page.frame([0, [], what])
        return taken(page.page), font(page.page)
    scripts = {"contacts.lua": contacts()} if what == "contacts" else None
    with Server(what, scripts, options=("--production", "--state", json.dumps(STATES[what]))) as server:
        page = opened(browser, server, **options)
        return taken(page), font(page)


def font(page):
    page.call("CSS.enable")
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    heading = page.call("DOM.querySelector", nodeId=root, selector="h1")["nodeId"]
    return page.call("CSS.getPlatformFontsForNode", nodeId=heading)["fonts"][0]["familyName"]


def test_screens_look_as_in_their_pictures(browser):
    differences = []
    for name, *what in PICTURES:
        path = os.path.join(FOLDER, name + ".png")
        picture, family = shown(browser, *what)
        if WRITES:
            with open(path, "wb") as file:
                file.write(picture.encode())
            print(f"  {path}: {os.path.getsize(path):,} bytes")
            continue
        with open(path, "rb") as file:
            found = difference(Picture.decode(file.read()), picture)
        if found:
            now = os.path.join(tempfile.gettempdir(), f"{name}.png")
            with open(now, "wb") as file:
                file.write(picture.encode())
            differences.append(f"{name}: {found}. It looks now as in {now}, in {family}")
    if differences:
        raise Failure("Screens do not look as in Tests/Browser/references:\n    " + "\n    ".join(differences) + "\n"
                      "If that is meant, write the pictures anew with `Tests/Browser/run --references`, look at them, and commit them. They are made "
                      "with the font DejaVu Sans, which `.ci/install chromium` installs: where a machine has another one, all differ.")


def test_a_row_that_has_moved_and_another_colour_are_found_in_pictures_and_other_edges_are_not(browser):
    for scheme in ("light", "dark"):
        screen = Screen(browser, None, width=390, height=500, scheme=scheme)
        screen.frame([0, [], LIST])
        before = taken(screen.page)
        assert Picture.decode(before.encode()).rows == before.rows
        assert difference(before, taken(screen.page)) is None
        # The edges of letters are smoothed in another way: each pixel takes a fifth of those beside it.
        smoothed = Picture(before.width, [bytes(round(.8 * a + .1 * b + .1 * c) for a, b, c in zip(row, row[3:] + row[-3:], row[:3] + row[:-3]))
                                          for row in before.rows])
        assert smoothed.rows != before.rows and difference(before, smoothed) is None, difference(before, smoothed)
        for change in (
            "document.querySelectorAll('li')[1].style.translate = '0 4px'", "document.querySelectorAll('li')[1].style.translate = '0 -4px'",
            "document.querySelector('h1').style.translate = '4px'", "document.querySelector('.badge').style.translate = '0 4px'",
            "document.querySelector('.primary').style.background = 'color-mix(in srgb, var(--accent) 95%, var(--danger))'",
            "document.querySelector('main').style.color = 'var(--danger)'", "document.querySelector('.badge').style.display = 'none'",
            "document.documentElement.style.background = 'color-mix(in srgb, var(--page) 95%, var(--text))'",
            "document.querySelector('.toast').style.marginBottom = '4px'",
        ):
            element = change.split(".style")[0]
            screen.page.run(f"{element}.dataset.style = {element}.style.cssText; {change}; 0")
            assert difference(before, taken(screen.page)), f"{scheme}: {change}"
            screen.page.run(f"{element}.style.cssText = {element}.dataset.style; 0")
        assert difference(before, taken(screen.page)) is None
        screen.page.close()


def test_each_filter_of_a_png_file_is_read(browser):
    # Chromium writes no picture that it does not read itself, so the pixels of a canvas are those that it says.
    page = browser.page()
    page.open("about:blank")
    data, pixels = page.run("""(async () => {
      const canvas = new OffscreenCanvas(61, 37), pen = canvas.getContext("2d");
      const paint = pen.createLinearGradient(0, 0, 61, 37);
      ["#f00", "#0f0", "#12f"].forEach((colour, i) => paint.addColorStop(i / 2, colour));
      pen.fillStyle = paint;
      pen.fillRect(0, 0, 61, 37);
      pen.fillStyle = "#fff";
      pen.font = "20px sans-serif";
      pen.fillText("Picture", 2, 25);
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      return [[...bytes], [...pen.getImageData(0, 0, 61, 37).data]];
    })()""")
    rows = Picture.decode(bytes(data)).rows
    assert b"".join(rows) == bytes(byte for i, byte in enumerate(pixels) if i % 4 != 3)
    page.close()
