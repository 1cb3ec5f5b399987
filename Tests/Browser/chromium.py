"""Chromium, driven by the DevTools protocol over a pipe: nothing but Python's own library is needed."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

import files


class Failure(AssertionError):
    """Something on a page is not as a test says."""


def executable():
    """Chromium, or nil where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    return mac if os.path.exists(mac) else None


class Chromium:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        # The browser reads messages from its descriptor 3 and writes to its descriptor 4, with a zero byte behind each.
        commands, self.output = os.pipe()
        self.input, answers = os.pipe()
        arguments = [
            executable(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--mute-audio",
            "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
            "--force-color-profile=srgb", "--hide-scrollbars", "--lang=en-US", f"--user-data-dir={self.profile}", "about:blank",
        ]

        def place():
            # Both may have the number that the other is to get.
            a, b = os.dup(commands), os.dup(answers)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=place)
        os.close(commands)
        os.close(answers)
        os.set_blocking(self.input, False)
        self.rest = b""
        self.count = 0
        self.answers = {}
        self.pages = {}

    def send(self, method, session=None, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        return self.count

    def call(self, method, session=None, timeout=30, **parameters):
        number = self.send(method, session, **parameters)
        end = time.monotonic() + timeout
        while number not in self.answers:
            if time.monotonic() > end:
                raise Failure(f"Chromium does not answer {method}")
            self.read(0.005)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def read(self, patience=0.0):
        """Takes what the browser has to say; events go to their pages."""
        try:
            data = os.read(self.input, 1 << 20)
        except BlockingIOError:
            time.sleep(patience)
            return
        if not data:
            raise Failure("Chromium has ended")
        *messages, self.rest = (self.rest + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].heard(message["method"], message["params"])

    def page(self, **options):
        return Page(self, **options)

    def close(self):
        try:
            self.call("Browser.close", timeout=5)
        except (Failure, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for descriptor in (self.input, self.output):
            os.close(descriptor)
        shutil.rmtree(self.profile, ignore_errors=True)


KEYS = {
    "Enter": 13, "Tab": 9, "Escape": 27, "Delete": 46, "Backspace": 8, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39,
    "Home": 36, "End": 35, " ": 32,
}


class Page:
    """A tab with cookies of its own, unless `context` is that of another page."""

    # Whether the page has the files in Sources, in place of those that are built into the runner; for those who work on them.
    from_files = False

    def __init__(self, browser, width=900, height=700, scheme="light", context=None, touch=False, before=None, reduced=False):
        self.browser = browser
        self.events = []
        self.context = context or browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.pages[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Accessibility", "DOM"):
            self.call(domain + ".enable")
        self.look(width, height, scheme, touch, reduced)
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        if Page.from_files:
            self.call("Fetch.enable", patterns=[{"urlPattern": f"*/{name}.*"} for name in ("page", "later", "dev")])
        if before:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=before)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def look(self, width, height, scheme, touch=False, reduced=False):
        """Makes the window so large, and a person's settings these."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        if reduced:
            features.append({"name": "prefers-reduced-motion", "value": "reduce"})
        self.call("Emulation.setEmulatedMedia", features=features)

    def heard(self, method, parameters):
        if method == "Fetch.requestPaused":
            return self.serve(parameters)
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.events.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.events.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}".strip())

    def serve(self, request):
        """Answers a request for a file of the page with the file as it is now."""
        name = request["request"]["url"].rsplit("/", 1)[-1].split("?")[0]
        body = base64.b64encode(files.read(name)).decode()
        self.browser.send("Fetch.fulfillRequest", self.session, requestId=request["requestId"], responseCode=200, body=body,
                          responseHeaders=[{"name": "Content-Type", "value": files.content_type(name)}])

    def errors(self):
        """What the console of the page has said that is an error, since the last time."""
        self.browser.read()
        found, self.events = self.events, []
        return found

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState == 'complete'")

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.pages.pop(self.session, None)

    # Scripts

    def run(self, script, timeout=30):
        """The value of an expression; waits for a promise."""
        result = self.call("Runtime.evaluate", timeout=timeout, expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(f"{script}: {details.get('exception', {}).get('description') or details['text']}")
        return result["result"].get("value")

    def wait(self, script, timeout=10):
        """Waits until an expression is true, and gives its value."""
        end = time.monotonic() + timeout
        while True:
            try:
                value = self.run(script)
            except Failure as failure:
                # The page may be about to give way to another one.
                value, reason = None, failure
            else:
                reason = None
            if value:
                return value
            if time.monotonic() > end:
                shown = self.run("document.body ? document.body.innerText.slice(0, 600) : ''")
                raise Failure(f"it did not become true: {script}\n{reason or ''}\nthe page shows:\n{shown}\n{self.errors()}")
            time.sleep(0.01)

    def equal(self, script, expected, timeout=5):
        """Waits until an expression has a value."""
        end = time.monotonic() + timeout
        while True:
            value = self.run(script)
            if value == expected:
                return
            if time.monotonic() > end:
                raise Failure(f"{script}\n    is {value!r}\n    not {expected!r}")
            time.sleep(0.01)

    def becomes(self, script, timeout):
        """Whether an expression becomes true within so many seconds."""
        try:
            return bool(self.wait(script, timeout))
        except Failure:
            return False

    # What a person does

    def place(self, selector):
        """The middle of an element, which is scrolled to."""
        return self.middle(f"document.querySelector({json.dumps(selector)})")

    def middle(self, script):
        """The middle of the element that an expression has, which is scrolled to."""
        box = self.wait(f"""(() => {{ const e = {script}; if (!e) return null;
            e.scrollIntoView({{block: "nearest"}}); const r = e.getBoundingClientRect();
            return [r.left + r.width / 2, r.top + r.height / 2]; }})()""")
        return box

    def mouse(self, kind, x, y, buttons=0, clicks=0):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if clicks or buttons else "none",
                  buttons=buttons, clickCount=clicks)

    def click(self, selector):
        self.click_at(*self.place(selector))

    def click_at(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, 1, 1)
        self.mouse("mouseReleased", x, y, 0, 1)

    def choose(self, selector, path):
        """Chooses a file in a field for files."""
        found = self.call("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")
        self.call("DOM.setFileInputFiles", files=[path], objectId=found["result"]["objectId"])

    def drag(self, selector, by, steps=6):
        x, y = self.place(selector)
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, 1, 1)
        for step in range(1, steps + 1):
            self.mouse("mouseMoved", x, y + by * step / steps, 1)
        self.mouse("mouseReleased", x, y + by, 0, 1)

    def type(self, text):
        """Types characters one by one."""
        for character in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", key=character, text=character, unmodifiedText=character)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=character)

    def press(self, *keys):
        """Presses keys one after the other: "Tab", "Control+s", "Alt+ArrowUp"."""
        for combination in keys:
            *modifiers, key = combination.split("+")
            flags = sum({"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}[m] for m in modifiers)
            code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
            text = "\r" if key == "Enter" else key if len(key) == 1 and not flags & 7 else None
            name = "Key" + key.upper() if len(key) == 1 and key.isalpha() else "Space" if key == " " else key
            more = {"text": text, "unmodifiedText": text} if text else {}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", key=key, code=name,
                      modifiers=flags, windowsVirtualKeyCode=code, **more)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=name, modifiers=flags, windowsVirtualKeyCode=code)

    # What a person perceives

    def tree(self):
        """The accessibility tree: a list of "role name" with two spaces for each level."""
        nodes = {n["nodeId"]: n for n in self.call("Accessibility.getFullAXTree")["nodes"]}
        lines = []

        def visit(node, depth):
            role, name = node["role"]["value"], node.get("name", {}).get("value", "")
            shown = not node.get("ignored") and role not in ("generic", "none", "StaticText", "InlineTextBox", "LabelText")
            if shown:
                states = [p["name"] for p in node.get("properties", []) if p["name"] in ("focused", "checked", "disabled", "modal")
                          and p["value"].get("value") not in (False, "false", None)]
                lines.append("  " * depth + " ".join([role, json.dumps(name, ensure_ascii=False) if name else "", *states]).rstrip())
            for child in node.get("childIds", []):
                if child in nodes:
                    visit(nodes[child], depth + shown)

        visit(next(n for n in nodes.values() if "parentId" not in n), 0)
        return lines

    def screenshot(self, path, full=False, **options):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full, **options)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
