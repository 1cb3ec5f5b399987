"""What the page costs. The figures are printed, not asserted: they are those of the machine."""

import gzip
import os

import files
from screen import Screen


def size(*names):
    return sum(len(gzip.compress(files.read(name), 9)) for name in names)


def test_the_page_is_small(browser):
    print(f"  gzip -9: page.js {size('page.js'):,} bytes, page.css {size('page.css'):,}, page.html {size('page.html'):,}; "
          f"for development {size('dev.js', 'dev.css'):,} more")


def test_many_rows_cost_little_more_than_plain_dom_code(browser):
    screen = Screen(browser, {"kind": "text", "text": ""})
    with open(os.path.join(os.path.dirname(__file__), "rows.js")) as file:
        times = screen.page.run(file.read(), timeout=300)
    product = 1
    for name, (page, plain) in times.items():
        product *= page / plain
        print(f"  {name:24} {page:7.2f} ms, plain {plain:7.2f} ms, {page / plain:.2f} ×")
    print(f"  geometric mean {product ** (1 / len(times)):.2f} × (bar 1.3)")
