#ifndef EMBEDDEDPAGE_H
#define EMBEDDEDPAGE_H

#include <stddef.h>

// The files of Sources/ScriptedStoreServer/Page; a script is all files of its folder, one behind the other.
// Each function returns the bytes of a file and sets `*length` to their number. The bytes are there as long as the process.
const unsigned char *dev_css(size_t *length);
const unsigned char *dev_js(size_t *length);
// A line for each icon: its name, and its shapes as SVG.
const unsigned char *icons(size_t *length);
const unsigned char *page_css(size_t *length);
const unsigned char *page_html(size_t *length);
const unsigned char *page_js(size_t *length);
const unsigned char *later_js(size_t *length);

#endif
