"""Tests of `runner serve` in a browser."""

import base64
import json
import os
import re
import statistics
import tempfile
import time

from serving import ROOT, Server

FIELDS = "[...document.querySelectorAll('main [type=text]')].map(f => f.value)"
CARET = "[document.activeElement.selectionStart, document.activeElement.selectionEnd]"

NOTE = """
local scripted = require "scripted"
local ui = require "scripted.ui"
return scripted.feature {
  name = "Note", binding = true, state = { text = "", size = "S", count = 0 },
  on = { increment = function(state) state.count = state.count + 1 end,
    ["binding.text"] = function(state) state.text = state.text:sub(1, 60) end },
  view = function(state)
    return ui.screen {
      title = "Note", ui.textField { label = "Text", bind = "text" },
      ui.text("TITLE: " .. state.text), ui.button { "Increment", action = "increment" }, ui.text { "Count " .. state.count },
    }
  end,
}
"""


def opened(browser, server, **options):
    page = browser.page(**options)
    page.open(server.address)
    page.wait("document.querySelector('main').childElementCount")
    return page


def fine(*pages):
    for page in pages:
        errors = [e for e in page.errors() if "WebSocket" not in e and "ERR_CONNECTION" not in e]
        assert not errors, errors


def test_todos_are_added_written_completed_filtered_and_cleared(browser):
    with Server("todos") as server:
        page = opened(browser, server)
        page.equal("document.title", "Todos")
        page.click("button.primary")
        page.equal(FIELDS, [""])
        page.click("li [type=text]")
        page.type("Milk")
        page.press("Alt+n")
        page.equal(FIELDS, ["", "Milk"])
        page.click("li:nth-child(2) [type=checkbox]")
        page.wait("document.querySelector('.toolbar').innerText.includes('1 left')")
        page.click(".segmented label:nth-child(3)")
        page.equal(FIELDS, ["Milk"])
        page.click(".segmented label:nth-child(1)")
        page.equal(FIELDS, ["", "Milk"])
        page.click("main .toolbar button:nth-of-type(3)")
        page.equal(FIELDS, [""])
        page.click("li [type=text]")
        page.click(".delete")
        page.equal(FIELDS, [])
        fine(page)


ICONS = """
local scripted = require "scripted"
local ui = require "scripted.ui"
return scripted.feature {
  name = "Icons", state = { isOn = false }, on = { toggle = function(state) state.isOn = not state.isOn end },
  view = function(state)
    return ui.screen {
      title = "Icons", ui.icon { state.isOn and "sun" or "moon", label = "Now", tone = "danger" },
      ui.button { "Switch", action = "toggle" }, ui.text { "on: " .. tostring(state.isOn) },
    }
  end,
}
"""


def test_an_icon_is_drawn_in_the_colour_of_its_tone_and_fetched_when_it_is_shown(browser):
    with Server("icons", {"icons.lua": ICONS}) as server:
        page = opened(browser, server)
        fetched = "performance.getEntriesByType('resource').map(r => r.name).filter(n => n.includes('/icons/')).map(n => n.split('/').pop().split('?')[0])"
        page.equal(fetched, ["moon.svg"])
        # What the symbol has drawn is as large as the icon.
        page.wait("document.querySelector('use').getBBox().width > 12")
        page.equal("getComputedStyle(document.querySelector('.sign')).stroke == getComputedStyle(document.querySelector('.icon')).color", True)
        page.click("button")
        page.equal(fetched, ["moon.svg", "sun.svg"])
        fine(page)


MAIL = """
local scripted = require "scripted"
local ui = require "scripted.ui"
return scripted.feature {
  name = "Mail", state = {},
  view = function()
    return ui.screen {
      title = "Mail",
      ui.columns {
        compact = "tabs", style = "sidebar",
        ui.list { label = "Inbox", ui.text "Hello" }, ui.section { title = "Message", ui.text "It rains." },
      },
    }
  end,
}
"""


def test_columns_are_tabs_where_it_is_narrow(browser):
    seen = "[document.querySelectorAll('[role=tab]').length, ...['Hello', 'It rains.'].map(text => document.body.innerText.includes(text))]"
    with Server("mail", {"mail.lua": MAIL}) as server:
        page = opened(browser, server, width=1000)
        page.equal(seen, [0, True, True])
        page.look(width=390, height=700, scheme="light")
        page.equal(seen, [2, True, False])
        page.click("[role=tab]:nth-child(2)")
        page.equal(seen, [2, False, True])
        page.look(width=1000, height=700, scheme="light")
        page.equal(seen, [0, True, True])
        narrow = opened(browser, server, width=390)
        narrow.equal(seen, [2, True, False])
        fine(page, narrow)


PICTURES = """
local scripted = require "scripted"
local ui = require "scripted.ui"
return scripted.feature {
  name = "Pictures", state = {},
  view = function()
    return ui.screen {
      title = "Pictures", ui.image { source = "people/logo.svg", label = "Logo", width = 40, height = 20 },
      ui.image { source = "none.svg", label = "None" }, ui.link { "Open", href = "people/logo.svg" },
    }
  end,
}
"""


def test_a_picture_of_the_folder_is_shown_and_its_scripts_do_not_run(browser):
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect id="r" width="80" height="40" fill="#2f5fd8"/>' \
        '<script>document.getElementById("r").setAttribute("fill", "red")</script></svg>'
    with tempfile.TemporaryDirectory() as folder, Server("pictures", {"pictures.lua": PICTURES}, options=("--assets", folder)) as server:
        os.mkdir(f"{folder}/people")
        with open(f"{folder}/people/logo.svg", "w") as file:
            file.write(svg)
        page = opened(browser, server)
        page.wait("document.querySelector('img').naturalWidth == 80")
        page.equal("[...document.querySelectorAll('img')].map(i => [i.width, i.height, i.alt])[0]", [40, 20, "Logo"])
        page.equal("document.querySelectorAll('img')[1].naturalWidth", 0)
        # As a page of its own.
        page.open(server.address.split("?")[0] + "people/logo.svg")
        page.wait("document.querySelector('rect') != null")
        page.equal("document.querySelector('rect').getAttribute('fill')", "#2f5fd8")


PROFILE = """
local scripted = require "scripted"
local ui = require "scripted.ui"
return scripted.feature {
  name = "Profile", binding = true, state = {},
  view = function(state)
    return ui.screen {
      title = "Profile",
      ui.file { label = "Picture", bind = "picture", accept = "image/*", maxBytes = 2000 },
      state.picture and ui.image { file = state.picture, label = state.picture.name },
      state.picture and ui.link { "Get it", file = state.picture },
    }
  end,
}
"""


def test_a_file_is_chosen_shown_and_got_and_one_that_is_too_large_is_refused(browser):
    picture = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/files")
        for name, data in (("cat.png", picture), ("large.png", b"x" * 3000), ("notes.txt", b"text")):
            with open(f"{folder}/{name}", "wb") as file:
                file.write(data)
        with Server("profile", {"profile.lua": PROFILE}, options=("--files", f"{folder}/files")) as server:
            for width in (1280, 390):
                page = opened(browser, server, width=width)
                page.wait("!!document.querySelector('[type=file]')")
                for name, problem in (("large.png", "at most 2.0 kB"), ("notes.txt", "takes image/*")):
                    page.choose("[type=file]", f"{folder}/{name}")
                    page.wait(f"document.querySelector('#status').textContent.includes('{problem}')")
                page.choose("[type=file]", f"{folder}/cat.png")
                page.wait("document.querySelector('main img')?.naturalWidth == 1")
                page.equal("document.querySelector('output').textContent", "cat.png")
                page.equal("document.querySelector('[type=file]').value", "")
                link = "document.querySelector('a[download]')"
                assert page.run(f"fetch({link}.href).then(a => a.arrayBuffer()).then(b => b.byteLength)") == len(picture)
                assert page.run(f"fetch({link}.href.replace('cat', 'dog')).then(a => a.status)") == 404
                page.close()
            assert len(os.listdir(f"{folder}/files/uploads")) == 2


def test_two_pages_show_the_same_and_a_page_types_in_the_middle(browser):
    with Server("note", {"note.lua": NOTE}) as server:
        one, two = opened(browser, server), opened(browser, server)
        one.click("[type=text]")
        one.type("Milk bread")
        two.equal(FIELDS, ["Milk bread"])
        one.press("Home", *["ArrowRight"] * 4)
        one.type(" and")
        two.equal(FIELDS, ["Milk and bread"])
        one.equal(CARET, [8, 8])
        two.click("button")
        one.wait("document.body.innerText.includes('Count 1')")
        one.equal("document.activeElement.localName", "input")
        # A reducer that cuts.
        one.press("End")
        one.type("x" * 60)
        one.equal("document.activeElement.value.length", 60)
        fine(one, two)


def test_text_of_an_input_method_arrives_whole(browser):
    with Server("note", {"note.lua": NOTE}) as server:
        page = opened(browser, server)
        page.click("[type=text]")
        for text in ("に", "にほ", "にほん"):
            page.call("Input.imeSetComposition", text=text, selectionStart=len(text), selectionEnd=len(text))
        assert not page.run("document.body.innerText.includes('TITLE: に')")
        page.call("Input.insertText", text="日本")
        page.wait("document.body.innerText.includes('TITLE: 日本')")
        page.equal(FIELDS, ["日本"])
        fine(page)


def test_a_saved_script_keeps_the_state_the_focus_the_caret_and_the_scroll(browser):
    with Server("note", {"note.lua": NOTE}) as server:
        page = opened(browser, server)
        page.click("button")
        page.click("[type=text]")
        page.type("Milk and bread")
        page.press("Home", *["ArrowRight"] * 4, "Shift+ArrowRight")
        page.wait("document.body.innerText.includes('TITLE: Milk and bread')")
        times = []
        for word in ("HEAD", "TITLE") * 10:
            page.run(f"""window.changed = new Promise(done => new MutationObserver((_, watch) => {{
                if (document.body.innerText.includes('{word}: ')) {{ watch.disconnect(); done(); }} }})
                .observe(document.querySelector('main'), {{subtree: true, childList: true, characterData: true}})); 0""")
            start = time.monotonic()
            server.save("note.lua", NOTE.replace("TITLE", word))
            page.run("changed")
            times.append((time.monotonic() - start) * 1000)
        page.equal(CARET, [4, 5])
        page.equal(FIELDS, ["Milk and bread"])
        page.wait("document.body.innerText.includes('Count 1')")
        times.sort()
        print(f"  save → changed page: p50 {statistics.median(times):.0f} ms, p95 {times[-2]:.0f} ms (bar 50)")
        # The field is inside of another element now.
        server.save("note.lua", NOTE.replace("ui.textField {", "ui.form { ui.textField {").replace('bind = "text" }', 'bind = "text" } }'))
        page.wait("document.querySelector('.form') != null")
        page.type("!")
        page.wait("document.body.innerText.includes('TITLE: Milk')")
        fine(page)


def test_a_page_reconnects_after_the_server_was_killed(browser):
    server = Server("note", {"note.lua": NOTE})
    with server:
        page = opened(browser, server)
        page.click("[type=text]")
        page.type("Milk")
        page.wait("document.body.innerText.includes('TITLE: Milk')")
        server.kill()
        page.wait("document.querySelector('#status').innerText.includes('Reconnecting')")
        page.type("!")
        server.start()
        page.wait("document.querySelector('#status').innerText == ''", timeout=20)
        page.wait("document.body.innerText.includes('TITLE: ')")
        page.type("?")
        page.wait("document.activeElement.value.endsWith('?') && document.body.innerText.includes('TITLE: ' + document.activeElement.value)")
        page.click("button")
        page.wait("document.body.innerText.includes('Count 1')")
        page.errors()


def test_the_keyboard_alone_does_all(browser):
    todos = {"nextId": 4, "todos": [{"id": i, "description": d, "isComplete": False} for i, d in enumerate(("a", "b", "c"), 1)]}
    with Server("todos", options=("--state", json.dumps(todos))) as server:
        page = opened(browser, server)
        focused = "document.activeElement.innerText || document.activeElement.value || document.activeElement.type"
        page.press("Tab")
        page.equal("document.activeElement.type", "radio")
        page.press("Alt+n")
        page.equal(FIELDS, ["", "a", "b", "c"])
        page.run("document.querySelector('.toolbar button:nth-of-type(2)').focus()")
        page.press("Enter")
        page.wait("document.querySelector('.move') != null")
        page.run("document.querySelector('li').focus()")
        page.press("ArrowDown", "Alt+ArrowDown")
        page.equal("[...document.querySelectorAll('li p')].map(p => p.textContent).filter(Boolean)", ["Untitled todo", "b", "a", "c"])
        page.equal("document.activeElement.querySelector('p:not(:empty)').textContent", "a")
        page.press("Delete")
        page.equal("[...document.querySelectorAll('li p')].map(p => p.textContent).filter(Boolean)", ["Untitled todo", "b", "c"])
        page.equal("document.activeElement.localName", "li")
        fine(page)


def test_a_row_is_dragged_to_its_place(browser):
    todos = {"nextId": 4, "isEditing": True, "todos": [{"id": i, "description": d, "isComplete": False} for i, d in enumerate(("a", "b", "c"), 1)]}
    with Server("todos", options=("--state", json.dumps(todos))) as server:
        page = opened(browser, server)
        page.drag("li .move", page.run("document.querySelector('li').offsetHeight") * 2)
        page.equal("[...document.querySelectorAll('li p')].map(p => p.textContent).filter(Boolean)", ["b", "c", "a"])
        fine(page)


CARDS = "[...document.querySelectorAll('.list')].map(l => [...l.querySelectorAll('li p')].map(p => p.textContent))"
KANBAN = {"title": "", "nextId": 4, "todo": [{"id": 1, "title": "a"}, {"id": 2, "title": "b"}], "doing": [{"id": 3, "title": "c"}], "done": []}


def test_cards_of_a_board_are_dragged_by_the_mouse_and_done_takes_none_that_was_not_begun(browser):
    with Server("kanban", options=("--state", json.dumps(KANBAN))) as server:
        page = opened(browser, server, width=1280)

        def drag(card, column, side):
            x, y = page.place(f".column:nth-child({column}) .list")
            page.click("h1")
            from_x, from_y = page.run(f"(r => [r.left + r.width / 2, r.top + r.height / 2])([...document.querySelectorAll('li')]"
                                      f".find(e => e.innerText.includes('{card}')).querySelector('.move').getBoundingClientRect())")
            page.mouse("mouseMoved", from_x, from_y)
            page.mouse("mousePressed", from_x, from_y, 1, 1)
            for step in (1, 2, 3):
                page.mouse("mouseMoved", from_x + (x - from_x) * step / 3, from_y + (y + side - from_y) * step / 3, 1)
            refuses = page.run("document.querySelector('.refusing')?.ariaLabel ?? ''")
            page.mouse("mouseReleased", x, y + side, 0, 1)
            return refuses
        assert drag("a", 2, -10) == ""
        page.equal(CARDS, [["b"], ["a", "c"], []])
        assert drag("b", 3, 0) == "Done"
        assert drag("b", 2, 200) == ""
        page.equal(CARDS, [[], ["a", "c", "b"], []])
        assert drag("c", 3, 0) == ""
        page.equal(CARDS, [[], ["a", "b"], ["c"]])
        assert drag("a", 1, 0) == ""
        page.equal(CARDS, [["a"], ["b"], ["c"]])
        # What is done stays in its column.
        assert drag("c", 1, 0) == ""
        page.equal("document.querySelectorAll('.moving, .refusing, .taking').length", 0)
        page.equal(CARDS, [["a"], ["b"], ["c"]])
        fine(page)


def test_cards_of_a_board_go_everywhere_by_the_keyboard_alone(browser):
    with Server("kanban", options=("--state", json.dumps(KANBAN))) as server:
        page = opened(browser, server, width=390, height=800)
        focused = "document.activeElement.innerText.replace(/\\W/g, '')"
        page.press("Tab")
        page.equal(focused, "a")
        page.press("Alt+ArrowDown")
        page.equal(CARDS, [["b", "a"], ["c"], []])
        page.equal(focused, "a")
        page.press("Alt+ArrowDown")
        page.equal(CARDS, [["b"], ["a", "c"], []])
        page.equal(focused, "a")
        page.press("Alt+ArrowRight")
        page.equal(CARDS, [["b"], ["c"], ["a"]])
        page.equal(focused, "a")
        # What is done stays done.
        page.press("Alt+ArrowLeft", "Alt+ArrowUp")
        page.press("ArrowUp")
        page.equal(CARDS, [["b"], ["c"], ["a"]])
        assert page.run("document.documentElement.scrollWidth") <= 390
        fine(page)


def recipe(page, name):
    """A script of a page of the guide, by the line that names it."""
    with open(os.path.join(os.path.dirname(__file__), "../../docs/guide", page)) as file:
        return {name: next(b for b in re.findall(r"```lua\n(.*?)```", file.read(), re.S) if b.startswith(f"-- scripts/{name}"))}


def test_contacts_are_chosen_and_left_by_the_keyboard_alone(browser):
    with Server("contacts", scripts=recipe("recipes.md", "contacts.lua")) as server:
        page = opened(browser, server, width=1280, height=800)
        page.press("Tab", "ArrowDown")
        page.equal("document.activeElement.innerText", "Zed")
        page.press("Enter")
        page.wait("document.body.innerText.includes('Phone 5678')")
        page.press("ArrowUp", "Enter")
        page.wait("document.body.innerText.includes('Phone 1234')")
        page.close()
        page = opened(browser, server, width=390, height=800)
        page.wait("document.body.innerText.includes('Phone 1234')")
        page.press("Tab")
        page.equal("document.activeElement.innerText", "All contacts")
        page.press("Enter")
        page.wait("document.querySelectorAll('li').length == 2")
        page.press("Tab")
        page.equal("document.activeElement.localName", "li")
        fine(page)


def test_settings_are_entered_and_saved_by_the_keyboard_alone(browser):
    with Server("settings", scripts=recipe("forms.md", "settings.lua")) as server:
        page = opened(browser, server, width=390, height=800)
        page.press("Tab")
        page.equal("document.activeElement.value", "Blob")
        page.press("End")
        page.type(" Jr.")
        page.press("Tab")
        page.equal("document.activeElement.type", "number")
        page.press("ArrowUp")
        page.equal("document.activeElement.value", "13")
        page.press("Tab", " ")
        page.equal("[document.activeElement.type, document.activeElement.checked]", ["checkbox", False])
        page.press("Tab")
        page.equal("document.activeElement.innerText", "Save")
        page.press("Enter", "Shift+Tab", "Shift+Tab", "Shift+Tab")
        page.equal("document.activeElement.value", "Blob Jr.")
        page.press("Control+a", "Backspace")
        page.wait("document.body.innerText.includes('is needed')")
        page.equal("document.querySelector('main .n.button').disabled", True)
        fine(page)


def test_a_screen_reader_finds_what_there_is(browser):
    todos = {"nextId": 2, "todos": [{"id": 1, "description": "Milk", "isComplete": True}]}
    with Server("todos", options=("--state", json.dumps(todos), "--production")) as server:
        page = opened(browser, server)
        lines = [line.strip() for line in page.tree() if line.strip() != "paragraph"]
        for line in ('heading "Todos"', 'radiogroup "Filter"', 'radio "All" checked', "list", 'listitem "Milk"', 'checkbox "Done" checked', 'textbox "Description"',
                     'button "Delete Milk"', "toolbar", 'button "Add todo"', 'button "Edit"', 'button "Clear completed"'):
            assert line in lines, f"{line} is not in\n" + "\n".join(lines)
        fine(page)


def test_hostile_texts_of_a_state_are_texts(browser):
    evil = """<img src=x onerror="document.title='run'"><script>document.title='run'</script>"""
    script = """
local scripted, ui = require "scripted", require "scripted.ui"
return scripted.feature { name = "Evil", binding = true, state = { text = "", links = { "javascript:document.title='run'", " javascript:1", "data:text/html,x", "//evil.example" } },
  view = function(state)
    return ui.screen { title = state.text, ui.text(state.text), ui.button { state.text }, ui.textField { label = state.text, bind = "text", error = state.text, hint = state.text },
      ui.forEach(state.links, { id = "self" }, function(link) return ui.column { ui.link { "Go", href = link }, ui.image { label = "i", source = link } } end) }
  end }
"""
    with Server("evil", {"evil.lua": script}, options=("--state", json.dumps({"text": evil}))) as server:
        page = opened(browser, server)
        page.equal("document.querySelector('h1').textContent", evil)
        assert page.run("document.querySelectorAll('main :is(script, a, img[src])').length") == 0
        page.run("document.querySelectorAll('.link').forEach(e => e.click())")
        assert page.run("document.title") == evil
        fine(page)


def test_sheets_and_a_navigation_of_sync_ups(browser):
    with Server("sync_ups") as server:
        page = opened(browser, server, width=390)
        page.wait("document.querySelector('h1') != null")
        page.click("main .toolbar button")
        page.wait("document.querySelector('dialog[open]') != null")
        page.run("document.querySelector('dialog [type=text]').focus()")
        page.type("Design")
        page.press("Escape")
        page.wait("!document.querySelector('dialog[open]')")
        page.equal("document.activeElement.closest('.toolbar') != null", True)
        fine(page)


def test_the_bar_explains_an_action_from_long_before_it_was_opened(browser):
    with Server("note", {"note.lua": NOTE}) as server:
        page = opened(browser, server)
        for count in range(10, 70, 10):
            page.run("for (let i = 0; i < 10; i++) document.querySelector('main button').click()")
            page.wait(f"document.querySelector('main').innerText.includes('Count {count}')")
            # The page sends no more than 15 events in a tenth of a second.
            time.sleep(0.15)
        # Without the pointer, under which a row of the list would be explained.
        page.run("document.querySelector('.dev-strip button').click()")
        page.wait("document.querySelectorAll('.dev-entries li').length == 50")
        page.run("(() => { const f = document.querySelector('.dev [type=range]'); f.value = 5; f.dispatchEvent(new Event('input')); })()")
        page.wait("document.querySelector('.dev-details').innerText.includes('5 · increment')")
        page.run("(() => { const f = document.querySelector('.dev [type=range]'); f.value = 0; f.dispatchEvent(new Event('input')); })()")
        page.wait("document.querySelector('.dev-details').innerText.includes('The beginning')")
        fine(page)


def test_the_bar_goes_back_in_time_skips_locks_and_exports(browser):
    with Server("note", {"note.lua": NOTE}) as server:
        page, other = opened(browser, server), opened(browser, server)
        for count in (1, 2, 3):
            page.click("main button")
            page.wait(f"document.querySelector('main').innerText.includes('Count {count}')")
        page.click(".dev-strip button")
        page.wait("document.querySelectorAll('.dev-entries li').length == 3")
        page.click("[title='One action back']")
        other.wait("document.querySelector('main').innerText.includes('Count 2')")
        page.equal("document.querySelector('.dev output').textContent", "2 of 3")
        page.wait("document.querySelector('.dev-details').innerText.includes('count')")
        page.run("(() => { const f = document.querySelector('.dev [type=range]'); f.value = 3; f.dispatchEvent(new Event('input')); })()")
        page.wait("document.querySelector('main').innerText.includes('Count 3')")
        page.run("document.querySelector('.dev-entries li button:last-child').click()")
        page.wait("document.querySelector('main').innerText.includes('Count 2')")
        page.wait("document.querySelector('.dev-entries .skipped') != null")
        page.click("[title^='Drop all']")
        page.wait("document.querySelector('[title^=\\'Drop all\\']').innerText == 'Unlock'")
        page.click("main button")
        time.sleep(0.2)
        assert page.run("document.querySelector('main').innerText.includes('Count 2')")
        page.run("""window.test = new Promise(done => {
          const make = URL.createObjectURL;
          URL.createObjectURL = file => { file.text().then(done); return make.call(URL, file); };
        }); 0""")
        page.click("[title='The session as a test']")
        assert "increment" in page.run("test")
        fine(page, other)


SHELF = """
local scripted, ui = require "scripted", require "scripted.ui"
local Book = scripted.feature {
  name = "Book", on = { rename = function(state) state.title = state.title .. "!" end },
  view = function(state) return ui.button { state.title, action = "rename" } end,
}
local books = {}
for id = 1, 250 do books[id] = { id = id, title = "Book " .. id } end
return scripted.feature {
  name = "Shelf", state = { count = 0, books = books, note = { text = "a" } }, dependencies = { "uuid" },
  on = { add = function(state, _, deps) state.count = state.count + #deps.uuid() end },
  view = function(state)
    return ui.screen { title = "Shelf", ui.button { "Add", action = "add" }, ui.text("Count " .. state.count), ui.list { ui.forEach "books" } }
  end,
}:forEach("books", Book)
"""
ROWS = "[...document.querySelectorAll('.dev-tree li')].map(e => e.firstChild.innerText.replace(/\\s+/g, ' ').trim())"


def tab(page, name):
    page.run(f"[...document.querySelectorAll('.dev-tabs button')].find(e => e.innerText.startsWith('{name}')).click()")


def test_the_state_is_a_tree_that_is_opened_by_keys_marked_and_edited(browser):
    for width in (1280, 390):
        with Server("shelf", {"shelf.lua": SHELF}) as server:
            page = opened(browser, server, width=width)
            page.click(".dev-strip button")
            tab(page, "State")
            page.wait("document.querySelectorAll('.dev-tree li').length == 3")
            page.run("document.querySelector('.dev-tree [aria-expanded]').focus()")
            page.equal("document.activeElement.innerText", "books")
            page.press("ArrowRight")
            page.wait("document.querySelectorAll('.dev-tree li li').length == 101")
            page.equal("document.activeElement.ariaExpanded", "true")
            names = [line.strip() for line in page.tree()]
            assert any(line.startswith('button "books"') for line in names), names
            assert any(line.startswith('button "150 more"') for line in names), names
            page.press("ArrowRight")
            page.press("ArrowRight")
            page.wait("document.querySelectorAll('.dev-tree li li li').length == 2")
            page.press("ArrowLeft")
            page.wait("document.querySelectorAll('.dev-tree li li li').length == 0")
            page.press("ArrowLeft")
            page.equal("document.activeElement.innerText", "books")
            # What a person does in the page is marked, and the focus stays.
            page.run("[...document.querySelectorAll('main button')].find(e => e.innerText == 'Book 2').click()")
            page.wait(ROWS + ".some(row => row.startsWith('[2]') && row.endsWith('changed inside'))")
            page.equal("document.activeElement.innerText", "books")
            page.press("ArrowLeft")
            page.wait("document.querySelectorAll('.dev-tree li').length == 3")
            # A value that does not fit is told of at its field; one that does is in the page, and is undone as any action.
            page.run("[...document.querySelectorAll('.dev-row button')].find(e => e.title == 'Edit count').click()")
            page.equal("document.activeElement.value", "0")
            page.type("five")
            page.press("Enter")
            page.wait("document.querySelector('.dev-edit output').innerText.startsWith('count: ')")
            page.run("document.activeElement.select()")
            page.type("41")
            page.press("Enter")
            page.wait("document.querySelector('main').innerText.includes('Count 41')")
            page.wait("document.querySelector('.dev-edit') == null")
            page.equal("document.activeElement.title", "Edit count")
            page.wait(ROWS + ".includes('count 41 changed')")
            page.equal("document.documentElement.scrollWidth <= innerWidth", True)
            page.click("[title='One action back']")
            page.wait("document.querySelector('main').innerText.includes('Count 0')")
            page.wait(ROWS + ".includes('count 0')")
            fine(page)


def test_the_bar_has_the_calls_of_the_last_action_and_the_views_that_ran(browser):
    for width in (1280, 390):
        with Server("shelf", {"shelf.lua": SHELF}) as server:
            page = opened(browser, server, width=width)
            page.click(".dev-strip button")
            tab(page, "Views")
            page.wait("document.querySelector('.dev-views').innerText.includes('No view has run')")
            page.click("main button")
            page.wait("/^1 view ran for action 1, in .* ms/.test(document.querySelector('.dev-views').innerText)")
            page.equal("document.querySelector('.dev-views code').innerText", "the root")
            tab(page, "Calls")
            page.wait("document.querySelectorAll('.dev-calls li').length == 2")
            page.equal("document.querySelector('.dev-calls li').innerText", "1 · add")
            page.equal("[...document.querySelectorAll('.dev-calls code')].map(e => e.innerText.length)", [4, 38])
            page.equal("document.documentElement.scrollWidth <= innerWidth", True)
            page.click("[title='One action back']")
            page.wait("document.querySelector('.dev-calls').innerText.includes('no dependency was called')")
            fine(page)


def test_an_error_of_a_view_and_of_a_script_is_shown_with_its_line(browser):
    with Server("note", {"note.lua": NOTE}) as server:
        page = opened(browser, server)
        page.click(".dev-strip button")
        server.save("note.lua", NOTE.replace('ui.text("TITLE: " .. state.text)', 'ui.text("TITLE: " .. state.absent)'))
        page.wait("document.querySelector('.failed .location')?.innerText.includes('note.lua:')")
        server.save("note.lua", NOTE + "(")
        page.wait("document.querySelector('.dev-messages').textContent.includes('note.lua')")
        server.save("note.lua", NOTE)
        page.wait("document.querySelector('.failed') == null")
        fine(page)


FRAGILE = """
local scripted, ui = require "scripted", require "scripted.ui"
return scripted.feature {
  name = "Fragile", state = { count = 0 },
  on = { raise = function(state) error("no such thing") end,
    fail = function(state) return scripted.effect.run(function(send) error("no connection") end) end },
  view = function(state) return ui.screen { title = "WELL", ui.button { "Raise", action = "raise" }, ui.button { "Fail", action = "fail" } } end,
}
"""
PROBLEMS = "[...document.querySelectorAll('.dev-problems li')].map(e => e.innerText.split('\\n').filter(Boolean).slice(0, 2).join(' '))"


def test_errors_are_over_the_page_until_they_are_mended_though_the_bar_is_closed(browser):
    with Server("fragile", {"fragile.lua": FRAGILE}) as server:
        page = opened(browser, server)
        page.wait("document.querySelector('.dev-strip') != null")
        page.equal("document.querySelector('.dev-panel').checkVisibility()", False)
        page.click("main button")
        page.wait(PROBLEMS + "[0]?.includes('raise: ') && document.querySelector('.dev-problems').innerText.includes('fragile.lua:5')")
        page.click("main button:nth-of-type(2)")
        page.wait(PROBLEMS + "[0].includes('no connection') && document.querySelector('.dev-problems code').innerText.includes('fragile.lua:6')")
        server.save("fragile.lua", FRAGILE + "(")
        page.wait(PROBLEMS + ".length == 3 && document.querySelector('.dev-problems').innerText.includes('not reloaded')")
        # A page that comes later has them too.
        other = opened(browser, server)
        other.wait(PROBLEMS + ".length == 3")
        other.click(".dev-problems button")
        other.equal(PROBLEMS, [])
        server.save("fragile.lua", FRAGILE.replace("WELL", "MENDED"))
        page.wait("document.querySelector('h1').innerText == 'MENDED'")
        page.equal(PROBLEMS, [])
        fine(page, other)


def test_in_production_a_handler_that_raises_is_told_in_the_words_of_the_author(browser):
    for words in (None, "Das hat nicht geklappt"):
        options = ["--production"] + (["--texts", json.dumps({"failed": words})] if words else [])
        with Server("fragile", {"fragile.lua": FRAGILE}, options) as server:
            page = opened(browser, server)
            page.click("main button")
            page.equal("document.querySelector('#status').innerText", words or "That did not work")
            fine(page)


def test_buttons_of_the_bar_are_called_by_their_words(browser):
    with Server("note", {"note.lua": NOTE}) as server:
        page = opened(browser, server)
        page.click("main button")
        page.click(".dev-strip button")
        page.wait("document.querySelectorAll('.dev-entries li').length == 1")
        names = [line.strip() for line in page.tree() if line.strip().startswith("button")]
        for name in ('button "Dev"', 'button "Lock"', 'button "Export test"', 'button "Actions"', 'button "Skip"', 'button "One action back"'):
            assert any(line.startswith(name) for line in names), names
        assert any("increment" in line for line in names), names
        fine(page)


def test_what_is_typed_while_the_old_connection_has_not_ended_arrives(browser):
    # The page's first connection ends for the page alone.
    half = """window.sockets = []; const Real = WebSocket;
      window.WebSocket = class extends Real { constructor(...a) { super(...a); sockets.push(this); } };
      window.lose = () => { const old = sockets.at(-1); Object.defineProperty(old, "readyState", {value: 3}); old.send = () => {}; old.onmessage = null; old.onclose({code: 1006}); };"""
    with Server("note", {"note.lua": NOTE}) as server:
        page = opened(browser, server, before=half)
        page.click("[type=text]")
        page.type("Milk")
        page.wait("document.body.innerText.includes('TITLE: Milk')")
        page.run("window.main = document.querySelector('main').firstChild; lose()")
        page.type(" and")
        # The focus leaves the field: what was typed is not in it any more than in the events that wait.
        page.run("document.activeElement.blur()")
        page.wait("document.body.innerText.includes('TITLE: Milk and')")
        assert page.run("main == document.querySelector('main').firstChild && sockets.length == 2")
        fine(page)


def test_a_long_list_shows_the_rows_to_which_one_scrolls(browser):
    with Server("rows") as server:
        page = opened(browser, server)
        page.click("main .toolbar button:nth-of-type(2)")
        page.wait("document.querySelectorAll('main li').length == 60")
        page.run("scrollTo(0, document.body.scrollHeight / 2)")
        page.wait("""(() => { const row = document.elementFromPoint(450, 300)?.closest('li'); return row && Math.abs(parseInt(row.innerText) - 5000) < 500; })()""")
        page.run("scrollTo(0, document.body.scrollHeight)")
        page.wait("[...document.querySelectorAll('main li')].at(-1).innerText.startsWith('10000')")
        page.click("main li:last-child button.destructive")
        page.wait("[...document.querySelectorAll('main li')].at(-1).innerText.startsWith('9999')")
        fine(page)


def clicks(browser, count):
    """The sorted times from a click in one of so many rows, all shown, to the changed page, in milliseconds."""
    with open(os.path.join(ROOT, "scripts/rows.lua")) as file:
        script = file.read().replace("ui.list { selection", "ui.list { window = false, selection")
    state = {"nextId": count + 1, "rows": [{"id": i, "label": f"row {i}"} for i in range(1, count + 1)]}
    with Server("rows", {"rows.lua": script}, options=("--state", json.dumps(state))) as server:
        page = opened(browser, server)
        page.wait(f"document.querySelectorAll('main li').length == {count}")
        times = page.run("""(async () => {
          const times = [], rows = [...document.querySelectorAll('main li')];
          for (let i = 0; i < 100; i++) {
            const row = rows[(i * 37) % rows.length], start = performance.now();
            const changed = new Promise(done => new MutationObserver((_, watch) => { watch.disconnect(); done(); })
              .observe(row, {subtree: true, attributes: true, childList: true}));
            row.querySelector('button').click();
            await changed;
            times.push(performance.now() - start);
            await new Promise(done => setTimeout(done, 20));
          }
          return times.sort((a, b) => a - b);
        })()""")
        fine(page)
        return times


def test_a_click_is_in_the_page_as_soon_with_many_rows(browser):
    many, few = clicks(browser, 1000), clicks(browser, 10)
    print(f"  click → DOM, 1,000 rows: p50 {many[50]:.1f} ms, p95 {many[95]:.1f} ms; 10 rows: p50 {few[50]:.1f} ms, p95 {few[95]:.1f} ms; "
          f"p95 {many[95] / few[95]:.2f} × (bar 2)")
