"""The page's files as they are in Sources, put together as in the runner."""

import os
import re

EMBEDDED = os.path.join(os.path.dirname(__file__), "../../Sources/Embedded/EmbeddedPage")


def read(name):
    """The bytes of `page.js` and the like: those of the files that EmbeddedPage.c names."""
    with open(os.path.join(EMBEDDED, "EmbeddedPage.c")) as file:
        source = file.read()
    array = source.split(f'{{"{name}", ', 1)[1].split("}},", 1)[0]
    parts = []
    for path in re.findall(r'#embed "(.*?)"', array):
        with open(os.path.join(EMBEDDED, path), "rb") as file:
            parts.append(file.read())
    return b"".join(parts)


def content_type(name):
    return {"html": "text/html", "css": "text/css", "js": "text/javascript"}[name.rsplit(".", 1)[-1]]
