"""Tests of the page alone: what it makes of frames, and what it sends for what a person does."""

import datetime
import json

from screen import Screen, address


def text(words, **more):
    return {"kind": "text", "text": words, **more}


def button(words, **more):
    return {"kind": "button", "text": words, "action": 1, **more}


def rows(kinds, **more):
    return {"kind": "list", "children": [{"kind": "forEach", "children": kinds}], **more}


TAP = {"gesture": "tap"}
VALUE = "document.querySelector('input, textarea').value"
CARET = "[document.activeElement.selectionStart, document.activeElement.selectionEnd]"


# What is shown


EVERYTHING = {"kind": "screen", "title": "Everything", "children": [
    text("Hello"), {"kind": "heading", "text": "Part"}, {"kind": "icon", "text": "★", "label": "Star"},
    {"kind": "progress", "value": 0.5, "label": "Loading"}, {"kind": "badge", "text": "new"}, button("Save", hint="Keeps it"),
    {"kind": "link", "text": "Site", "href": "https://example.org/"}, None,
    {"kind": "textField", "label": "Name", "bind": 1, "value": "Blob"},
    {"kind": "textField", "label": "Find", "style": "search", "bind": 1, "value": "Blob"},
    {"kind": "secureField", "label": "Password", "labelHidden": True, "bind": 1},
    {"kind": "textEditor", "label": "Notes", "bind": 1, "value": "a\nb"},
    {"kind": "toggle", "label": "Done", "bind": 1, "value": True}, {"kind": "toggle", "label": "On", "style": "switch", "bind": 1},
    {"kind": "picker", "label": "Size", "bind": 1, "options": ["S", "M"], "value": "M"},
    {"kind": "picker", "label": "Filter", "style": "segmented", "bind": 1, "options": [{"value": 1, "label": "All"}, {"value": 2, "label": "Few"}], "value": 2},
    {"kind": "slider", "label": "Volume", "bind": 1, "value": 0.25}, {"kind": "stepper", "label": "Count", "bind": 1, "value": 3},
    {"kind": "datePicker", "label": "Day", "bind": 1, "value": "2024-05-01"},
    {"kind": "file", "label": "Picture", "bind": 1, "value": "cat.png"}, {"kind": "file", "label": "Letter", "bind": 1, "hint": "At most 2 MB"},
    {"kind": "section", "title": "More", "footer": "The end", "children": [{"kind": "disclosure", "label": "Details", "children": [text("Inside")]}]},
    {"kind": "table", "label": "Prices", "columns": [{"title": "What"}, {"title": "Price"}], "children": [
        {"kind": "forEach", "children": [{"kind": "row", "id": 1, "children": [text("Tea"), {"kind": "number", "value": 2.5, "digits": 2}]}]}]},
    {"kind": "toolbar", "label": "Tools", "children": [button("Go", disabled=True)]},
]}


def test_shows_elements_with_roles_and_names(browser):
    screen = Screen(browser, EVERYTHING)
    tree = "\n".join(line.strip() for line in screen.page.tree())
    for line in ('heading "Everything"', 'heading "Part"', 'image "Star"', 'progressbar "Loading"', 'button "Save"', 'link "Site"',
                 'textbox "Name"', 'searchbox "Find"', 'button "Clear"', 'textbox "Password"', 'textbox "Notes"', 'checkbox "Done" checked', 'switch "On"', 'combobox "Size"',
                 'radiogroup "Filter"', 'radio "Few" checked', 'slider "Volume"', 'spinbutton "Count"', 'Date "Day"', 'button "Picture"', 'heading "More"',
                 'DisclosureTriangle "Details"', 'table "Prices"', 'columnheader "Price"', 'cell "2.50"', 'toolbar "Tools"', 'button "Go" disabled'):
        assert line in tree, f"{line} is not in\n{tree}"
    assert screen.page.run("document.title") == "Everything"
    assert screen.page.run(f"{VALUE}") == "Blob"


def test_icons_are_files_by_their_names_and_signs_are_texts(browser):
    screen = Screen(browser)
    screen.hear([1, [[0, [], {"kind": "column", "children": [
        {"kind": "icon", "text": "star", "label": "Favourite"}, {"kind": "icon", "text": "★", "label": "Sign"}, {"kind": "icon", "text": "check"},
        button("Add", icon="plus"), {"kind": "button", "label": "Close", "icon": "x", "action": 1}, {"kind": "menu", "label": "More", "icon": "ellipsis"},
        {"kind": "icon", "text": "../page.js?<b>", "label": "Evil"},
        rows([[0, [[1, 3]], ["star", "bell", "zap"]]])]}]], [{"kind": "row", "children": [{"kind": "icon", "text": []}]}]])
    used = "[...document.querySelectorAll('main use')].map(u => u.getAttribute('href'))"
    names = ["star", "check", "plus", "x", "ellipsis", "star", "bell", "zap"]
    assert screen.page.run(used) == [f"/icons/{name}.svg?b#i" for name in names]
    tree = "\n".join(screen.page.tree())
    for line in ('image "Favourite"', 'image "Sign"', 'image "check"', 'button "Add"', 'button "Close"', 'image "bell"'):
        assert line in tree, f"{line} is not in\n{tree}"
    assert screen.page.run("document.querySelectorAll('main :is(b, img)').length") == 0
    assert screen.page.run("[...document.querySelectorAll('main svg')].map(s => s.getAttribute('class'))") == [
        "sign", "sign", "sign leading", "sign", "sign leading", "sign", "sign", "sign"]
    screen.page.equal("document.querySelector('button').innerText.trim()", "Add")


def test_a_menu_shows_its_icon_alone_and_is_called_by_its_label(browser):
    def menu(**more):
        return {"kind": "menu", "label": "More", "children": [button("Remove")], **more}
    screen = Screen(browser, {"kind": "row", "children": [menu(icon="ellipsis", labelHidden=True), menu(labelHidden=True), menu(icon="ellipsis")]})
    assert screen.page.run("[...document.querySelectorAll('summary')].map(s => s.innerText.trim())") == ["", "More", "More"]
    names = [line.strip() for line in screen.page.tree() if "DisclosureTriangle" in line]
    # The sign behind the label is not read out.
    assert names == ['DisclosureTriangle "More"'] * 3, names
    assert screen.page.run("document.querySelectorAll('summary use').length") == 2


def test_an_icon_changes_and_goes(browser):
    screen = Screen(browser, {"kind": "column", "children": [button("Play", icon="play"), {"kind": "icon", "text": "sun"}]})
    used = "[...document.querySelectorAll('main use')].map(u => u.getAttribute('href').split('?')[0])"
    screen.frame([1, [1], {"icon": "pause", "text": "Pause"}], [1, [2], {"text": "moon"}])
    assert screen.page.run(used) == ["/icons/pause.svg", "/icons/moon.svg"]
    assert screen.page.run("document.querySelector('button').textContent.trim()") == "Pause"
    screen.frame([1, [1], {"icon": None}], [1, [2], {"text": "☾"}])
    assert screen.page.run(used) == []
    assert screen.page.run("document.querySelector('button').textContent") == "Pause"


def test_a_button_copies_its_text_also_where_the_browser_has_no_clipboard(browser):
    def copied(page):
        return page.run("document.querySelector('#status').textContent")
    screen = Screen(browser, {"kind": "column", "children": [button("Copy", copy="one\ntwo"), {"kind": "textField", "label": "Name", "bind": 1}]})
    page = screen.page
    page.run("window.written = []; navigator.clipboard.writeText = async text => { written.push(text); }; 0")
    page.click("main button")
    page.equal("written", ["one\ntwo"])
    assert copied(page) == "Copied"
    page.run("Object.defineProperty(navigator, 'clipboard', {value: undefined});"
             "document.execCommand = command => { written.push(command, getSelection().toString()); return true; }; 0")
    page.click("main button")
    page.equal("written", ["one\ntwo", "copy", "one\ntwo"])
    assert page.run("document.activeElement.innerText") == "Copy"
    assert page.run("document.querySelectorAll('textarea').length") == 0
    page.run("document.execCommand = () => false; 0")
    page.click("main button")
    page.wait("document.querySelector('#status').textContent.includes('does not let')")
    assert screen.gestures() == []


def test_a_drawing_is_svg_whose_shapes_are_tapped_and_reached_by_keys(browser):
    def shape(form, **more):
        return {"kind": "shape", "shape": form, **more}
    screen = Screen(browser, {"kind": "column", "children": [{"kind": "canvas", "width": 200, "height": 100, "label": "Sales", "children": [
        shape("line", x1=0, y1=0, x2=200, y2=100), shape("path", d="M0 100 L100 50 L200 80", stroke="danger", strokeWidth=3),
        shape("rect", x=10, y=10, width=30, height=30, fill="#123456", label="Bar", onTap=1),
        shape("circle", x=100, y=50, radius=10, fill="accent", label="May", onTap=1, disabled=True), shape("text", x=50, y=50, text="Total", size=12),
        shape("circle", x=1, y=1, radius=1, fill="url(//evil)"), shape("script", text="alert(1)")]}]})
    tree = "\n".join(screen.page.tree())
    for line in ('group "Sales"', 'button "Bar"', 'button "May" disabled'):
        assert line in tree, f"{line} is not in\n{tree}"
    box = "(s => { const {width, height} = document.querySelector(s).getBBox(); return [width, height]; })"
    assert screen.page.run(f"{box}('.canvas path')") == [200, 50]
    assert screen.page.run("getComputedStyle(document.querySelector('.canvas rect')).fill") == "rgb(18, 52, 86)"
    assert screen.page.run("getComputedStyle(document.querySelector('.canvas path')).stroke") == "rgb(194, 42, 42)"
    assert screen.page.run("getComputedStyle(document.querySelector('.canvas path')).fill") == "none"
    assert screen.page.run("document.querySelector('main').innerHTML.match(/evil|<script/)") is None
    screen.page.click(".canvas rect")
    screen.page.run("document.querySelector('.canvas rect').focus()")
    screen.page.press("Enter")
    screen.page.press(" ")
    sent = [g for g in screen.gestures() if g["gesture"] == "tap"]
    assert sent == [{**TAP, "path": [1, 3]}] * 3, sent
    assert screen.page.run("document.querySelector('.canvas circle').tabIndex") == -1
    screen.page.click(".canvas circle")
    assert not [g for g in screen.gestures() if g["gesture"] == "tap"]
    screen.frame([1, [1, 3], {"fill": "#000000", "x": 90}], [2, [1], [shape("circle", x=5, y=5, radius=5)]])
    assert screen.page.run("document.querySelector('.canvas rect').getAttribute('x')") == "90"
    assert screen.page.run("document.querySelectorAll('.canvas circle').length") == 3


def test_unknown_elements_show_what_is_in_them(browser):
    screen = Screen(browser, {"kind": "chart", "children": [text("Inside")]})
    screen.page.equal("document.querySelector('main').innerText.split(/\\n+/)", ["unknown element 'chart'", "Inside"])


def test_markup_and_addresses_of_a_state_stay_texts(browser):
    evil = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    screen = Screen(browser, {"kind": "column", "children": [
        text(evil), button(evil), {"kind": "textField", "label": evil, "value": evil, "bind": 1, "prompt": evil, "error": evil},
        {"kind": "link", "text": evil}, {"kind": "picker", "label": evil, "options": [evil], "bind": 1},
        {"kind": "tabs", "children": [{"kind": "group", "label": evil, "title": evil}]}]})
    assert screen.page.run("document.querySelectorAll('main :is(img, script)').length") == 0
    assert screen.page.run("document.querySelectorAll('main a').length") == 0


def test_data_never_becomes_elements(browser):
    evil = ["meta", {"http-equiv": "refresh", "content": "0;url=/gone"}]
    screen = Screen(browser, {"kind": "column", "children": [
        {"kind": "picker", "label": "A", "options": [{"value": 1, "label": evil}, {"value": evil, "label": "x"}, evil], "bind": 1},
        {"kind": "picker", "label": "B", "style": "radio", "options": [{"value": 1, "label": evil}], "bind": 1},
        {"kind": "table", "label": "T", "columns": [{"title": evil}, evil], "children": []}, {"kind": "host", "text": evil},
        {"kind": "textField", "label": evil, "error": evil, "prompt": evil, "bind": 1}, {"kind": "section", "title": evil, "footer": evil},
        {"kind": "heading", "text": evil}, {"kind": "badge", "text": {"kind": "image"}}, {"kind": "chart", "text": evil},
        rows([{"kind": "text", "id": i, "text": evil, "label": evil} for i in range(4)]), text("last")]})
    screen.hear([2, [[2, [], [rows([[0, [[1, 4]], [evil, evil, evil, evil]]])]]], [text([])]])
    screen.frame([1, [6], {"title": evil}])
    assert screen.page.run("document.querySelectorAll('main :is(meta, img)').length") == 0
    assert "last" in screen.page.run("document.querySelector('main').innerText")


ODD = [0.5, -1, 1e308, "x", True, {"a": 1}, [1, 2], [], "toString", "__proto__", 1e21]


def test_the_unit_of_bytes_is_that_of_their_rounded_amount(browser):
    def amount(value, **more):
        return {"kind": "number", "value": value, "style": "bytes", **more}
    screen = Screen(browser, {"kind": "column", "children": [amount(999), amount(999.7), amount(999_949), amount(999_950), amount(999_950, digits=2), amount(10**18)]})
    shown = screen.page.run("document.querySelector('main').innerText").split()
    assert shown == ["999", "byte", "1", "kB", "999.9", "kB", "1", "MB", "999.95", "kB", "1,000", "PB"], shown


def test_the_unit_of_a_relative_time_is_that_of_its_rounded_amount(browser):
    minute, hour, day = 60, 3600, 86400
    expected = {0: "now", 59.4: "59 seconds ago", 59.7: "1 minute ago", hour - 31: "59 minutes ago", hour - 1: "1 hour ago", -hour + 1: "in 1 hour",
                day - 15 * minute: "yesterday", 30.4 * day: "30 days ago", 30.6 * day: "last month", 364.9 * day: "last year", 800 * day: "2 years ago"}
    now = datetime.datetime(2026, 5, 1, tzinfo=datetime.timezone.utc)
    dates = [{"kind": "date", "style": "relative", "value": (now - datetime.timedelta(seconds=seconds)).isoformat(timespec="milliseconds")} for seconds in expected]
    screen = Screen(browser)
    screen.page.run(f"Date.now = () => {now.timestamp() * 1000}; 0")
    screen.frame([0, [], {"kind": "column", "children": dates}])
    screen.page.equal("[...document.querySelectorAll('.date')].map(e => e.textContent)", list(expected.values()))


def test_a_day_has_no_time_to_show(browser):
    screen = Screen(browser, {"kind": "column", "children": [
        {"kind": "date", "value": "2026-01-02", **style} for style in ({}, {"style": "date"}, {"style": "dateTime"}, {"style": "time"})]})
    screen.page.equal("[...document.querySelectorAll('.date')].map(e => e.textContent)", ["Jan 2, 2026"] * 4)


def test_no_odd_value_blanks_the_page(browser):
    nodes = [{"kind": "number", "value": 0.5, "style": "bytes"}, {"kind": "number", "value": 1, "digits": -1},
             {"kind": "datePicker", "label": "D", "bind": 1, "value": 5}, {"kind": "datePicker", "label": "D", "style": "dateTime", "bind": 1, "value": 5},
             {"kind": "picker", "label": "P", "options": {"a": 1}, "bind": 1}, {"kind": "toString"}, {"kind": "__proto__"}]
    keys = ["value", "digits", "style", "currency", "level", "lines", "columns", "options", "min", "max", "step", "shortcut", "keyboard", "label",
            "title", "text", "hint", "name", "selected", "spacing", "align", "grow", "class", "error", "focused", "sheet", "href"]
    kinds = ["text", "heading", "image", "progress", "date", "number", "button", "link", "textField", "textEditor", "toggle", "picker", "slider",
             "stepper", "datePicker", "row", "grid", "list", "table", "tabs", "disclosure", "form", "host"]
    odd = [{"kind": kind, key: value} for kind in kinds for key in keys for value in ODD]
    screen = Screen(browser, {"kind": "column", "children": nodes + odd + [text("last")]})
    assert screen.page.run("document.querySelector('main').innerText").endswith("last")
    # The same as changes of what was well before.
    screen.frame([0, [], {"kind": "column", "children": [{"kind": node["kind"], "label": "L"} for node in odd] + [text("last")]}])
    screen.frame(*([1, [i + 1], {key: value for key, value in node.items() if key != "kind"}] for i, node in enumerate(odd)))
    assert screen.page.run("document.querySelector('main').innerText").endswith("last")
    for animation in (dict(duration=-1), dict(duration="x"), "x", dict(a=1), [], -1):
        screen.frame([2, [], [rows([text("row", id=1)])]], more=[0, animation])
    assert screen.page.run("document.querySelectorAll('li').length") == 6


def test_names_of_fields_hide_no_property_of_their_form(browser):
    names = ["localName", "o", "childNodes", "firstChild", "lastChild", "parentNode", "className", "children", "querySelector", "querySelectorAll",
             "contains", "closest", "remove", "insertBefore", "append", "id", "style", "dataset", "attributes", "setAttribute", "isConnected", "nodeType"]
    field = lambda name: {"kind": "textField", "label": name, "name": name, "bind": 1, "value": "v"}
    screen = Screen(browser, {"kind": "form", "onSubmit": 1, "focus": 1, "focused": None, "children": [field(name) for name in names] + [
        {"kind": "image", "name": "body", "label": "i", "source": "data:,"}]})
    for step, name in enumerate(names):
        screen.page.run(f"document.querySelectorAll('input')[{step}].focus()")
        assert {"path": [step + 1], "gesture": "focus"} in screen.gestures(), name
    screen.hear({"seen": len(names)})
    screen.frame([1, [], {"class": "other"}], [1, [1], {"value": "new"}], [2, [], [text("more")]])
    screen.page.equal("[...document.querySelectorAll('input')].map(f => f.value).join()", ",".join(["new"] + ["v"] * (len(names) - 1)))
    screen.frame([1, [], {"focused": "childNodes"}], [2, [], [text("end")]])
    assert screen.page.run("document.querySelector('form').innerText").strip().endswith("end")


def test_a_date_is_typed_where_there_is_a_first_day(browser):
    screen = Screen(browser, {"kind": "datePicker", "label": "D", "bind": 1, "min": "2024-01-01", "value": None})
    screen.page.run("document.querySelector('input').focus()")
    screen.page.run("document.querySelector('input').value = '0002-05-03'; document.querySelector('input').dispatchEvent(new Event('change', {bubbles: true}))")
    assert screen.gestures() == []
    # Frames that come meanwhile leave alone what is typed.
    screen.frame([1, [], {"hint": "other"}])
    screen.page.equal(VALUE, "0002-05-03")
    screen.page.run("document.querySelector('input').value = '2026-05-03'; document.querySelector('input').dispatchEvent(new Event('change', {bubbles: true}))")
    assert screen.gestures() == [{"path": [], "gesture": "enter", "value": "2026-05-03"}]
    # What is out of the range when the field is left is sent, so that the server says why it is refused.
    screen.hear({"seen": 1})
    screen.page.run("document.querySelector('input').value = '0002-05-03'; document.querySelector('input').dispatchEvent(new Event('change', {bubbles: true}))")
    screen.page.run("document.querySelector('input').blur()")
    assert screen.gestures() == [{"path": [], "gesture": "enter", "value": "0002-05-03"}]


def test_a_javascript_address_does_nothing_even_if_the_server_lets_it_through(browser):
    screen = Screen(browser, {"kind": "link", "text": "Go", "href": "javascript:document.title='run'"})
    screen.page.run("document.querySelector('.link').click()")
    assert screen.page.run("document.title") != "run"
    assert not [a for a in screen.page.run("[...document.querySelectorAll('a')].map(a => a.protocol)") if a == "javascript:"]


def test_what_has_no_safe_address_says_so_and_does_not_look_like_a_link(browser):
    screen = Screen(browser, {"kind": "column", "children": [
        *({"kind": "link", "text": "Go", **more} for more in ({}, {"href": "javascript:x"}, {"href": "//evil.org"}, {"href": "/\\\\evil.org"})),
        {"kind": "image", "label": "Cat", "source": "javascript:x"}, {"kind": "image", "source": "mailto:a@b.c"},
        {"kind": "link", "text": "There", "href": "https://example.org/"}, {"kind": "link", "text": "Do", "action": 1}]})
    shown = screen.page.run("document.querySelector('main').innerText").split("\n")
    assert [line for line in shown if line] == ["Go address left out"] * 4 + ["address left out"] * 2 + ["There", "Do"], shown
    assert screen.page.run("document.querySelectorAll('a, img').length") == 1
    colours = screen.page.run("[...document.querySelectorAll('main > .n, .link')].map(e => getComputedStyle(e).color)")
    assert colours[1] == colours[0] != colours[-1], colours
    assert 'image "Cat"' in "\n".join(screen.page.tree())


def test_runs_are_rows_of_a_template(browser):
    screen = Screen(browser, None)
    template = {"kind": "row", "children": [text([]), {"kind": "toggle", "label": "Done", "bind": 1, "value": []}]}
    screen.hear([1, [[0, [], rows([[0, [[1, 2], 7], ["Milk", False, "Bread", True, "Tea", False]]])]], [template]])
    screen.page.equal("[...document.querySelectorAll('li')].map(e => e.querySelector('p').innerText + e.querySelector('input').checked)",
                      ["Milkfalse", "Breadtrue", "Teafalse"])
    screen.frame([2, [1], [[0, [9], ["Jam", True]]], [7]], more=[[template]])
    screen.page.equal("[...document.querySelectorAll('li p')].map(e => e.textContent).filter(Boolean)", ["Milk", "Bread", "Jam", "Tea"])


def test_a_disclosure_in_a_row_of_a_template_stays_as_the_person_left_it(browser):
    screen = Screen(browser, None)
    template = {"kind": "disclosure", "label": "Details", "children": [text([])]}
    screen.frame([0, [], {"kind": "form", "children": [rows([[0, [[1, 3]], ["Milk", "Bread", "Tea"]]])]}], more=[[template]])
    are_open = "[...document.querySelectorAll('details')].map(e => e.open)"
    screen.page.equal(are_open, [True, True, True])
    screen.page.click("li:nth-child(2) summary")
    screen.page.equal(are_open, [True, False, True])
    # All that is in the form is drawn again.
    screen.frame([1, [], {"disabled": True}])
    screen.page.equal(are_open, [True, False, True])
    screen.frame([1, [1, 1, [2]], {"label": "More"}])
    screen.page.equal("[...document.querySelectorAll('summary')].map(e => e.textContent)", ["Details", "More", "Details"])
    screen.page.equal(are_open, [True, False, True])


def test_changes_lead_to_what_is_made_from_nothing(browser):
    screen = Screen(browser, {"kind": "column", "children": [
        text("a"), None, {"kind": "list", "children": [{"kind": "forEach", "children": [text(str(i), id=i) for i in range(5)]}]},
        {"kind": "heading", "text": "h", "level": 2}]})
    screen.frame([1, [1], {"text": "b", "tone": "danger"}], [0, [2], button("new")], [3, [3, 1, [1]]], [4, [-2, [4]], [0]],
                 [2, [3, 1], [text("x", id="x"), None and 0 or text("y", id="y")], [2]], [1, [4], {"level": 4}])
    screen.page.equal("[...document.querySelectorAll('main .n:not(.place)')].map(e => e.localName + ' ' + e.className + (e.childElementCount ? '' : ' ' + e.textContent))", [
        "div n column", "p n text tone-danger b", "button n button new", "ul n list", "p n text 4", "p n text 0", "p n text x", "p n text y", "p n text 2",
        "p n text 3", "h4 n heading h"])
    screen.frame([1, [1], {"tone": None}], [3, [4]], [0, [2], None], [2, [], [text("end")]])
    screen.page.equal("[...document.querySelectorAll('main > .n > :not(ul)')].map(e => e.className + e.textContent)", ["n textb", "n textend"])


def test_an_error_stays_in_its_place_above_the_last_good_tree(browser):
    screen = Screen(browser, rows([text("good", id=1), {"kind": "failed", "id": 2, "error": {"message": "boom", "location": "a.lua:3"}, "children": [text("old")]}]))
    screen.page.equal("[...document.querySelectorAll('li')].map(e => e.innerText.split(/\\n+/))", [["good"], ["boom", "a.lua:3", "old"]])
    screen.frame([0, [1, [2]], text("well", id=2)])
    screen.page.equal("document.querySelectorAll('li')[1].innerText", "well")


def perceived(screen, *roles):
    """The name and the description of each node of these roles, in the order of the tree that assistive technology gets."""
    nodes = screen.page.call("Accessibility.getFullAXTree")["nodes"]
    return [(node["name"].get("value", ""), node.get("description", {}).get("value", ""))
            for node in nodes if not node.get("ignored") and node["role"]["value"] in roles]


def test_an_error_describes_its_control_and_the_hint_does_so_still(browser):
    screen = Screen(browser, {"kind": "form", "children": [
        field(label="Name", hint="As in the passport", error="is needed"), field(label="City", hint="Where you live"),
        {"kind": "secureField", "label": "Password", "bind": 1, "error": "too short"}, {"kind": "textEditor", "label": "Notes", "bind": 1, "error": "too long"},
        {"kind": "picker", "label": "Size", "style": "radio", "options": ["S", "M"], "bind": 1, "error": "sold out"}]})
    assert sorted(perceived(screen, "textbox")) == [
        ("City", "Where you live"), ("Name", "As in the passport is needed"), ("Notes", "too long"), ("Password", "too short")]
    assert perceived(screen, "radiogroup") == [("Size", "sold out")]
    screen.frame([1, [1], {"error": None}], [1, [2], {"error": "no such city"}])
    screen.page.equal("[...document.querySelectorAll('[aria-invalid], [aria-describedby]')].map(e => e.localName)", ["input", "input", "textarea", "fieldset"])
    assert ("Name", "As in the passport") in perceived(screen, "textbox")
    assert ("City", "Where you live no such city") in perceived(screen, "textbox")


def test_errors_in_rows_of_one_shape_describe_their_own_fields(browser):
    screen = Screen(browser)
    shape = {"kind": "row", "children": [{"kind": "textField", "label": "Name", "bind": 1, "error": []}]}
    screen.hear([1, [[0, [], rows([[0, [[1, 2]], ["too short", "too long"]]])]], [shape]])
    assert sorted(perceived(screen, "textbox")) == [("Name", "too long"), ("Name", "too short")]


def test_tabs_texts_boxes_and_progress_are_called_by_their_labels(browser):
    screen = Screen(browser, {"kind": "column", "children": [
        {"kind": "tabs", "label": "Planner", "children": [{"kind": "column", "label": name, "children": [text("in " + name)]} for name in ("Days", "Places")]},
        text("12", label="Guests"), {"kind": "badge", "text": "3", "label": "News"}, {"kind": "scroll", "label": "Log", "children": [text("a")]},
        {"kind": "heading", "text": "Hello", "label": "Greeting"},
        {"kind": "progress", "label": "Loaded", "value": 0.5}, {"kind": "progress", "label": "Waiting", "style": "spinner"}]})
    assert perceived(screen, "tablist") == [("Planner", "")] and perceived(screen, "tabpanel") == [("Days", "")]
    screen.page.click("[role=tab]:nth-child(2)")
    screen.page.equal("document.querySelector('[role=tab][aria-selected=true]').innerText", "Places")
    assert perceived(screen, "tabpanel") == [("Places", "")]
    assert screen.page.run("[...document.querySelectorAll('[role=tab]')].every(e => document.getElementById(e.getAttribute('aria-controls')).role == 'tabpanel')")
    assert {name for name, _ in perceived(screen, "group")} >= {"Guests", "News", "Log"}
    assert perceived(screen, "heading") == [("Greeting", "")]
    assert perceived(screen, "progressbar") == [("Loaded", ""), ("Waiting", "")]
    shown = screen.page.run("document.querySelector('main').innerText")
    assert "Loaded" in shown and "Waiting" in shown
    screen.frame([1, [6], {"label": None}])
    screen.page.equal("document.querySelector('main').innerText.includes('Loaded')", False)


def test_the_value_beside_a_slider_is_only_seen(browser):
    screen = Screen(browser, {"kind": "slider", "label": "Volume", "bind": 1, "value": 0.25})
    assert perceived(screen, "slider") == [("Volume", "")]
    assert screen.page.run("(e => [e.innerText, e.ariaHidden])(document.querySelector('output'))") == ["0.25", "true"]


def test_texts_and_fields_have_the_direction_of_their_letters(browser):
    side = """[...document.querySelectorAll('main p')].filter(e => e.textContent).map(e => { const range = document.createRange(); range.selectNodeContents(e);
        const [text, box] = [range, e].map(part => part.getBoundingClientRect()); return Math.abs(text.left - box.left) < 1 ? "left" : Math.abs(text.right - box.right) < 1 ? "right" : "?"; })"""
    screen = Screen(browser, {"kind": "column", "children": [text("Hello, עולם!"), text("שלום, world!"), field(value="שלום"), field(value="Hello")]})
    assert screen.page.run(side) == ["left", "right"]
    assert screen.page.run("[...document.querySelectorAll('input')].map(e => getComputedStyle(e).direction)") == ["rtl", "ltr"]


def test_the_page_is_in_the_language_that_its_texts_name(browser):
    screen = Screen(browser, text("Hallo"))
    assert screen.page.run("document.documentElement.lang") == "en"
    screen.hear({"hello": {"page": "p", "build": "b", "seen": 0, "texts": {"language": "de"}}})
    assert screen.page.run("document.documentElement.lang") == "de"


def test_a_plain_button_begins_where_the_texts_around_it_do(browser):
    screen = Screen(browser, {"kind": "column", "children": [text("Text"), button("Plain", style="plain")]})
    left = """[...document.querySelectorAll('main p, main button')].map(e => { const range = document.createRange(); range.selectNodeContents(e);
        return Math.round(range.getBoundingClientRect().left); })"""
    assert len(set(screen.page.run(left))) == 1, screen.page.run(left)


def test_tabs_and_disclosures_without_a_binding_are_the_readers(browser):
    screen = Screen(browser, {"kind": "column", "children": [
        {"kind": "tabs", "children": [{"kind": "group", "title": t, "children": [text("in " + t)]} for t in ("One", "Two")]},
        {"kind": "disclosure", "label": "More", "children": [text("hidden?")], "value": False}]})
    screen.page.equal("[...document.querySelectorAll('[role=tab]')].map(e => e.textContent + e.ariaSelected)", ["Onetrue", "Twofalse"])
    screen.page.click("[role=tab]:nth-child(2)")
    screen.page.equal("document.querySelector('[role=tabpanel]').innerText.includes('in Two')", True)
    screen.page.press("ArrowLeft")
    screen.page.equal("document.querySelector('[role=tabpanel]').innerText.includes('in One')", True)
    screen.page.click("summary")
    screen.page.equal("document.querySelector('details').open", True)
    assert screen.gestures() == []


def test_bound_tabs_and_disclosures_ask(browser):
    screen = Screen(browser, {"kind": "column", "children": [
        {"kind": "tabs", "bind": 1, "value": "b", "children": [{"kind": "group", "label": "A", "name": "a"}, {"kind": "group", "label": "B", "name": "b"}]},
        {"kind": "disclosure", "bind": 1, "value": False, "label": "More", "children": [text("x")]}]})
    screen.page.equal("[...document.querySelectorAll('[role=tab]')].map(e => e.ariaSelected)", ["false", "true"])
    screen.page.click("[role=tab]")
    screen.page.click("summary")
    assert screen.gestures() == [{"path": [1, 1], **TAP}, {"path": [2], "gesture": "enter", "value": True}]
    screen.frame([1, [1], {"value": "a"}])
    screen.hear({"seen": 2})
    screen.page.equal("[...document.querySelectorAll('[role=tab]')].map(e => e.ariaSelected)", ["true", "false"])
    screen.page.equal("document.querySelector('details').open", False)


def test_a_navigation_shows_its_top_with_a_way_back(browser):
    screen = Screen(browser, {"kind": "navigation", "children": [
        {"kind": "child", "children": [{"kind": "screen", "title": "Articles", "children": [button("Open")]}]}, {"kind": "forEach"}]})
    screen.frame([2, [2], [{"kind": "child", "id": 0, "children": [{"kind": "screen", "title": "Article", "children": [text("Long")]}]}]])
    screen.page.equal("document.querySelector('main').innerText.split(/\\n+/)", ["‹ Articles", "Article", "Long"])
    screen.page.click(".back")
    screen.page.press("Escape")
    # By the path of the entry, the server knows in which tab it is.
    assert screen.gestures() == [{"path": [2, [0]], "gesture": "back"}] * 2
    screen.frame([3, [2, [0]]])
    screen.page.equal("document.querySelector('main').innerText.split(/\\n+/)", ["Articles", "Open"])


# The look


# The words of which the letters are on more than one line.
BROKEN = """(() => {
  const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node; node = walker.nextNode();)
    for (const {0: word, index} of node.data.matchAll(/\\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) found.push(word);
    }
  return found;
})()"""
WIDER = "[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth - 15).map(e => e.className)"


def test_no_word_is_broken_and_nothing_sticks_out_in_narrow_rows(browser):
    menu = {"kind": "menu", "label": "More", "children": [button("Remove")]}
    badge = {"kind": "badge", "text": "In progress"}
    card = [button("Write the instructions", grow=True), badge, menu]
    title = {"kind": "column", "children": [text("Configuration management"), text("Subtitle", style="caption")]}
    toggle = {"kind": "toggle", "label": "Done", "labelHidden": True, "bind": 1}
    row = lambda *children, **more: {"kind": "row", "children": list(children), **more}
    lines = [
        row(*card), row({"kind": "forEach", "children": [{**c, "id": i} for i, c in enumerate(card)]}), row(*card, wrap=True),
        row({"kind": "icon", "text": "★"}, title, {"kind": "spacer"}, badge), row(toggle, field(), badge), row(text("Loading now"), {"kind": "progress", "value": 1}),
        row(button("Primary"), button("Remove everything"), {"kind": "link", "text": "Documentation", "href": "/"}), {"kind": "toolbar", "children": card},
        row(*[{**badge, "text": f"tag number {i}"} for i in range(9)]), row(*[{**title, "grow": True}] * 3), row(row(*card), badge),
        {"kind": "picker", "label": "Show", "style": "segmented", "bind": 1, "options": ["Completed", "Everything", "Few"]},
        {"kind": "tabs", "children": [{"kind": "group", "label": f"Beginning {i}"} for i in range(4)]},
        {"kind": "list", "style": "cards", "onMove": 1, "onDelete": 1, "children": [row(*card, id=1)]},
        {"kind": "scroll", "axis": "horizontal", "children": [title] * 3}]
    screen = Screen(browser, {"kind": "screen", "children": lines}, width=900)
    for width in (258, 320, 390, 900):
        screen.page.call("Emulation.setDeviceMetricsOverride", width=width, height=700, deviceScaleFactor=1, mobile=False)
        screen.page.equal(BROKEN, [])
        screen.page.equal("document.documentElement.scrollWidth <= innerWidth", True)
        screen.page.equal(WIDER + ".filter(name => !/text|column/.test(name))", [])


def test_a_word_that_is_wider_than_its_row_is_broken(browser):
    word = "Donaudampfschifffahrtsgesellschaft" * 2
    screen = Screen(browser, {"kind": "screen", "children": [
        {"kind": "row", "children": [text(word), button("Go")]}, {"kind": "row", "children": [button(word, grow=True), {"kind": "badge", "text": word}]},
        {"kind": "row", "children": [{"kind": "column", "children": [text(word)]}]}, rows([{"kind": "row", "id": 1, "children": [text(word), button("Go")]}], onDelete=1),
        {"kind": "picker", "label": "P", "style": "segmented", "bind": 1, "options": [word, "b"]}]}, width=320)
    assert len(screen.page.run(BROKEN)) == 6
    screen.page.equal(WIDER, [])


def test_a_row_leaves_room_to_what_grows_and_keeps_short_texts_short(browser):
    screen = Screen(browser, {"kind": "row", "children": [text("Total"), {"kind": "spacer"}, text("a longer text"), {"kind": "badge", "text": "3"}]})
    left, right = screen.page.run("[document.querySelector('main p').getBoundingClientRect().width, innerWidth - document.querySelector('.badge').getBoundingClientRect().right]")
    gap = screen.page.run("innerWidth - document.querySelector('.row').getBoundingClientRect().right")
    assert left < 60 and abs(right - gap) < 1, (left, right, gap)
    screen.frame([0, [], {"kind": "row", "children": [text("many words " * 30), {"kind": "spacer"}, {"kind": "badge", "text": "3"}]}])
    assert screen.page.run("document.querySelector('main p').getBoundingClientRect().width / document.querySelector('.row').getBoundingClientRect().width") > 0.9


def test_all_cards_look_alike_and_rows_have_the_corners_of_their_list(browser):
    each = lambda words: {"kind": "forEach", "children": [text(c, id=c) for c in words]}
    look = "[...document.querySelectorAll('.cards li:not(.section)')].map(e => { const s = getComputedStyle(e); return s.borderColor + s.borderRadius; })"
    for children in ([each("abc")], [text("a"), text("b")], [{"kind": "child", "children": [each("ab")]}],
                     [{"kind": "section", "title": t, "children": [each("ab")]} for t in "xy"]):
        screen = Screen(browser, {"kind": "list", "style": "cards", "children": children})
        looks = screen.page.run(look)
        assert len(looks) > 1 and len(set(looks)) == 1, looks
        # Cards have a gap, also those in sections.
        assert min(b - a for a, b in zip(*[iter(screen.page.run("[...document.querySelectorAll('.cards li:not(.section)')].flatMap(e => [e.getBoundingClientRect().bottom, e.getBoundingClientRect().top]).slice(1, -1)"))] * 2)) > 4
        screen.frame([0, [], rows([text(c, id=c) for c in "abc"])])
        corners = screen.page.run("[...document.querySelectorAll('li')].map(e => getComputedStyle(e).borderRadius)")
        assert corners == ["12px 12px 0px 0px", "0px", "0px 0px 12px 12px"], corners
        screen.page.close()


# Presentations


def test_sheets_and_alerts_cover_and_are_dismissed(browser):
    alert = {"kind": "child", "children": [{"kind": "alert", "title": "Sure?", "message": "It goes.", "children": [button("Yes", role="destructive"), button("No", role="cancel")]}]}
    sheet = {"kind": "child", "children": [{"kind": "form", "label": "New", "children": [{"kind": "textField", "label": "Title", "bind": 1}]}]}
    screen = Screen(browser, {"kind": "screen", "title": "Root", "children": [button("Add")]})
    screen.frame([1, [], {"sheet": sheet}])
    screen.page.equal("document.activeElement.localName", "input")
    screen.page.type("a")
    screen.page.press("Escape")
    assert screen.gestures() == [{"path": ["sheet", 1, 1], "gesture": "type", "start": 0, "removed": 0, "inserted": "a"}, {"path": ["sheet"], "gesture": "dismiss"}]
    screen.frame([1, [], {"alert": alert}])
    screen.page.equal("[...document.querySelectorAll('dialog')].map(d => d.open + (d.role ?? 'dialog'))", ["truedialog", "truealertdialog"])
    assert any('alertdialog "Sure?"' in line for line in screen.page.tree()), screen.page.tree()
    screen.page.click("dialog.alert button")
    assert screen.gestures() == [{"path": ["alert", 1, 1], **TAP}]
    screen.frame([1, [], {"alert": None, "sheet": None}])
    screen.page.equal("document.querySelectorAll('dialog').length", 0)


def test_a_dialog_opens_above_a_sheet_below_it_and_closes_by_its_backdrop(browser):
    child = lambda *children: {"kind": "child", "children": [{"kind": "column", "children": list(children)}]}
    screen = Screen(browser, {"kind": "screen", "title": "Root", "alert": child(text("above"))})
    screen.frame([1, [], {"sheet": child(button("below"))}])
    assert screen.page.run("document.elementFromPoint(450, 350).closest('dialog').className") == "alert"
    screen.frame([1, [], {"alert": None}])
    screen.page.mouse("mousePressed", 5, 5, 1, 1)
    screen.page.mouse("mouseReleased", 5, 5, 0, 1)
    screen.page.click(".close")
    assert [m["gesture"] for m in screen.gestures()] == ["dismiss", "dismiss"]


def test_a_dialog_is_called_by_its_title_or_its_form_or_what_has_opened_it(browser):
    child = lambda *children: {"kind": "child", "children": list(children)}
    screen = Screen(browser, {"kind": "screen", "title": "Root", "children": [button("Show")]})
    screen.page.run("document.querySelector('.n.button').focus()")
    for inside, name in (({"kind": "screen", "title": "Editor"}, "Editor"), ({"kind": "form", "label": "New"}, "New"), (text("Hello"), "Show")):
        screen.frame([1, [], {"sheet": child(inside)}])
        assert any(line.strip().startswith(f'dialog "{name}"') for line in screen.page.tree()), screen.page.tree()
        screen.frame([1, [], {"sheet": None}])


def test_errors_for_the_author_are_above_a_dialog_and_can_be_closed_there(browser):
    child = {"kind": "child", "children": [{"kind": "form", "label": "New", "children": [button("Save")]}]}
    screen = Screen(browser, {"kind": "screen", "title": "Root", "children": [button("Add")]})
    screen.hear({"hello": {"page": "p", "build": "b", "seen": 0, "dev": 1}})
    screen.frame([0, [], {"kind": "screen", "title": "Root", "children": [button("Add")]}])
    screen.hear({"dev": {"problems": [{"kind": "error", "text": "boom", "location": "a.lua:3"}, {"kind": "error", "text": "newer", "location": "b.lua:4"}]}})
    screen.page.wait("document.querySelector('.dev-problems') != null")
    top = "(() => { const b = document.querySelector('.dev-problems').getBoundingClientRect(); return document.elementFromPoint(b.left + 12, b.top + 12).closest('.dev-problems') != null })()"
    screen.page.equal("document.querySelector('.dev-problems li').innerText.split(/\\n+/)", ["b.lua:4", "newer"])
    # What the page has to say covers neither them nor the bar.
    screen.page.click(".n.button")
    screen.hear({"refused": 1, "message": "That did not work"})
    screen.page.wait("document.styleSheets.length > 1")
    assert screen.page.run("""[".dev-problems", ".dev"].every(name => { const [a, b] = [name, "#status"].map(n => document.querySelector(n).getBoundingClientRect());
        return a.bottom <= b.top || b.bottom <= a.top; })""")
    screen.sent()
    screen.frame([1, [], {"sheet": child}])
    screen.page.wait("document.querySelector('dialog .dev-problems') != null")
    assert screen.page.run(top)
    screen.frame([1, [], {"sheet": None}])
    screen.page.wait("document.querySelector('body > .dev-problems') != null")
    screen.frame([1, [], {"sheet": child}])
    screen.page.wait("document.querySelector('dialog .dev-problems') != null")
    screen.sent()
    screen.page.click(".dev-problems > button")
    screen.page.equal("document.querySelector('.dev-problems') == null", True)
    assert screen.gestures() == []


def test_the_bar_asks_again_for_an_action_after_a_refusal(browser):
    screen = Screen(browser, text("Hello"))
    screen.hear({"hello": {"page": "p", "build": "b", "seen": 0, "dev": 1}})
    screen.page.wait("document.querySelector('.dev-strip') != null")
    screen.page.run("document.querySelector('.dev-strip button').click()")
    screen.sent()
    history = {"dev": {"history": {"first": 1, "last": 300, "at": 5}}}
    asked = [{"dev": "entries", "from": 5, "to": 5}]
    screen.hear(history, history)
    assert screen.sent() == asked
    screen.hear({"dev": {"refused": "the store is busy; try again"}}, history, history)
    assert screen.sent() == asked
    screen.hear({"dev": {"entries": [{"number": 5, "action": "add", "changes": []}]}})
    screen.page.equal("document.querySelector('.dev-details').innerText.includes('5 · add')", True)
    assert screen.sent() == []


def test_what_the_page_has_to_say_is_above_a_dialog(browser):
    child = {"kind": "child", "children": [{"kind": "form", "label": "New", "children": [button("Save")]}]}
    for width in (390, 900):
        screen = Screen(browser, {"kind": "screen", "title": "Root", "sheet": child}, width=width)
        screen.page.click("dialog .button")
        screen.hear({"refused": 1, "message": "That did not work"})
        screen.page.equal("""(() => { const r = document.querySelector('#status').getBoundingClientRect();
            return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2).id; })()""", "status")
        assert any('status' in line for line in screen.page.tree()), screen.page.tree()
        screen.frame([1, [], {"sheet": None}])
        screen.hear({"refused": 1, "message": "Again"})
        screen.page.equal("document.querySelector('body > #status').innerText", "Again")
        screen.page.close()


CIRCLE = {"kind": "canvas", "label": "Circle", "width": 9, "height": 9, "children": [
    {"kind": "shape", "shape": "circle", "x": 4, "y": 4, "radius": 4}]}


def test_what_few_screens_need_is_loaded_when_a_node_needs_it(browser):
    screen = Screen(browser, {"kind": "column", "children": [text("a"), rows([text("b", id=1)])]})
    loads = "performance.getEntriesByType('resource').filter(e => e.name.endsWith('/later.js')).length"
    assert screen.page.run(loads) == 0
    # The connection may be lost at that moment. The next node that needs it tries again.
    screen.page.call("Network.enable")
    screen.page.call("Network.setBlockedURLs", urls=["*/later.js"])
    screen.version += 1
    frame = [screen.version, [[0, [], {"kind": "column", "children": [CIRCLE]}]]]
    screen.page.run(f"hear({json.dumps(frame)}); new Promise(done => setTimeout(done, 300))")
    assert any("later.js" in error for error in screen.page.errors())
    assert screen.page.run("!!document.querySelector('.canvas g')")
    screen.page.call("Network.setBlockedURLs", urls=[])
    screen.frame([0, [], {"kind": "column", "children": [CIRCLE, text("again")]}])
    screen.page.wait("document.querySelector('.canvas circle') != null")
    # Its width is a number, and no word that has a class.
    assert screen.page.run("document.querySelector('.canvas').className.baseVal") == "n canvas"
    screen.page.close()


def test_each_row_of_a_template_is_drawn_again_when_what_it_needs_is_loaded(browser):
    screen = Screen(browser, None)
    template = {"kind": "row", "children": [text([]), CIRCLE]}
    screen.hear([1, [[0, [], rows([[0, [[1, 3]], ["a", "b", "c"]]])]], [template]])
    screen.page.wait("document.querySelector('.canvas circle') != null")
    screen.page.equal("[...document.querySelectorAll('.canvas')].map(e => e.firstChild.localName)", ["circle"] * 3)


def test_the_words_of_the_page_are_those_of_the_author(browser):
    words = {"notConnected": "Offline", "reconnecting": "Verbinde …", "back": "Zurück", "close": "Schließen", "delete": "Löschen", "move": "Verschieben",
             "undo": "Zurücknehmen", "increase": "Mehr", "decrease": "Weniger", "clear": "Leeren", "shortcuts": "Tasten"}
    child = {"kind": "child", "children": [{"kind": "column", "children": [{**rows([text("a", id=1)], onDelete=1, onMove=1)}, button("Go"),
        {"kind": "stepper", "label": "Count", "value": 1, "bind": 1}, field(value="a", style="search"), {"kind": "toast", "text": "Gone", "action": 1}]}]}
    screen = Screen(browser, None)
    screen.hear({"hello": {"page": "p", "build": "b", "seen": 0, "texts": words}})
    screen.frame([0, [], {"kind": "screen", "sheet": child}])
    tree = "\n".join(screen.page.tree())
    for line in ('button "Schließen"', 'button "Löschen a"', 'button "Verschieben a"', 'button "Mehr"', 'button "Weniger"', 'button "Leeren"', 'button "Zurücknehmen"'):
        assert line in tree, tree
    screen.frame([1, ["sheet", 1, 2], {"shortcut": "mod+g"}])
    screen.page.run("document.activeElement.blur()")
    screen.page.press("?")
    screen.page.equal("document.querySelector('.shortcuts')?.ariaLabel", "Tasten")
    assert screen.page.run("document.querySelector('.shortcuts .close').ariaLabel") == "Schließen"
    screen.page.press("Escape")
    screen.page.run("sockets.at(-1).close()")
    screen.page.click("dialog .n.button")
    screen.page.equal("document.querySelector('#status').innerText", "Offline")
    screen.page.equal("document.querySelector('#status').innerText", "Verbinde …")


def test_a_button_that_waits_for_its_answer_shows_it(browser):
    screen = Screen(browser, {"kind": "column", "children": [button("Slow"), button("Other")]})
    busy = "[...document.querySelectorAll('button')].map(b => b.ariaBusy)"
    moment = "new Promise(done => setTimeout(done, 310))"
    screen.page.click("button")
    screen.hear({"seen": 1})
    screen.page.run(moment)
    assert screen.page.run(busy) == [None, None]
    screen.page.click("button")
    assert screen.page.run(busy) == [None, None]
    screen.page.equal(busy, ["true", None])
    assert screen.page.run("getComputedStyle(document.querySelector('button'), '::after').animationName") == "turn"
    screen.frame([1, [1], {"text": "Slower"}])
    screen.page.click("button")
    screen.hear({"seen": 2})
    assert screen.page.run(busy) == ["true", None]
    screen.hear({"refused": 3, "message": "no"}, {"seen": 3})
    assert screen.page.run(busy) == [None, None]


# What is entered


def field(**more):
    return {"kind": "textField", "label": "Text", "bind": 1, **more}


def test_typing_sends_what_changed(browser):
    screen = Screen(browser, field(value="Milk"))
    screen.page.run("document.querySelector('input').focus(); document.querySelector('input').setSelectionRange(2, 2)")
    screen.page.type("xy")
    screen.page.press("Backspace")
    assert screen.sent() == [
        {"n": 1, "path": [], "gesture": "type", "start": 2, "removed": 0, "inserted": "x"},
        {"n": 2, "path": [], "gesture": "type", "from": 1, "start": 3, "removed": 0, "inserted": "y"},
        {"n": 3, "path": [], "gesture": "type", "from": 2, "start": 3, "removed": 1, "inserted": ""}]
    screen.frame([1, [], {"value": "Mixlk"}])
    screen.hear({"seen": 3})
    screen.page.type("z")
    assert screen.sent() == [{"n": 4, "path": [], "gesture": "type", "start": 3, "removed": 0, "inserted": "z"}]


def test_a_focused_field_takes_a_value_only_when_all_is_seen(browser):
    screen = Screen(browser, field(value=""))
    screen.page.click("input")
    screen.page.type("ab")
    screen.frame([1, [], {"value": "A"}])
    screen.page.equal(VALUE, "ab")
    screen.hear({"seen": 1})
    screen.page.equal(VALUE, "ab")
    screen.frame([1, [], {"value": "AB"}])
    screen.hear({"seen": 2})
    screen.page.equal(VALUE, "AB")
    screen.page.equal(CARET, [2, 2])


def test_a_reducer_that_formats_leaves_the_caret_where_it_was(browser):
    screen = Screen(browser, field(value="1234"))
    screen.page.run("document.querySelector('input').focus(); document.querySelector('input').setSelectionRange(1, 1)")
    screen.page.type("9")
    screen.frame([1, [], {"value": "19,234"}])
    screen.hear({"seen": 1})
    screen.page.equal(VALUE, "19,234")
    screen.page.equal(CARET, [2, 2])


def test_a_reducer_that_refuses_takes_the_text_back(browser):
    screen = Screen(browser, field(value="abc"))
    screen.page.click("input")
    screen.page.press("End")
    screen.page.type("d")
    screen.page.equal(VALUE, "abcd")
    screen.hear({"seen": 1})
    screen.page.equal(VALUE, "abc")


def test_a_text_that_the_server_has_lost_is_sent_again_as_a_whole(browser):
    screen = Screen(browser, field(value="ab"))
    screen.page.run("document.querySelector('input').focus(); document.querySelector('input').setSelectionRange(2, 2)")
    screen.page.type("xy")
    assert screen.sent()[1] == {"n": 2, "path": [], "gesture": "type", "from": 1, "start": 3, "removed": 0, "inserted": "y"}
    screen.hear({"refused": 2, "again": 1}, {"seen": 2})
    assert screen.sent() == [{"n": 3, "path": [], "gesture": "type", "start": 2, "removed": 0, "inserted": "xy"}], screen.sent()
    screen.page.equal(VALUE, "abxy")
    screen.page.equal("document.querySelector('#status').textContent", "")


def test_a_text_that_is_asked_for_again_is_sent_once_and_without_what_the_server_has(browser):
    screen = Screen(browser, field(value="ab"))
    screen.page.run("document.querySelector('input').focus(); document.querySelector('input').setSelectionRange(2, 2)")
    screen.page.type("xyz")
    screen.sent()
    screen.hear({"refused": 2, "again": 1}, {"refused": 3, "again": 1})
    screen.page.type("w")
    assert screen.sent() == []
    screen.frame([1, [], {"value": "abx"}])
    screen.page.equal(VALUE, "abxyzw")
    screen.hear({"seen": 3})
    assert screen.sent() == [{"n": 4, "path": [], "gesture": "type", "start": 3, "removed": 0, "inserted": "yzw"}]
    screen.page.equal(VALUE, "abxyzw")
    screen.page.type("!")
    assert screen.sent() == [{"n": 5, "path": [], "gesture": "type", "from": 4, "start": 6, "removed": 0, "inserted": "!"}]


def test_what_is_over_a_limit_is_refused_visibly(browser):
    screen = Screen(browser, field(value="abc"))
    screen.page.click("input")
    screen.page.type("d")
    screen.hear({"refused": 1, "message": "the text is too long"})
    screen.page.equal("document.querySelector('#status').innerText", "the text is too long")
    screen.page.equal(VALUE, "abc")


def test_nothing_is_sent_or_taken_inside_of_a_composition(browser):
    screen = Screen(browser, field(value="a"))
    screen.page.click("input")
    screen.page.press("End")
    screen.page.call("Input.imeSetComposition", text="に", selectionStart=1, selectionEnd=1)
    screen.page.call("Input.imeSetComposition", text="にほ", selectionStart=2, selectionEnd=2)
    assert screen.sent() == []
    screen.frame([1, [], {"value": "other"}])
    screen.page.equal(VALUE, "aにほ")
    screen.page.call("Input.insertText", text="日本")
    assert screen.sent()[0]["inserted"].endswith("日本")
    screen.page.equal(VALUE, "a日本")


def test_a_surrogate_pair_is_never_cut(browser):
    screen = Screen(browser, field(value="😀"))
    screen.page.run("""(() => { const f = document.querySelector('input'); f.value = "😁"; f.dispatchEvent(new Event("input", {bubbles: true})); })()""")
    assert screen.sent() == [{"n": 1, "path": [], "gesture": "type", "start": 0, "removed": 2, "inserted": "😁"}]
    screen.page.run("""(() => { const f = document.querySelector('input'); f.value = "x" + "😁".repeat(3000); f.dispatchEvent(new Event("input", {bubbles: true})); })()""")
    pieces = screen.sent()
    assert len(pieces) == 3 and [p.get("more") for p in pieces] == [1, 1, None], pieces
    assert all(len(json.dumps(p, ensure_ascii=False).encode()) < 16384 for p in pieces)
    assert all(not any(0xD800 <= ord(c) < 0xE000 for c in p["inserted"]) for p in pieces)


def test_a_long_text_goes_out_slower_than_the_server_would_refuse_it(browser):
    screen = Screen(browser, {"kind": "textEditor", "label": "Text", "bind": 1, "value": ""})
    assert screen.page.run("""(() => { const f = document.querySelector('textarea'); f.value = "x".repeat(100000);
        f.dispatchEvent(new Event("input", {bubbles: true})); return said.length; })()""") <= 20
    screen.page.wait("said.at(-1).n == 40 && !said.at(-1).more")


def test_controls_send_what_they_have_and_go_back_to_what_the_tree_has(browser):
    screen = Screen(browser, {"kind": "form", "onSubmit": 1, "children": [
        {"kind": "toggle", "label": "On", "bind": 1, "value": False}, {"kind": "picker", "label": "Size", "bind": 1, "options": [1, 2], "value": 1},
        {"kind": "picker", "label": "Kind", "style": "radio", "bind": 1, "options": ["a", "b"], "value": "a"},
        {"kind": "datePicker", "label": "Day", "bind": 1, "value": "2024-05-01"}, field(value="x")]})
    screen.page.click("[type=checkbox]")
    screen.page.run("(() => { const f = document.querySelector('select'); f.selectedIndex = 1; f.dispatchEvent(new Event('change', {bubbles: true})); })()")
    screen.page.click("label:nth-child(2) [type=radio]")
    screen.page.run("(() => { const f = document.querySelector('[type=date]'); f.value = ''; f.dispatchEvent(new Event('change', {bubbles: true})); })()")
    screen.page.click("[type=text]")
    screen.page.press("Enter")
    assert screen.gestures() == [
        {"path": [1], "gesture": "enter", "value": True}, {"path": [2], "gesture": "enter", "value": 2}, {"path": [3], "gesture": "enter", "value": "b"},
        {"path": [4], "gesture": "enter", "value": None}, {"path": [5], "gesture": "submit"}]
    screen.hear({"seen": 5})
    screen.page.equal("[document.querySelector('[type=checkbox]').checked, document.querySelector('select').value, document.querySelector(':checked[type=radio] + span').innerText, document.querySelector('[type=date]').value]",
                      [False, "1", "a", "2024-05-01"])


def test_a_list_shows_something_else_while_it_has_no_row(browser):
    for kind in ["list", "table"]:
        empty = {"kind": "empty", "children": [text("Nothing yet"), button("Add")]}
        screen = Screen(browser, {"kind": kind, "onDelete": 1, "children": [{"kind": "forEach", "children": []}, empty]})
        shown = "[...document.querySelectorAll('li, tr')].filter(e => !e.hidden && e.checkVisibility()).map(e => e.innerText.replace(/\\s+/g, ' '))"
        screen.page.equal(shown, ["Nothing yet Add"])
        screen.page.click("button:not(.delete)")
        assert screen.gestures() == [{"path": [2, 2], **TAP}]
        screen.frame([2, [1], [text("Milk", id=1)]])
        screen.page.wait(f"!/Nothing/.test({shown}.join())")
        screen.frame([3, [1, [1]]])
        screen.page.equal(shown, ["Nothing yet Add"])


def test_a_stepper_has_buttons_and_what_takes_input_shows_its_hint(browser):
    screen = Screen(browser, {"kind": "form", "children": [
        {"kind": "stepper", "label": "Seats", "bind": 1, "value": 2, "max": 3, "hint": "At most three"},
        {"kind": "slider", "label": "Volume", "bind": 1, "value": 0.25}]})
    screen.page.equal("[...document.querySelectorAll('.hint, output')].map(e => e.innerText)", ["At most three", "0.25"])
    screen.page.click(".more")
    assert screen.gestures() == [{"path": [1], "gesture": "enter", "value": 3}]
    screen.page.click(".less")
    assert screen.gestures() == [{"path": [1], "gesture": "enter", "value": 2}]
    screen.frame([1, [], {"disabled": True}])
    screen.page.equal("document.querySelector('.more').disabled", True)


TEXTS = "[...document.querySelectorAll('input')].map(i => i.value)"
NAME = "document.activeElement.labels[0].textContent"


def test_the_focus_and_the_caret_stay_with_a_field_when_a_node_comes_or_goes_above_it(browser):
    a, b = field(label="A", value=""), field(label="B", value="xyz")
    screen = Screen(browser, {"kind": "form", "children": [a, b]})
    screen.page.run("document.querySelectorAll('input')[1].focus(); document.activeElement.setSelectionRange(1, 2)")
    screen.frame([0, [1], text("Saved")], [1, [2], {"label": "A", "value": ""}], [2, [], [b]])
    screen.page.equal(f"[{NAME}, {CARET}.join()]", ["B", "1,2"])
    screen.page.type("!")
    assert screen.gestures() == [{"path": [3], "gesture": "type", "start": 1, "removed": 1, "inserted": "!"}]
    screen.page.equal(TEXTS, ["", "x!z"])
    screen.frame([1, [3], {"value": "x!z"}])
    screen.hear({"seen": 1})
    screen.frame([0, [1], a], [1, [2], {"label": "B", "value": "x!z"}], [3, [3]])
    screen.page.equal(f"[{NAME}, {CARET}.join()]", ["B", "2,2"])
    # A field by its name, whatever it is called; a button by its text.
    save = button("Save")
    screen = Screen(browser, {"kind": "form", "children": [field(name="a"), {"kind": "row", "children": [field(name="b"), save]}]})
    screen.page.click("[data-name=b]")
    screen.frame([0, [1], text("Saved")], [0, [2], field(name="a")], [2, [], [{"kind": "row", "children": [field(name="b", label="Other"), save]}]])
    screen.page.equal("document.activeElement.dataset.name", "b")
    screen.page.run("document.querySelector('.button').focus()")
    screen.frame([0, [3, 1], button("Cancel")], [0, [3, 2], field(name="b")], [2, [3], [save]])
    screen.page.equal(FOCUSED, "button Save")


def test_what_the_server_has_not_seen_of_a_field_goes_with_it_and_is_sent_once(browser):
    a, b = field(label="A", value=""), field(label="B", value="")
    screen = Screen(browser, {"kind": "form", "children": [a, b]})
    screen.page.run("document.querySelectorAll('input')[1].focus()")
    screen.page.type("xy")
    screen.sent()
    screen.frame([0, [1], text("Saved")], [1, [2], {"label": "A", "value": ""}], [2, [], [{**b, "value": "x"}]])
    screen.hear({"seen": 1})
    screen.page.equal(TEXTS, ["", "xy"])
    assert screen.sent() == []
    screen.frame([1, [3], {"value": "xy"}])
    screen.hear({"seen": 2})
    assert screen.sent() == []
    screen.page.type("!")
    assert screen.sent() == [{"n": 3, "path": [3], "gesture": "type", "start": 2, "removed": 0, "inserted": "!"}]
    screen.page.equal(TEXTS, ["", "xy!"])
    # What the server has lost is typed again.
    screen.frame([0, [1], a], [1, [2], {"label": "B", "value": "xy"}], [3, [3]])
    screen.hear({"refused": 3, "message": "there is nothing there"}, {"seen": 3})
    assert screen.sent() == [{"n": 4, "path": [2], "gesture": "type", "start": 2, "removed": 0, "inserted": "!"}]
    screen.page.equal(TEXTS, ["", "xy!"])


def test_the_focus_stays_in_a_row_whose_view_raises_and_recovers(browser):
    def row(id, value):
        return {"kind": "row", "id": id, "children": [field(value=value)]}
    screen = Screen(browser, rows([row(1, "ba"), row(2, "")]))
    screen.page.run("document.querySelector('input').focus(); document.querySelector('input').setSelectionRange(2, 2)")
    broken = {"kind": "failed", "id": 1, "error": {"message": "no"}, "children": [{"kind": "row", "children": [field(value="ba")]}]}
    for node, path in ((broken, [1, [1], 1, 1]), (row(1, "ba"), [1, [1], 1])):
        screen.frame([0, [1, [1]], node])
        screen.page.equal(CARET, [2, 2])
        screen.page.type("g")
        assert screen.gestures() == [{"path": path, "gesture": "type", "start": 2, "removed": 0, "inserted": "g"}]
        screen.page.press("Backspace")
        screen.hear({"seen": 2 if node is broken else 4})
        screen.gestures()


def test_a_search_field_has_a_button_that_empties_it_while_there_is_text(browser):
    shown = "document.querySelector('.clear')?.checkVisibility()"
    state = f"[{VALUE}, {shown}, document.activeElement.localName]"
    for width in (390, 900):
        screen = Screen(browser, {"kind": "form", "children": [field(value="Milk", style="search", error="none", hint="By name"), field(value="x")]}, width=width)
        screen.page.equal(state, ["Milk", True, "body"])
        assert screen.page.run("['type', 'inputMode', 'placeholder'].map(name => document.querySelector('input')[name])") == ["search", "search", " "]
        # It lies over the end of the field, is large enough, and is no stop of the Tab key.
        inside = """(() => { const [a, b] = ['input', '.clear'].map(s => document.querySelector(s).getBoundingClientRect());
            const end = parseFloat(getComputedStyle(document.querySelector('input')).paddingInlineEnd);
            return [b.width >= 24, b.height >= 24, b.top >= a.top - .1, b.bottom <= a.bottom + .1, b.right <= a.right, b.left >= a.right - end - 1]; })()"""
        assert screen.page.run(inside) == [True] * 6, screen.page.run(inside)
        # What stands below has the place that it would have without the button.
        below = "document.querySelector('.hint').getBoundingClientRect().top - document.querySelector('input').getBoundingClientRect().bottom"
        assert 3 < screen.page.run(below) < 6, screen.page.run(below)
        screen.page.click(".clear")
        assert screen.gestures() == [{"path": [1], "gesture": "type", "start": 0, "removed": 4, "inserted": ""}]
        screen.page.equal(state, ["", False, "input"])
        screen.page.type("a")
        screen.page.equal(state, ["a", True, "input"])
        assert [m["inserted"] for m in screen.gestures()] == ["a"]
        screen.page.press("Tab")
        screen.page.equal("document.activeElement.type", "text")
        screen.frame([1, [1], {"value": "Tea"}])
        screen.hear({"seen": 2})
        screen.page.equal(f"[{VALUE}, {shown}]", ["Tea", True])
        screen.frame([1, [1], {"disabled": True}])
        screen.page.equal(shown, False)
        screen.frame([1, [1], {"disabled": None, "value": "", "prompt": "Milk, tea"}])
        screen.page.equal(f"[{VALUE}, {shown}]", ["", False])
        screen.frame([1, [1], {"value": "x"}])
        screen.page.equal(shown, True)
        screen.frame([1, [1], {"style": None}])
        screen.page.equal("[document.querySelector('.clear'), document.querySelector('input').type]", [None, "text"])
        screen.page.close()


def test_the_button_of_a_search_field_leaves_the_focus_where_it_is(browser):
    screen = Screen(browser, {"kind": "form", "focus": 1, "children": [field(value="Milk", style="search", name="query")]})
    screen.page.click("[type=search]")
    assert screen.gestures() == [{"path": [1], "gesture": "focus"}]
    screen.frame([1, [], {"focused": "query"}])
    screen.hear({"seen": 1})
    screen.page.click(".clear")
    assert screen.gestures() == [{"path": [1], "gesture": "type", "start": 0, "removed": 4, "inserted": ""}]
    screen.page.equal("document.activeElement.type", "search")


def test_escape_empties_a_search_field_before_it_does_anything_else(browser):
    form = {"kind": "form", "children": [field(value="Milk", style="search"), button("Cancel", shortcut="escape")]}
    sheet = {**page_of("Root"), "sheet": {"kind": "child", "children": [{"kind": "form", "children": [field(value="Milk", style="search")]}]}}
    cleared = {"gesture": "type", "start": 0, "removed": 4, "inserted": ""}
    for width in (390, 900):
        for node, path, after in ((sheet, ["sheet", 1, 1], {"path": ["sheet"], "gesture": "dismiss"}), (form, [1], {"path": [2], **TAP})):
            screen = Screen(browser, node, width=width)
            screen.page.click("[type=search]")
            screen.page.press("Escape")
            assert screen.gestures() == [{"path": path, **cleared}]
            screen.page.equal(f"[{VALUE}, document.activeElement.type]", ["", "search"])
            screen.page.press("Escape")
            assert screen.gestures() == [after]
            screen.page.close()
    # In a field of another style it does what it did.
    screen = Screen(browser, {**sheet, "sheet": field(value="Milk")})
    screen.page.click("[type=text]")
    screen.page.press("Escape")
    assert screen.gestures() == [{"path": ["sheet"], "gesture": "dismiss"}]


def test_a_toast_is_a_status_with_an_action_and_takes_no_focus(browser):
    screen = Screen(browser, {"kind": "column", "children": [field(value=""), None]})
    screen.page.click("[type=text]")
    screen.frame([0, [2], {"kind": "toast", "text": "Deleted", "action": 1}])
    screen.page.equal("[document.querySelector('[role=status].toast').innerText.replace(/\\s+/g, ' '), document.activeElement.localName]",
                      ["Deleted Undo", "input"])
    screen.page.click(".toast button")
    assert screen.gestures() == [{"path": [2], "gesture": "tap"}]


SAID = "document.querySelector('#announced').textContent"


def test_what_comes_is_read_out_once_by_a_region_that_is_there_all_the_time(browser):
    live = "[...document.querySelectorAll('main p')].filter(e => e.textContent).map(e => e.getAttribute('aria-live'))"
    screen = Screen(browser, {"kind": "column", "children": [text("There", announce=True), None, None]})
    # With the whole page comes nothing new, and a region that is hidden would not be read out.
    screen.page.equal(live, ["polite"])
    assert screen.page.run(SAID) == ""
    assert screen.page.run("document.querySelector('#announced').checkVisibility()")
    screen.frame([0, [2], text("Saved", announce=True)])
    screen.page.equal(SAID, "Saved")
    # From now on it reads out its changes itself.
    screen.page.equal(live, ["polite", "polite"])
    screen.frame([1, [2], {"text": "Failed"}])
    screen.page.equal("document.querySelectorAll('main p')[1].innerText", "Failed")
    assert "Failed" not in screen.page.run(SAID)
    screen.frame([0, [2], None])
    screen.frame([0, [2], text("Failed", announce=True)], [0, [3], {"kind": "toast", "text": "Deleted", "action": 1}])
    screen.page.equal(f"{SAID}.replace(/\\s+/g, ' ')", "Failed Deleted Undo")
    screen.page.equal("document.querySelector('.toast').getAttribute('aria-live')", "polite")


def test_what_comes_is_read_out_where_a_dialog_covers_the_rest_and_not_what_is_hidden(browser):
    tab = {"kind": "column", "label": "Two", "children": [None]}
    sheet = {"kind": "child", "children": [{"kind": "column", "children": [
        field(value=""), None, {"kind": "tabs", "children": [{"kind": "column", "label": "One", "children": [text("1")]}, tab]}]}]}
    screen = Screen(browser, {"kind": "column", "children": [text("Below"), None], "sheet": sheet})
    screen.frame([0, ["sheet", 1, 3, 2, 1], text("Hidden", announce=True)], [0, ["sheet", 1, 2], text("Shown", announce=True)])
    screen.page.equal("document.querySelector('dialog[open] #announced')?.textContent", "Shown")
    screen.frame([1, [], {"sheet": None}], [0, [2], text("Closed", announce=True)])
    screen.page.equal(SAID, "Closed")


def test_texts_that_come_in_rows_of_one_shape_are_read_out(browser):
    screen = Screen(browser, {"kind": "list", "children": [{"kind": "forEach"}]})
    screen.frame([2, [1], [[0, [[1, 2]], ["Milk", "Tea"]]]], more=[[{"kind": "text", "text": [], "announce": True}]])
    screen.page.equal(SAID, "Milk\nTea")


def test_the_shortcut_of_a_toast_leaves_the_focus_where_it_is(browser):
    screen = Screen(browser, {"kind": "column", "children": [button("First"), button("Second"), None]})
    screen.page.run("document.querySelectorAll('.button')[1].focus()")
    screen.frame([0, [3], {"kind": "toast", "text": "Deleted", "action": 1, "shortcut": "mod+z"}])
    screen.page.press("Control+z")
    assert screen.gestures() == [{"path": [3], **TAP}]
    screen.frame([0, [3], None])
    screen.page.equal(FOCUSED, "button Second")


def test_a_toast_covers_neither_the_end_of_its_layer_nor_what_has_the_focus(browser):
    lines = {"kind": "column", "children": [*[button(f"Button {i}") for i in range(30)], field(value="")]}
    toast = {"kind": "toast", "text": "All meetings of the last weeks are deleted, and nobody has been told of it yet " * 3, "action": 1}
    free = """(() => { const [foot, field] = [document.querySelector('.toast'), document.querySelector('[type=text]')].map(e => e?.getBoundingClientRect());
        return foot && field.bottom < foot.top && field.top > 0; })()"""
    sheet = {"kind": "screen", "title": "Root", "sheet": {"kind": "child", "children": [{"kind": "column", "children": [lines, None]}]}}
    for node, path in (({"kind": "column", "children": [lines, None]}, [2]), (sheet, ["sheet", 1, 2])):
        for width in (390, 1280):
            screen = Screen(browser, node, width=width)
            # The last field has the focus when the toast comes, and it is at the foot of the window.
            screen.page.run("document.querySelector('[type=text]').focus()")
            screen.page.run("document.activeElement.scrollIntoView({block: 'end'})")
            screen.frame([0, path, toast])
            screen.page.wait(free)
            # And it gets the focus again while the toast is there.
            screen.page.run("document.querySelector('.n.button').focus(); document.querySelector('[type=text]').focus()")
            screen.page.wait(free)
            # The end is above it.
            screen.page.run("(document.querySelector('dialog') ?? document.scrollingElement).scrollTop = 1e6")
            screen.page.wait(free)
            screen.page.close()


def test_columns_are_beside_each_other_where_it_is_wide_and_a_screen_has_its_width(browser):
    node = {"kind": "screen", "width": "full", "children": [{"kind": "columns", "children": [text("A"), {"kind": "child", "children": [text("B")]}]}]}
    tops = "[...document.querySelectorAll('.columns p')].map(e => Math.round(e.getBoundingClientRect().top))"
    screen = Screen(browser, node, width=1200)
    screen.page.wait(f"new Set({tops}).size == 1 && document.querySelector('main').offsetWidth == 1200")
    screen.frame([1, [], {"width": "narrow"}])
    screen.page.wait("document.querySelector('main').offsetWidth < 600")
    Screen(browser, node, width=500).page.wait(f"new Set({tops}).size == 2")


def test_the_first_column_of_a_sidebar_is_narrow_where_it_is_wide(browser):
    node = {"kind": "screen", "width": "full", "children": [{"kind": "columns", "style": "sidebar", "children": [
        {"kind": "column", "children": [text("A")]}, {"kind": "column", "children": [text("B " * 400)]}]}]}
    boxes = "[...document.querySelectorAll('.columns > *')].map(e => { const r = e.getBoundingClientRect(); return [r.left, r.width].map(Math.round); })"
    Screen(browser, node, width=1200).page.equal(boxes, [[16, 256], [296, 888]])
    Screen(browser, node, width=500).page.equal(boxes, [[16, 468], [16, 468]])


def test_a_disabled_container_disables_what_is_in_it(browser):
    screen = Screen(browser, {"kind": "form", "disabled": True, "children": [field(value=""), button("Go")]})
    screen.page.equal("[...document.querySelectorAll('input, button')].map(e => e.disabled)", [True, True])
    screen.frame([1, [], {"disabled": None}])
    screen.page.equal("[...document.querySelectorAll('input, button')].map(e => e.disabled)", [False, False])


# The focus


def test_the_focus_is_bound_both_ways(browser):
    screen = Screen(browser, {"kind": "form", "focus": 1, "children": [field(name="email"), {"kind": "secureField", "label": "Password", "name": "password", "bind": 1}]})
    screen.page.click("[data-name=email]")
    assert screen.gestures() == [{"path": [1], "gesture": "focus"}]
    screen.frame([1, [], {"focused": "email"}])
    screen.hear({"seen": 1})
    screen.frame([1, [], {"focused": "password"}])
    screen.page.equal("document.activeElement.dataset.name", "password")
    assert screen.gestures() == []
    screen.frame([1, [], {"focused": None}])
    screen.page.equal("document.activeElement.localName", "body")


def test_the_focus_and_the_caret_survive_that_their_field_is_replaced(browser):
    screen = Screen(browser, {"kind": "column", "children": [text("a"), field(value="Milk and bread")]})
    screen.page.run("document.querySelector('input').focus(); document.querySelector('input').setSelectionRange(3, 5)")
    screen.frame([0, [], {"kind": "screen", "children": [text("b"), field(value="Milk and bread")]}])
    screen.page.equal("document.activeElement.localName", "input")
    screen.page.equal(CARET, [3, 5])


def test_the_focus_survives_moves_and_goes_to_the_neighbour_of_a_row_that_went(browser):
    screen = Screen(browser, rows([{"kind": "row", "id": i, "children": [field(value=str(i))]} for i in range(4)], onDelete=1))
    screen.page.run("document.querySelectorAll('input')[1].focus()")
    screen.frame([4, [1, [1]]])
    screen.page.equal("document.activeElement.value", "1")
    screen.frame([4, [1, [3]], [0]])
    screen.page.equal("document.activeElement.value", "1")
    screen.page.run("document.querySelectorAll('li')[1].focus()")
    screen.frame([3, [1, [0]]])
    screen.page.equal("document.activeElement.localName + document.activeElement.querySelector('input').value", "li2")


FOCUSED = "(() => { const e = document.activeElement; return e.localName + ' ' + (e.innerText || e.value || '').trim().split('\\n')[0]; })()"


def page_of(title, *children):
    return {"kind": "screen", "title": title, "children": list(children)}


def pushed(id, *children):
    return {"kind": "child", "id": id, "children": list(children)}


def test_the_title_and_the_focus_are_those_of_the_screen_that_is_shown(browser):
    screen = Screen(browser, {"kind": "navigation", "children": [pushed(0, page_of("Articles", button("One"), button("Open"))), {"kind": "forEach"}]})
    screen.page.run("document.querySelectorAll('.n.button')[1].focus()")
    screen.frame([2, [2], [pushed(0, page_of("Article", button("More")))]])
    screen.page.equal("document.title", "Article")
    screen.page.equal(FOCUSED, "h1 Article")
    screen.page.equal("document.querySelector('.entry:not([hidden]) .back').innerText", "‹ Articles")
    screen.page.press("Tab")
    screen.page.equal(FOCUSED, "button More")
    screen.frame([2, [2], [pushed(1, {"kind": "column", "children": [button("Last")]})]])
    screen.page.equal("document.title", "ScriptedStore")
    screen.frame([3, [2, [1]]])
    screen.page.equal(FOCUSED, "button More")
    screen.frame([3, [2, [0]]])
    screen.page.equal("document.title", "Articles")
    screen.page.equal(FOCUSED, "button Open")


def test_the_title_is_that_of_a_cover_and_not_of_a_sheet(browser):
    child = {"kind": "child", "children": [page_of("Editor")]}
    screen = Screen(browser, page_of("Root"))
    for kind, title in (("cover", "Editor"), ("sheet", "Root"), ("cover", "Editor")):
        screen.frame([1, [], {kind: child}])
        screen.page.equal("document.title", title)
        screen.frame([1, [], {kind: None}])
        screen.page.equal("document.title", "Root")


def test_the_focus_goes_back_to_what_presented_a_dialog(browser):
    ask = lambda kind, *buttons: {"kind": "child", "children": [{"kind": kind, "title": "Sure?", "children": list(buttons)}]}
    sheet = {"kind": "child", "children": [{"kind": "form", "title": "New", "children": [field(value="")]}]}
    remove = {"kind": "menu", "label": "More", "children": [button("Remove")]}
    row = lambda id: {"kind": "row", "id": id, "children": [text(str(id)), remove, button(f"Go {id}")]}
    screen = Screen(browser, page_of("Root", button("Add"), rows([row(i) for i in range(3)])))
    # The button that opened it may be another one now.
    screen.page.run("document.querySelector('.button').focus()")
    screen.frame([1, [], {"sheet": sheet}])
    screen.page.equal("document.activeElement.localName", "input")
    screen.frame([0, [1], button("Added")], [1, [], {"sheet": None}])
    screen.page.equal(FOCUSED, "button Added")
    # Or its row has gone: then the neighbour has the focus, also if what is alike there is in a closed menu.
    screen.page.click("li:nth-child(2) summary")
    screen.page.click("li:nth-child(2) .box .button")
    screen.frame([1, [], {"alert": ask("alert", button("Remove", role="destructive"), button("Keep", role="cancel"))}])
    screen.page.equal(FOCUSED, "button Keep")
    screen.frame([1, [], {"alert": None}], [3, [2, 1, [1]]])
    screen.page.equal("document.activeElement.closest('li').innerText.slice(0, 1)", "2")
    # Or all of it.
    screen.frame([1, [], {"dialog": ask("dialog", button("Clear", role="destructive"), button("Other"))}])
    screen.page.equal("document.activeElement.className", "dialog")
    screen.frame([0, [], page_of("Empty", text("nothing"))])
    screen.page.equal(FOCUSED, "h1 Empty")


def test_no_dialog_begins_with_a_button_that_destroys(browser):
    for kind, first in (("sheet", "form"), ("popover", "column"), ("alert", "alert"), ("dialog", "dialog")):
        child = {"kind": "child", "children": [{"kind": first, "title": "Sure?", "children": [button("Delete", role="destructive"), button("Go on")]}]}
        screen = Screen(browser, page_of("Root", button("Add")))
        screen.frame([1, [], {kind: child}])
        screen.page.equal("document.activeElement.localName", "dialog")
        screen.page.press("Tab")
        screen.page.equal(FOCUSED, "button Delete")
        screen.page.close()


def test_the_focus_goes_to_a_neighbour_of_what_went(browser):
    screen = Screen(browser, page_of("Root", {"kind": "toolbar", "children": [button("Add"), button("Clear")]},
                                     rows([{"kind": "row", "id": i, "children": [button(f"Go {i}")]} for i in range(4)])))
    screen.page.run("document.querySelectorAll('.toolbar button')[1].focus()")
    screen.frame([0, [1, 2], None])
    screen.page.equal(FOCUSED, "button Add")
    # Rows that show nothing are no neighbours.
    screen.page.run("document.querySelectorAll('li button')[1].focus()")
    screen.frame([0, [2, 1, [2]], {"kind": "nothing", "id": 2}])
    screen.frame([3, [2, 1, [1]]])
    screen.page.equal(FOCUSED, "button Go 0")
    screen.frame([0, [2, 1], {"kind": "forEach"}])
    screen.page.equal(FOCUSED, "h1 Root")
    # Nobody had the focus, so nobody gets it.
    screen.page.run("document.activeElement.blur()")
    screen.frame([0, [], page_of("Other", button("Go"))])
    screen.page.equal("document.activeElement.localName", "body")


# Rows


def names(screen):
    return screen.page.run("[...document.querySelectorAll('li')].map(e => e.innerText.replace(/[^\\w]/g, ''))")


def test_rows_are_selected_deleted_and_moved_by_keys(browser):
    screen = Screen(browser, rows([text(c, id=c) for c in "abc"], selection=1, selected="a", onDelete=1, onMove=1))
    screen.page.equal("[...document.querySelectorAll('[aria-current=true]')].map(e => e.innerText.replace(/\\W/g, ''))", ["a"])
    screen.page.run("document.querySelector('li').focus()")
    screen.page.press("ArrowDown", "Enter", "Delete", "Alt+ArrowUp", "Alt+ArrowDown")
    assert screen.gestures() == [
        {"path": [1, ["b"]], "gesture": "select"}, {"path": [1, ["b"]], "gesture": "delete", "ids": ["b"]},
        {"path": [1, ["b"]], "gesture": "move", "ids": ["b"], "to": 1}, {"path": [1, ["b"]], "gesture": "move", "ids": ["b"], "to": 4}]
    screen.frame([1, [], {"selected": "b"}])
    screen.page.equal("[...document.querySelectorAll('[aria-current=true]')].map(e => e.innerText.replace(/\\W/g, ''))", ["b"])


def test_rows_are_selected_and_deleted_by_the_mouse(browser):
    screen = Screen(browser, rows([text("Milk", id=1), text("Tea", id=2)], selection=1, onDelete=1))
    assert screen.page.run("getComputedStyle(document.querySelector('li')).cursor") == "default"
    screen.page.click("li:nth-child(2)")
    screen.page.click("li:nth-child(2) .delete")
    assert screen.gestures() == [{"path": [1, [2]], "gesture": "select"}, {"path": [1, [2]], "gesture": "delete", "ids": [2]}]
    assert any('button "Delete Tea"' in line for line in screen.page.tree()), screen.page.tree()


def test_rows_and_their_buttons_are_called_by_the_texts_of_the_row_alone(browser):
    row = {"kind": "row", "id": 1, "children": [{"kind": "toggle", "label": "Done", "labelHidden": True, "bind": 1}, text("Tower"), field(label="Time", labelHidden=True, value="9:30"),
                                               {"kind": "menu", "label": "More for Tower", "children": [button("Copy")]}, button("Open")]}
    only = {"kind": "row", "id": 2, "children": [button("Open"), button("Copy")]}
    screen = Screen(browser, rows([row, only, text("Milk", id=3)], selection=1, onDelete=1, onMove=1))
    names = [name for name, _ in perceived(screen, "listitem")]
    assert names == ["Tower 9:30", "Open Copy", "Milk"], names
    buttons = [name for name, _ in perceived(screen, "button")]
    for name in ("Move Tower 9:30", "Delete Tower 9:30", "Delete Open Copy", "Move Milk", "Delete Milk"):
        assert name in buttons, (name, buttons)
    # What changes in a row, and what comes into it.
    screen.frame([1, [1, [1], 2], {"text": "Castle"}], [2, [1, [1]], [text("late")]])
    screen.page.wait("document.querySelector('li').getAttribute('aria-labelledby').split(' ').length == 3")
    assert perceived(screen, "listitem")[0][0] == "Castle 9:30 late"
    assert "Delete Castle 9:30 late" in [name for name, _ in perceived(screen, "button")]
    # Rows that one cannot use have no name of their own, and those of one shape have each its own.
    shape = {"kind": "row", "children": [text([]), button("Open")]}
    for more, expected in (({}, ["", ""]), ({"selection": 1}, ["Milk", "Tea"])):
        screen = Screen(browser)
        screen.hear([1, [[0, [], rows([[0, [[1, 2]], ["Milk", "Tea"]]], **more)]], [shape]])
        assert [name for name, _ in perceived(screen, "listitem")] == expected
        assert screen.page.run("(ids => ids.length == new Set(ids).size)([...document.querySelectorAll('[id]')].map(e => e.id))")


def test_the_rows_of_a_table_are_called_by_their_cells_alone(browser):
    row = {"kind": "row", "id": 1, "children": [text("Tea"), {"kind": "number", "value": 2.5}, {"kind": "toggle", "label": "Bought", "bind": 1}]}
    screen = Screen(browser, {"kind": "table", "label": "T", "onDelete": 1, "children": [{"kind": "forEach", "children": [row]}]})
    assert "Delete Tea 2.5" in [name for name, _ in perceived(screen, "button")]
    # Chromium takes a table of one row for a layout, which has no rows for assistive technology.
    names = "document.querySelector('tbody tr').getAttribute('aria-labelledby').split(' ').map(id => document.getElementById(id).innerText).join(' ')"
    assert screen.page.run(names) == "Tea 2.5"


def test_where_a_row_is_that_was_moved_by_keys_is_read_out(browser):
    screen = Screen(browser, rows([text(c, id=c) for c in "abc"], onMove=1))
    screen.page.run("document.querySelector('li').focus()")
    screen.page.press("Alt+ArrowDown")
    # Another change comes first.
    screen.frame([1, [1, ["b"]], {"text": "B"}])
    screen.frame([4, [1, ["a"]], ["c"]])
    screen.page.equal(SAID, "a: 2 of 3")
    # One that is refused moves nothing.
    screen.page.press("Alt+ArrowDown")
    screen.hear({"refused": 2, "message": "No"}, {"seen": 2})
    screen.frame([1, [1, ["b"]], {"text": "b"}])
    screen.frame([4, [1, ["a"]], None])
    screen.page.equal("document.querySelector('li:last-child').innerText.includes('a')", True)
    assert screen.page.run(SAID) != "a: 3 of 3"


def test_a_row_that_a_person_scrolls_away_from_gives_the_focus_to_one_in_sight(browser):
    def window(first, count):
        return [{"kind": "text", "id": i, "text": f"Row {i}"} for i in range(first, first + count)]
    screen = Screen(browser, {"kind": "list", "selection": 1, "window": [1, 60, 1000], "children": [{"kind": "forEach", "children": window(1, 60)}]})
    screen.page.run("document.querySelector('li').focus(); scrollTo(0, document.body.scrollHeight)")
    screen.page.wait("said.some(message => message.show)")
    screen.frame([0, [1], {"kind": "forEach", "children": window(941, 60)}], [1, [], {"window": [941, 60, 1000]}])
    screen.page.equal("document.activeElement.localName", "li")
    assert screen.page.run("(({top, bottom}) => bottom > 0 && top < innerHeight)(document.activeElement.getBoundingClientRect())")


def test_of_rows_of_one_shape_only_the_selected_one_looks_so(browser):
    screen = Screen(browser)
    current = "[...document.querySelectorAll('[aria-current=true]')].map(e => e.innerText)"
    screen.hear([1, [[0, [], rows([[0, [[1, 4]], ["a", "b", "c", "d"]]], selection=1, selected=1)]],
                 [{"kind": "row", "children": [{"kind": "text", "text": []}]}]])
    screen.page.equal(current, ["a"])
    screen.hear([2, [[1, [], {"selected": 3}]]])
    screen.page.equal(current, ["c"])


def test_a_row_is_dragged(browser):
    screen = Screen(browser, rows([text(c, id=c) for c in "abcd"], onMove=1))
    height = screen.page.run("document.querySelector('li').offsetHeight")
    screen.page.drag("li .move", 2 * height)
    screen.page.drag("li:nth-child(4) .move", -1.1 * height)
    screen.page.drag("li .move", 3)
    assert screen.gestures() == [{"path": [1, ["a"]], "gesture": "move", "ids": ["a"], "to": 4}, {"path": [1, ["d"]], "gesture": "move", "ids": ["d"], "to": 3}]
    screen.frame([4, [1, ["a"]], ["d"]])
    assert names(screen) == ["b", "c", "a", "d"]


TOPS = "[...document.querySelectorAll('li')].map(e => Math.round(e.getBoundingClientRect().top))"
DISPLACED = "[...document.querySelectorAll('li')].filter(e => e.style.translate || e.classList.contains('moving')).length"


def hold(screen, selector, by):
    """Presses a row's handle, and moves it without letting it go. Gives where the pointer is."""
    x, y = screen.page.place(selector)
    screen.page.mouse("mouseMoved", x, y)
    screen.page.mouse("mousePressed", x, y, 1, 1)
    for step in (1, 2, 3):
        screen.page.mouse("mouseMoved", x, y + by * step / 3, 1)
    return x, y + by


def test_a_drag_soon_after_another_one_leaves_no_row_displaced(browser):
    screen = Screen(browser, rows([text(c, id=c) for c in "abcd"], onMove=1))
    rest = screen.page.run(TOPS)
    height = rest[1] - rest[0]
    # The order that the first drag has made is the one of the second, though no frame has come.
    screen.page.drag("li .move", 3 * height)
    screen.page.equal(TOPS, [rest[3], rest[0], rest[1], rest[2]])
    x, y = hold(screen, "li:nth-child(4) .move", -2 * height)
    # The frame of the first drag comes while the second row is held.
    screen.frame([4, [1, ["a"]]])
    screen.hear({"seen": 1})
    screen.page.equal(TOPS, [rest[1], rest[2], rest[0], rest[3]])
    screen.page.mouse("mouseReleased", x, y, 0, 1)
    assert [(m["ids"], m["to"]) for m in screen.gestures()] == [(["a"], 5), (["d"], 1)]
    screen.page.equal(TOPS, [rest[1], rest[2], rest[0], rest[3]])
    # A frame that has nothing to do with it leaves the row where it was dropped.
    screen.frame([1, [], {"class": "other"}])
    screen.page.equal(TOPS, [rest[1], rest[2], rest[0], rest[3]])
    screen.frame([4, [1, ["d"]], ["b"]])
    screen.hear({"seen": 2})
    assert names(screen) == ["d", "b", "c", "a"]
    screen.page.equal(TOPS, rest)
    screen.page.equal(DISPLACED, 0)


def test_a_held_row_that_is_moved_or_removed_leaves_no_row_displaced(browser):
    screen = Screen(browser, rows([text(c, id=c) for c in "abcd"], onMove=1))
    rest = screen.page.run(TOPS)
    height = rest[1] - rest[0]
    x, y = hold(screen, "li .move", height)
    # It stays under the pointer, wherever it is among the others now.
    screen.frame([4, [1, ["a"]]], [3, [1, ["b"]]])
    screen.page.equal("Math.round(document.querySelector('li.moving').getBoundingClientRect().top)", rest[1])
    screen.page.mouse("mouseReleased", x, y, 0, 1)
    assert [m["to"] for m in screen.gestures()] == [2]
    screen.hear({"refused": 1, "message": "no"}, {"seen": 1})
    screen.page.equal(TOPS, rest[:3])
    x, y = hold(screen, "li .move", height)
    screen.frame([3, [1, ["c"]]])
    screen.page.mouse("mouseMoved", x, y + height, 1)
    screen.page.mouse("mouseReleased", x, y + height, 0, 1)
    assert screen.gestures() == []
    screen.page.equal(TOPS, rest[:2])
    screen.page.equal(DISPLACED, 0)


def test_rows_make_the_room_of_the_dragged_one_with_the_gap_and_it_lies_above_them(browser):
    for style in ("plain", "cards"):
        screen = Screen(browser, {"kind": "list", "style": style, "onMove": 1, "children": [{"kind": "forEach", "children": [
            {"kind": "column", "id": c, "children": [text(c)] * (2 if c == "b" else 1)} for c in "abcd"]}]})
        rest = screen.page.run(TOPS)
        hold(screen, "li:nth-child(2) .move", 35)
        screen.page.equal(TOPS, [rest[0], rest[1] + 35, rest[1], rest[3]])
        # Where the row lies over the one behind it.
        assert screen.page.run(f"document.elementFromPoint(450, {rest[1] + 37}).closest('li').className") == "moving"
        screen.page.close()


def test_a_row_goes_past_children_that_show_nothing(browser):
    screen = Screen(browser, rows([text("a", id=1), {"kind": "nothing", "id": 2}, text("c", id=3)], onMove=1))
    screen.page.run("document.querySelector('li').focus()")
    screen.page.press("Alt+ArrowDown")
    screen.page.drag("li:nth-of-type(2) .move", -40)
    assert [(m["ids"], m["to"]) for m in screen.gestures()] == [([1], 4), ([3], 1)]


# Rows of one list that are dropped into another


def board(*columns):
    """Lists beside each other: (name, the names that it accepts, the ids of its rows)."""
    return {"kind": "grid", "columns": len(columns), "children": [
        {"kind": "list", "label": name, "name": name, "style": "cards", **({"accepts": accepts, "onDrop": 1} if accepts else {}),
         "children": [{"kind": "forEach", "children": [text(id, id=id) for id in ids]}]} for name, accepts, ids in columns]}


BOARD = [("todo", ["todo", "doing"], "abc"), ("doing", ["todo", "doing"], "de"), ("done", "doing", "")]
LISTS = "[...document.querySelectorAll('.list')].map(e => e.className.split(' ').filter(c => /taking|refusing/.test(c)).join())"
LINES = "[...document.querySelectorAll('.above, .below')].map(e => e.innerText.replace(/\\W/g, '') + e.className)"


def middle(screen, selector):
    return screen.page.place(selector)


def carry(screen, selector, *points):
    """Presses a row's handle and moves it over points, without letting it go."""
    x, y = screen.page.place(selector)
    screen.page.mouse("mouseMoved", x, y)
    screen.page.mouse("mousePressed", x, y, 1, 1)
    for x, y in points:
        screen.page.mouse("mouseMoved", x - 5, y - 1, 1)
        screen.page.mouse("mouseMoved", x, y, 1)
    return x, y


def test_a_row_is_dropped_into_another_list_before_the_row_with_the_line(browser):
    screen = Screen(browser, board(*BOARD))
    x, y = middle(screen, ".list:nth-child(2) li:nth-child(2)")
    point = carry(screen, "li .move", (x, y - 4))
    screen.page.equal(LISTS, ["", "taking", ""])
    screen.page.equal(LINES, ["eabove"])
    screen.page.mouse("mouseReleased", *point, 0, 1)
    assert screen.gestures() == [{"path": [1, 1, ["a"]], "gesture": "move", "ids": ["a"], "to": 2, "into": [2]}]
    screen.frame([3, [1, 1, ["a"]]], [2, [2, 1], [text("a", id="a")], ["e"]])
    screen.hear({"seen": 1})
    assert names(screen) == ["b", "c", "d", "a", "e"]
    screen.page.equal(LISTS, ["", "", ""])
    screen.page.equal(DISPLACED, 0)
    # The focus has gone along.
    screen.page.equal("document.activeElement.className + document.activeElement.closest('li').innerText.replace(/\\W/g, '')", "movea")


def test_a_row_is_dropped_behind_the_last_one_and_into_an_empty_list(browser):
    screen = Screen(browser, board(*BOARD))
    x, y = middle(screen, ".list:nth-child(2) li:nth-child(2)")
    # Far below the short list is still at its end.
    point = carry(screen, "li .move", (x, y + 150))
    screen.page.equal(LINES, ["ebelow"])
    screen.page.mouse("mouseReleased", *point, 0, 1)
    box = screen.page.run("(r => [r.left + r.width / 2, r.top + r.height / 2, r.height])(document.querySelector('.list:nth-child(3)').getBoundingClientRect())")
    assert box[2] > 40
    screen.page.mouse("mouseReleased", *carry(screen, ".list:nth-child(2) li .move", box[:2]), 0, 1)
    assert [(m["ids"], m["to"], m["into"]) for m in screen.gestures()] == [(["a"], 3, [2]), (["d"], 1, [3])]


def test_a_list_that_does_not_accept_a_row_says_so_and_gets_none(browser):
    screen = Screen(browser, board(*BOARD))
    rest = screen.page.run(TOPS)
    point = carry(screen, "li .move", middle(screen, ".list:nth-child(3)"))
    screen.page.equal(LISTS, ["", "", "refusing"])
    screen.page.mouse("mouseReleased", *point, 0, 1)
    assert screen.gestures() == []
    screen.page.equal(LISTS, ["", "", ""])
    screen.page.equal(TOPS, rest)


def test_a_row_of_a_list_that_accepts_its_own_rows_is_moved_in_it(browser):
    screen = Screen(browser, board(*BOARD))
    height = screen.page.run(TOPS + "[1]") - screen.page.run(TOPS + "[0]")
    screen.page.drag("li .move", 2 * height)
    assert screen.gestures() == [{"path": [1, 1, ["a"]], "gesture": "move", "ids": ["a"], "to": 4}]
    # Of one that does not, a row comes back.
    screen = Screen(browser, board(("todo", None, "ab"), ("done", "todo", "")))
    screen.page.drag("li .move", 2 * height)
    assert screen.gestures() == []
    screen.page.equal(DISPLACED, 0)


def test_a_row_is_dropped_by_touch(browser):
    screen = Screen(browser, board(*BOARD), touch=True)
    (x, y), (to_x, to_y) = middle(screen, "li .move"), middle(screen, ".list:nth-child(2) li")

    def touch(kind, *points):
        screen.page.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": px, "y": py} for px, py in points])
    touch("touchStart", (x, y))
    for step in (1, 2, 3, 4):
        touch("touchMove", (x + (to_x - x) * step / 4, y + (to_y - 4 - y) * step / 4))
    screen.page.equal(LISTS, ["", "taking", ""])
    touch("touchEnd")
    assert [(m["ids"], m["to"], m["into"]) for m in screen.gestures()] == [(["a"], 1, [2])]


def test_keys_move_a_row_into_the_list_beside_its_own_that_accepts_it(browser):
    screen = Screen(browser, board(*BOARD))
    row = "[...document.querySelectorAll('li')].find(e => e.innerText.includes('%s')).focus()"
    screen.page.run(row % "c")
    screen.page.press("Alt+ArrowUp", "Alt+ArrowRight", "Alt+ArrowDown", "Alt+ArrowLeft")
    screen.page.run(row % "d")
    screen.page.press("Alt+ArrowLeft", "Alt+ArrowUp", "Alt+ArrowRight")
    assert [(*m["ids"], m["to"], m.get("into")) for m in screen.gestures()] == [
        ("c", 2, None), ("c", 3, [2]), ("c", 1, [2]), ("d", 1, [1]), ("d", 4, [1]), ("d", 1, [3])]
    # The focus follows the row, and stays with those who have gone elsewhere meanwhile.
    screen.frame([3, [2, 1, ["d"]]], [2, [3, 1], [text("d", id="d")]])
    screen.page.equal("document.activeElement.innerText.replace(/\\W/g, '')", "d")
    screen.hear({"seen": 6})
    # The handle takes the arrows alone.
    screen.page.run("document.querySelector('.list:nth-child(2) .move').focus()")
    screen.page.press("ArrowRight")
    assert [(*m["ids"], m["to"], m["into"]) for m in screen.gestures()] == [("e", 1, [3])]


def test_rows_get_and_lose_their_handles_with_the_lists_that_accept_them(browser):
    screen = Screen(browser, board(("todo", None, "abcd"), ("done", None, "e")))
    handles = "document.querySelectorAll('.move').length"
    screen.page.equal(handles, 0)
    screen.frame([1, [2], {"accepts": "todo", "onDrop": 1}])
    screen.page.equal(handles, 4)
    screen.frame([2, [1, 1], [text("f", id="f")]])
    screen.page.equal(handles, 5)
    screen.frame([1, [2], {"accepts": ["other"]}])
    screen.page.equal(handles, 0)
    screen.frame([1, [1], {"name": "other"}])
    screen.page.equal(handles, 5)
    screen.frame([0, [2], None])
    screen.page.equal(handles, 0)


def test_a_row_that_goes_or_whose_list_goes_while_it_is_dragged_is_not_dropped(browser):
    for change in ([3, [1, 1, ["a"]]], [0, [2], None]):
        screen = Screen(browser, board(*BOARD[:2]))
        point = carry(screen, "li .move", middle(screen, ".list:nth-child(2) li"))
        screen.frame(change)
        screen.page.mouse("mouseReleased", *point, 0, 1)
        assert screen.gestures() == []
        screen.page.equal(DISPLACED, 0)
        screen.page.equal("document.querySelectorAll('.taking, .above, .below').length", 0)


def test_a_row_that_is_held_at_the_edge_of_the_window_scrolls(browser):
    screen = Screen(browser, {"kind": "column", "children": board(("todo", None, "abcdefghijklmnopqrstuvwxyz"), ("done", "todo", ""))["children"]})
    x, _ = carry(screen, "li .move", (450, 690))
    # Not beyond the last list, where there is nothing but the row.
    screen.page.wait("(r => r.bottom > 300 && r.bottom < innerHeight)(document.querySelector('.list:nth-child(2)').getBoundingClientRect())")
    _, y = middle(screen, ".list:nth-child(2)")
    screen.page.mouse("mouseMoved", x, y, 1)
    screen.page.mouse("mouseReleased", x, y, 0, 1)
    assert [(m["ids"], m["to"], m["into"]) for m in screen.gestures()] == [(["a"], 1, [2])]


def test_a_long_list_asks_for_the_rows_that_are_seen(browser):
    def window(first, count):
        return [text(f"row {i}", id=i) for i in range(first, first + count)]
    screen = Screen(browser, {**rows(window(1, 60)), "window": [1, 60, 10000]})
    height = screen.page.run("document.querySelector('ul').offsetHeight / 10000")
    assert 0.9 < height / screen.page.run("document.querySelector('li').offsetHeight") < 1.1
    screen.page.run(f"scrollTo(0, {height} * 5000)")
    screen.page.wait("said.some(m => m.show)")
    first, count = screen.gestures()[0]["show"]
    assert first < 5000 < first + count and count <= 200
    screen.frame([0, [1], {"kind": "forEach", "children": window(first, count)}], [1, [], {"window": [first, count, 10000]}])
    assert screen.page.run("document.elementFromPoint(450, 300).closest('li')?.innerText.slice(0, 6)") in ("row 49", "row 50")
    screen.page.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    assert screen.gestures() == []
    # Another screen, as after a new connection, has its first rows again.
    screen.frame([0, [1], {"kind": "forEach", "children": window(1, 60)}], [1, [], {"window": [1, 60, 10000]}])
    screen.page.wait("said.some(m => m.show)")
    first, count = screen.gestures()[0]["show"]
    assert first < 5000 < first + count


DRAWN = "new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))"


def test_a_screen_below_and_another_tab_keep_how_far_they_are_scrolled(browser):
    many = [button(f"Row {i}") for i in range(150)]
    screen = Screen(browser, {"kind": "navigation", "children": [pushed(0, page_of("Rows", *many)), {"kind": "forEach"}]})
    screen.page.run("scrollTo(0, 1500)")
    screen.frame([2, [2], [pushed(0, page_of("Detail"))]])
    screen.page.equal("scrollY", 0)
    screen.frame([3, [2, [0]]])
    screen.page.equal("scrollY", 1500)
    for bound in ({}, {"bind": 1, "value": "Long"}):
        screen = Screen(browser, {"kind": "tabs", **bound, "children": [
            {"kind": "column", "label": "Long", "children": many}, {"kind": "column", "label": "Short", "children": [text("a")]}]})
        screen.page.run("scrollTo(0, 1500)")
        for index, name, top in ((1, "Short", 0), (0, "Long", 1500)):
            screen.page.run(f"document.querySelectorAll('[role=tab]')[{index}].click()")
            if bound:
                screen.frame([1, [], {"value": name}])
            screen.page.equal("scrollY", top)


def test_a_long_list_of_a_screen_below_keeps_its_rows_and_asks_for_none(browser):
    def window(first, count):
        return [text(f"row {i}", id=i) for i in range(first, first + count)]
    long = {**rows(window(1, 60)), "window": [1, 60, 10000]}
    screen = Screen(browser, {"kind": "navigation", "children": [pushed(0, long), {"kind": "forEach"}]})
    screen.page.run("scrollTo(0, document.querySelector('ul').offsetHeight / 2)")
    screen.page.wait("said.some(m => m.show)")
    first, count = screen.gestures()[0]["show"]
    screen.frame([0, [1, 1, 1], {"kind": "forEach", "children": window(first, count)}], [1, [1, 1], {"window": [first, count, 10000]}])
    screen.page.run(DRAWN)
    screen.gestures()
    before = screen.page.run("scrollY")
    screen.frame([2, [2], [pushed(0, page_of("Detail"))]])
    screen.page.run(DRAWN)
    screen.frame([3, [2, [0]]])
    screen.page.equal("scrollY", before)
    screen.page.run(DRAWN)
    assert screen.gestures() == []


def test_a_long_list_asks_again_when_the_connection_is_there_again(browser):
    for is_asked_before in (False, True):
        screen = Screen(browser, {**rows([text(f"row {i}", id=i) for i in range(1, 61)]), "window": [1, 60, 10000]})
        scroll = "scrollTo(0, document.querySelector('ul').offsetHeight / 2);"
        if is_asked_before:
            # The server has got the event, and the frame with the rows does not arrive.
            screen.page.run(scroll)
            screen.page.wait("said.some(m => m.show)")
            screen.page.run("sockets.at(-1).close()")
        else:
            screen.page.run("sockets.at(-1).close();" + scroll)
            screen.page.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
        screen.page.wait("sockets.length == 2")
        screen.sent()
        screen.hear({"hello": {"page": "p", "build": "b", "seen": int(is_asked_before), "resumed": 1}})
        screen.page.wait("said.some(m => m.show)")
        first, count = screen.gestures()[0]["show"]
        assert first < 5000 < first + count


def test_a_long_list_asks_again_when_the_environment_is_another_one(browser):
    screen = Screen(browser, {**rows([text(f"row {i}", id=i) for i in range(1, 61)]), "window": [1, 60, 10000]})
    screen.page.run("scrollTo(0, document.querySelector('ul').offsetHeight / 2)")
    screen.page.wait("said.some(m => m.show)")
    asked = screen.gestures()[0]["show"]
    # The server goes to the screen of the new environment, and the rows do not come.
    screen.page.look(900, 700, "dark")
    screen.page.wait("said.some(m => m.show)")
    environment, again = screen.gestures()
    assert environment["env"]["colorScheme"] == "dark" and again["show"] == asked


def test_rows_of_a_window_have_their_numbers(browser):
    def window(first, count):
        return [text(f"row {i}", id=i) for i in range(first, first + count)]
    numbers = "[...document.querySelectorAll('li')].map(e => [e.ariaPosInSet, e.ariaSetSize].join(' of '))"
    screen = Screen(browser, {**rows([text("a", id=5), {"kind": "nothing", "id": 6}, text("c", id=7)]), "window": [5, 3, 100]})
    screen.page.equal(numbers, ["5 of 100", "7 of 100"])
    screen.frame([0, [1], {"kind": "forEach", "children": window(8, 3)}], [1, [], {"window": [8, 3, 101]}])
    screen.page.equal(numbers, ["8 of 101", "9 of 101", "10 of 101"])
    screen.frame([1, [], {"window": None}])
    screen.page.equal(numbers, [" of "] * 3)
    screen.frame([0, [], {"kind": "table", "label": "T", "columns": ["A"], "window": [5, 3, 100], "children": [{"kind": "forEach", "children": window(5, 3)}]}])
    screen.page.equal("[document.querySelector('table').getAttribute('aria-rowcount'), ...[...document.querySelectorAll('tbody tr')].map(e => e.ariaRowIndex)]", ["101", "6", "7", "8"])


def test_rows_in_places_are_those_of_a_list(browser):
    screen = Screen(browser, {"kind": "list", "label": "L", "children": [text("first"), {"kind": "child", "children": [{"kind": "forEach", "children": [text("a", id=1), text("b", id=2)]}]},
                                                             {"kind": "section", "title": "S", "children": [{"kind": "forEach", "children": [text("c", id=1)]}]}]})
    nodes = {n["nodeId"]: n for n in screen.page.call("Accessibility.getFullAXTree")["nodes"]}
    counts = []
    for node in nodes.values():
        if node["role"]["value"] == "list":
            below, items = list(node["childIds"]), 0
            while below:
                child = nodes.get(below.pop())
                if child and child["role"]["value"] == "listitem":
                    items += 1
                elif child:
                    assert child.get("ignored") or child["role"]["value"] == "none", child
                    below += child["childIds"]
            counts.append(items)
    assert sorted(counts) == [1, 4], counts
    assert screen.page.run("[...document.querySelectorAll('ul > :not(li)')].every(e => e.role == 'none')")


def test_lines_of_a_table_reach_its_end_and_rows_have_no_blank(browser):
    cells = [{"kind": "row", "id": i, "children": [text(str(i)), text("x")]} for i in (1, 2)]
    table = {"kind": "table", "label": "T", "columns": ["A", "B"], "children": [{"kind": "forEach", "children": cells}]}
    ends = "[document.querySelector('table'), ...document.querySelectorAll('tr > :last-child')].map(e => Math.round(e.getBoundingClientRect().right))"
    screen = Screen(browser, table)
    assert len(set(screen.page.run(ends))) == 1, screen.page.run(ends)
    screen.frame([1, [], {"onDelete": 1}])
    screen.page.equal("[...document.querySelectorAll('tr')].map(e => e.childElementCount)", [3, 3, 3])
    assert len(set(screen.page.run(ends))) == 1
    # What one can do is there without the pointer over it.
    screen.page.equal("[...document.querySelectorAll('.delete')].map(e => getComputedStyle(e).opacity)", ["1", "1"])
    screen.frame([1, [], {"onDelete": None}])
    screen.page.equal("[...document.querySelectorAll('tr')].map(e => e.childElementCount)", [2, 2, 2])
    assert len(set(screen.page.run(ends))) == 1


def test_code_is_as_wide_as_its_text(browser):
    code = text("x = 1", style="code")
    screen = Screen(browser, {"kind": "screen", "children": [code, {"kind": "row", "children": [code]}, {"kind": "list", "children": [code]}, text("local text = " + "long " * 80, style="code")]})
    widths = screen.page.run("[...document.querySelectorAll('code')].map(e => Math.round(e.getBoundingClientRect().width))")
    assert all(width < 100 for width in widths[:3]), widths
    assert screen.page.run("document.documentElement.scrollWidth <= innerWidth")


# Shortcuts


def test_shortcuts_use_their_node_and_alt_takes_the_place_that_the_browser_keeps(browser):
    screen = Screen(browser, {"kind": "screen", "children": [
        button("Add", shortcut="mod+n"), button("Save", shortcut="mod+s"), button("Off", shortcut="mod+d", disabled=True), field(shortcut="mod+shift+f")]})
    screen.page.press("Alt+n", "Control+s", "Control+d", "Control+Shift+f")
    assert screen.gestures() == [{"path": [1], **TAP}, {"path": [2], **TAP}]
    screen.page.equal("document.activeElement.localName", "input")
    screen.page.equal("document.querySelector('button').title", "(Alt+N)")


def test_tooltips_have_the_shortcuts_of_buttons_and_controls(browser):
    controls = [field(shortcut="mod+f", hint="By name"), {"kind": "textEditor", "label": "Notes", "bind": 1, "shortcut": "mod+e"},
                {"kind": "toggle", "label": "On", "bind": 1, "shortcut": "mod+o"}, {"kind": "picker", "label": "Size", "bind": 1, "options": [1], "shortcut": "mod+i"},
                {"kind": "slider", "label": "Volume", "bind": 1, "shortcut": "alt+v"}, {"kind": "datePicker", "label": "Day", "bind": 1, "shortcut": "mod+d"}]
    node = {"kind": "screen", "children": [button("Save", shortcut="mod+s", hint="Keeps it"), button("Plain", hint="Tells"), button("None", shortcut=False),
                                           {**MENU, "shortcut": "alt+m"}, *controls]}
    titles = "[...document.querySelectorAll('button, summary, input, textarea, select')].filter(e => !e.closest('.box .box')).map(e => e.title)"
    screen = Screen(browser, node)
    screen.page.equal(titles, ["Keeps it (Ctrl+S)", "Tells", "", "(Alt+M)", "(Ctrl+F)", "(Ctrl+E)", "(Ctrl+O)", "(Ctrl+I)", "(Alt+V)", "(Ctrl+D)"])
    assert screen.page.run("document.querySelector('input').getAttribute('aria-keyshortcuts')") == "control+f"
    on_mac(screen, node)
    screen.page.equal("document.querySelector('button').title", "Keeps it (⌘+S)")


def on_mac(screen, node):
    """Shows a node in a browser of a Mac."""
    screen.page.call("Emulation.setUserAgentOverride", userAgent=screen.page.run("navigator.userAgent"), platform="MacIntel")
    screen.page.open(address())
    screen.version = 0
    screen.hear({"hello": {"page": "p", "build": "b", "seen": 0}})
    screen.frame([0, [], node])


def test_a_shortcut_uses_a_button_that_is_a_row(browser):
    screen = Screen(browser, rows([button("Open", id=1, shortcut="mod+o")], onDelete=1))
    screen.page.press("Control+o")
    assert screen.gestures() == [{"path": [1, [1]], **TAP}]


# The list of shortcuts


LISTED = "[...document.querySelectorAll('.shortcuts tr')].map(e => [...e.children].map(c => c.innerText).join(' '))"
IS_LISTED = "!!document.querySelector('.shortcuts[open]')"


def test_a_question_mark_lists_the_shortcuts_that_can_be_used(browser):
    entry = lambda id, *children: {"kind": "screen", "id": id, "children": list(children)}
    node = {"kind": "screen", "title": "Root", "children": [
        button("Save", shortcut="mod+s"), button("Off", shortcut="mod+d", disabled=True), text("no key"), button("No key"),
        {"kind": "form", "disabled": True, "children": [button("Off too", shortcut="mod+e")]},
        {"kind": "menu", "label": "More", "shortcut": "alt+m", "children": [button("In a closed menu", shortcut="mod+k")]},
        field(shortcut="mod+shift+f", value=""), {**rows([button("Open", id=1, label="Open it", shortcut="escape")], onDelete=1)},
        {"kind": "toast", "text": "Deleted", "action": 1, "shortcut": "mod+z"}]}
    names = ["Save Ctrl+S", "More Alt+M", "Text Ctrl+Shift+F", "Open it Escape", "Undo Ctrl+Z"]
    for width in (390, 900):
        for key in ("?", "Shift+?"):
            screen = Screen(browser, node, width=width)
            screen.page.run("document.querySelector('.n.button').focus()")
            screen.page.press(key)
            screen.page.equal(LISTED, names)
            tree = "\n".join(screen.page.tree())
            assert 'dialog "Keyboard shortcuts" modal' in tree and 'button "Close" focused' in tree, tree
            assert screen.page.run("document.querySelector('.shortcuts').getBoundingClientRect().width <= innerWidth")
            # Those that it lists wait until it is closed, and Escape is its own then.
            screen.page.press("Control+s", "?", "Escape")
            screen.page.equal(f"[{IS_LISTED}, document.querySelector('aside'), document.activeElement.innerText]", [False, None, "Save"])
            assert screen.gestures() == []
            screen.page.press("Control+s")
            assert screen.gestures() == [{"path": [1], **TAP}]
            screen.page.close()
    on_mac(screen := Screen(browser), {"kind": "column", "children": [button("Save", shortcut="mod+s"), button("Find", shortcut="mod+shift+f")]})
    screen.page.press("?")
    screen.page.equal(LISTED, ["Save ⌘+S", "Find ⌘+Shift+F"])


def test_the_list_of_shortcuts_is_closed_by_its_button_and_by_a_click_beside_it(browser):
    screen = Screen(browser, {**page_of("Root"), "sheet": {"kind": "child", "children": [{"kind": "form", "children": [button("Save", shortcut="mod+s")]}]}})
    screen.page.run("document.querySelector('.n.button').focus()")
    for close in (".shortcuts .close", None):
        screen.page.press("?")
        screen.page.equal(LISTED, ["Save Ctrl+S"])
        # A click in it changes nothing, and keys stay with it.
        screen.page.click(".shortcuts h2")
        screen.page.press("Control+s")
        assert screen.page.run(IS_LISTED)
        if close:
            screen.page.click(close)
        else:
            screen.page.mouse("mousePressed", 5, 5, 1, 1)
            screen.page.mouse("mouseReleased", 5, 5, 0, 1)
        screen.page.equal(f"[{IS_LISTED}, document.querySelector('dialog.sheet').open, document.activeElement.innerText]", [False, True, "Save"])
    screen.page.press("?")
    screen.page.equal(IS_LISTED, True)
    screen.page.press("Escape")
    screen.page.equal(IS_LISTED, False)
    assert screen.gestures() == []
    screen.page.press("Escape")
    assert screen.gestures() == [{"path": ["sheet"], "gesture": "dismiss"}]


def test_a_question_mark_is_a_letter_in_a_field_and_a_shortcut_where_it_is_one(browser):
    waits = "import('/later.js').then(() => new Promise(done => setTimeout(done, 50)))"
    screen = Screen(browser, {"kind": "column", "children": [field(value=""), button("Save", shortcut="mod+s"), None]})
    screen.page.click("[type=text]")
    screen.page.press("?")
    assert [m["inserted"] for m in screen.gestures()] == ["?"]
    screen.page.run("document.activeElement.blur()")
    screen.frame([0, [3], button("Help", shortcut="?")])
    screen.page.press("?")
    assert screen.gestures() == [{"path": [3], **TAP}]
    screen.page.run("document.activeElement.blur()")
    screen.frame([1, [3], {"disabled": True}])
    screen.page.press("?")
    screen.page.run(waits)
    assert not screen.page.run(IS_LISTED) and screen.gestures() == []
    # Without any shortcut there is nothing to list.
    screen.frame([0, [], {"kind": "column", "children": [rows([text("a", id=1)], onDelete=1), button("Save"), button("Off", shortcut="mod+s", disabled=True)]}])
    screen.page.press("?")
    screen.page.run(waits)
    assert not screen.page.run(IS_LISTED) and screen.gestures() == []


def test_the_list_of_shortcuts_follows_the_screen(browser):
    screen = Screen(browser, {"kind": "column", "children": [button("Save", shortcut="mod+s"), button("Find", shortcut="mod+f")]})
    screen.page.press("?")
    screen.page.equal(LISTED, ["Save Ctrl+S", "Find Ctrl+F"])
    screen.frame([1, [1], {"disabled": True}], [1, [2], {"text": "Look"}])
    screen.page.equal(LISTED, ["Look Ctrl+F"])
    # What the page has to say can be seen above it.
    screen.hear({"refused": 1, "message": "That did not work"})
    screen.page.equal("document.querySelector('.shortcuts #status')?.innerText", "That did not work")
    screen.frame([1, [2], {"disabled": True}])
    screen.page.equal(IS_LISTED, False)
    screen.frame([1, [2], {"disabled": False}])
    screen.page.press("?")
    screen.page.equal(LISTED, ["Look Ctrl+F"])
    screen.frame([1, [], {"sheet": {"kind": "child", "children": [{"kind": "form", "children": [button("Add", shortcut="mod+s")]}]}}])
    screen.page.equal(f"[{IS_LISTED}, document.activeElement.innerText]", [False, "Add"])
    screen.page.press("Control+s")
    assert screen.gestures() == [{"path": ["sheet", 1, 1], **TAP}]


def test_the_list_of_shortcuts_comes_when_the_connection_is_there_again(browser):
    screen = Screen(browser, button("Save", shortcut="mod+s"))
    screen.page.call("Network.enable")
    screen.page.call("Network.setBlockedURLs", urls=["*/later.js"])
    screen.page.press("?")
    screen.page.run("new Promise(done => setTimeout(done, 300))")
    assert any("later.js" in error for error in screen.page.errors())
    screen.page.call("Network.setBlockedURLs", urls=[])
    screen.page.press("?")
    screen.page.equal(LISTED, ["Save Ctrl+S"])


# Menus


MENU = {"kind": "menu", "label": "More", "children": [button("One"), button("Off", disabled=True), {"kind": "forEach", "children": [button("Two", id=1)]},
                                                      {"kind": "link", "text": "Site", "href": "https://example.org/"}]}


def test_a_menu_is_used_by_keys_and_says_that_it_is_one(browser):
    screen = Screen(browser, page_of("Root", {"kind": "toolbar", "children": [MENU, button("Next")]}))
    screen.page.run("document.querySelector('summary').focus()")
    assert screen.page.run("document.querySelector('summary').ariaHasPopup") == "menu"
    seen = []
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Home", "End"):
        screen.page.press(key)
        seen.append(screen.page.run("document.activeElement.innerText"))
    assert seen == ["One", "Two", "Site", "One", "Site", "One", "Site"], seen
    tree = "\n".join(screen.page.tree())
    for line in ("menu", 'menuitem "One"', 'menuitem "Two"', 'menuitem "Site"'):
        assert line in tree, tree
    screen.page.press("Escape")
    screen.page.equal("[document.querySelector('details').open, document.activeElement.localName].join()", "false,summary")
    screen.page.press("ArrowUp", "ArrowUp", "Enter")
    assert screen.gestures() == [{"path": [1, 1, 3, [1]], **TAP}]
    screen.page.equal("[document.querySelector('details').open, document.activeElement.localName].join()", "false,summary")
    # It closes when the focus goes on.
    screen.page.press("ArrowDown", "End", "Tab")
    screen.page.equal("[document.querySelector('details').open, document.activeElement.innerText].join()", "false,Next")


def test_escape_closes_a_menu_before_the_sheet_that_it_is_in(browser):
    screen = Screen(browser, {**page_of("Root"), "sheet": {"kind": "child", "children": [{"kind": "column", "children": [MENU]}]}})
    screen.page.run("document.querySelector('summary').focus()")
    screen.page.press("ArrowDown", "Escape")
    assert screen.gestures() == []
    screen.page.press("Escape")
    assert screen.gestures() == [{"path": ["sheet"], "gesture": "dismiss"}]


def test_an_open_menu_is_within_the_page_wherever_its_button_is(browser):
    row = {"kind": "row", "children": [MENU, {"kind": "spacer"}, MENU]}
    screen = Screen(browser, {"kind": "column", "children": [row, text("x\n" * 22), row]}, width=390)
    for index in range(4):
        screen.page.run(f"document.querySelectorAll('summary')[{index}].click()")
        screen.page.equal(f"""(() => {{ const r = document.querySelectorAll('.menu > .box')[{index}].getBoundingClientRect();
            return r.width > 100 && r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight; }})()""", True)
        screen.page.equal("document.documentElement.scrollWidth <= innerWidth", True)


# The connection


def test_a_page_that_lost_its_connection_goes_on_where_it_was(browser):
    screen = Screen(browser, field(value=""))
    screen.page.click("input")
    screen.page.type("ab")
    screen.page.run("sockets.at(-1).close()")
    screen.page.type("c")
    screen.page.wait("sockets.length == 2")
    assert "page=p&at=1" in screen.page.run("sockets[1].url")
    screen.sent()
    screen.hear({"hello": {"page": "p", "build": "b", "seen": 1, "resumed": 1}})
    assert [(m["n"], m["inserted"]) for m in screen.sent()] == [(2, "b"), (3, "c")]
    screen.frame([1, [], {"value": "abc"}])
    screen.hear({"seen": 3})
    screen.page.equal(VALUE, "abc")


def test_the_end_of_an_old_socket_is_not_that_of_the_connection(browser):
    screen = Screen(browser, text("a"))
    # A socket that closes takes a while; the page has another one before.
    screen.page.run("""(() => { const old = sockets[0]; old.readyState = 2; dispatchEvent(new Event("online")); window.end = () => old.onclose({code: 1006}); })()""")
    screen.page.equal("sockets.length", 2)
    screen.hear({"hello": {"page": "p", "build": "b", "seen": 0, "resumed": 1}})
    screen.page.run("end(); new Promise(done => setTimeout(done, 1010))")
    screen.page.equal("[document.querySelector('#status').textContent, sockets.length].join()", ",2")


def test_without_resumption_the_tree_is_new_and_what_was_typed_is_typed_again(browser):
    screen = Screen(browser, field(value=""))
    screen.page.click("input")
    screen.page.type("ab")
    screen.page.run("sockets.at(-1).close()")
    screen.page.wait("sockets.length == 2")
    screen.sent()
    screen.hear({"hello": {"page": "q", "build": "b", "seen": 0}})
    screen.frame([0, [], field(value="")])
    screen.page.equal(VALUE, "ab")
    screen.page.equal("document.activeElement.localName", "input")
    assert screen.gestures() == [{"path": [], "gesture": "type", "start": 0, "removed": 0, "inserted": "ab"}]


def test_a_frame_that_does_not_fit_makes_the_page_ask_for_a_new_tree(browser):
    screen = Screen(browser, text("a"))
    screen.page.run("hear([2, [[1, [7, 7], {text: 'b'}]]])")
    screen.page.wait("sockets.length == 2")
    assert "page=" not in screen.page.run("sockets[1].url")
    screen.page.errors()
    screen.hear({"hello": {"page": "q", "build": "b", "seen": 0}})
    screen.frame([0, [], text("new")])
    screen.page.equal("document.querySelector('main').innerText", "new")


def test_other_files_load_the_page_again_with_its_focus_and_caret(browser):
    screen = Screen(browser, field(value="Milk"))
    screen.page.run("document.querySelector('input').focus(); document.querySelector('input').setSelectionRange(1, 2); window.old = true")
    screen.page.run("sockets.at(-1).close()")
    screen.page.wait("sockets.length == 2")
    screen.hear({"hello": {"page": "q", "build": "other", "seen": 0}})
    screen.page.wait("!window.old && window.sockets?.length == 1")
    screen.hear({"hello": {"page": "q", "build": "other", "seen": 0}})
    screen.frame([0, [], field(value="Milk")])
    screen.page.equal(CARET, [1, 2])


def test_a_script_that_does_not_load_says_why_and_then_the_tree_comes(browser):
    screen = Screen(browser, None)
    screen.hear({"failed": {"message": "unexpected symbol", "location": "todos.lua:3"}})
    screen.page.equal("document.querySelector('main').innerText.split(/\\n+/)", ["unexpected symbol", "todos.lua:3"])
    screen.frame([0, [], text("well")])
    screen.page.equal("document.querySelector('main').innerText", "well")


def test_frames_are_acknowledged_and_the_environment_is_told(browser):
    screen = Screen(browser, text("a"), width=500, scheme="dark")
    assert "width=compact&colorScheme=dark&locale=en-US" in screen.page.run("sockets[0].url")
    assert screen.page.run("said.splice(0)") == [{"at": 1}]
    screen.page.call("Emulation.setDeviceMetricsOverride", width=900, height=700, deviceScaleFactor=1, mobile=False)
    screen.page.wait("said.length")
    assert screen.gestures() == [{"env": {"width": "regular", "colorScheme": "dark", "locale": "en-US"}}]


def test_an_animation_moves_rows_unless_motion_is_reduced(browser):
    for reduced, running in ((False, True), (True, False)):
        screen = Screen(browser, rows([text(c, id=c) for c in "abc"]), reduced=reduced)
        screen.frame([4, [1, ["a"]]], more=[0, "default"])
        screen.page.equal("document.getAnimations().length > 0", running)
        screen.page.close()
