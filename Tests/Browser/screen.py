"""The page with a socket that the test holds in its hand: it hears what the test says, and the test sees what it sends."""

import functools
import http.server
import json
import threading

import files
from chromium import Failure

SOCKET = """
window.sockets = []; window.said = [];
window.WebSocket = class {
  static OPEN = 1; static CLOSING = 2;
  constructor(url) { this.url = String(url); this.readyState = 1; sockets.push(this); }
  send(text) { said.push(JSON.parse(text)); }
  close(code) { this.readyState = 3; this.onclose({code: code ?? 1006}); }
};
window.hear = (...messages) => { for (const message of messages) sockets.at(-1).onmessage({data: JSON.stringify(message)}); };
"""

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' http: https: data:; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = "page.html" if self.path == "/" else self.path[1:].split("?")[0]
        is_icon = name.startswith("icons/")
        body = b'<svg xmlns="http://www.w3.org/2000/svg"/>' if is_icon else files.read(name)
        self.send_response(200)
        self.send_header("Content-Type", "image/svg+xml" if is_icon else files.content_type(name))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@functools.cache
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Screen:
    """A page that shows a node."""

    def __init__(self, browser, node=None, **options):
        self.page = browser.page(before=SOCKET, **options)
        self.page.open(address())
        self.version = 0
        self.hear({"hello": {"page": "p", "build": "b", "seen": 0}})
        if node is not None:
            self.frame([0, [], node])

    def hear(self, *messages):
        self.page.run(f"hear(...{json.dumps(messages)})")
        errors = self.page.errors()
        if errors:
            raise Failure("\n".join(errors))

    def frame(self, *changes, more=()):
        self.version += 1
        self.hear([self.version, list(changes), *more])
        # What the page loads later is there: no handle is disabled for it, and no shape is a group without colour.
        self.page.wait("!document.querySelector('.move:disabled, .canvas > g:not([fill]), .file:empty')")

    def sent(self):
        """What the page has sent since the last time, without what it acknowledges."""
        messages = [m for m in self.page.run("said.splice(0)") if set(m) != {"at"}]
        for message in messages:
            message.pop("at", None)
        return messages

    def gestures(self):
        """The same, without the numbers of events."""
        return [{key: value for key, value in m.items() if key != "n"} for m in self.sent()]
