#include "EmbeddedPage.h"

// A part of C23 that clang has in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define EMBEDDED(file) \
  const unsigned char *file(size_t *length) { \
    *length = sizeof file##_bytes; \
    return file##_bytes; \
  }

static const unsigned char dev_css_bytes[] = {
#embed "../../ScriptedStoreServer/Page/dev.css"
};
EMBEDDED(dev_css)

static const unsigned char dev_js_bytes[] = {
#embed "../../ScriptedStoreServer/Page/dev.js"
};
EMBEDDED(dev_js)

static const unsigned char page_css_bytes[] = {
#embed "../../ScriptedStoreServer/Page/page.css"
};
EMBEDDED(page_css)

static const unsigned char page_html_bytes[] = {
#embed "../../ScriptedStoreServer/Page/page.html"
};
EMBEDDED(page_html)

static const unsigned char page_js_bytes[] = {
#embed "../../ScriptedStoreServer/Page/page.js"
};
EMBEDDED(page_js)
