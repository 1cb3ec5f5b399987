#ifndef EMBEDDEDPAGE_H
#define EMBEDDEDPAGE_H

// The bytes of a file of the page, as `page.html`, with a 0 behind them. A script is all files of its folder in
// Sources/ScriptedStoreServer/Page, one behind the other; `icons.txt` has a line for each icon: its name, and its shapes as SVG.
// The bytes are there as long as the process. NULL for another name.
const unsigned char *page_file(const char *name);

#endif
