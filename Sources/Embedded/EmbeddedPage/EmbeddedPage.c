#include "EmbeddedPage.h"

#include "../embedded_files.h"

// A script is the files of a folder, one behind the other. What a module uses while it is defined stands before it.
static const struct embedded_file files[] = {
    {"page.html", (const unsigned char[]){
#embed "../../ScriptedStoreServer/Page/page.html" suffix(, 0)
    }},
    {"page.css", (const unsigned char[]){
#embed "../../ScriptedStoreServer/Page/page.css" suffix(, 0)
    }},
    {"page.js", (const unsigned char[]){
#embed "../../ScriptedStoreServer/Page/page/dom.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/properties.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/formats.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/icons.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/kinds.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/notices.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/announcements.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/tree.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/templates.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/drawing.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/rows.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/long_lists.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/containers.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/dialogs.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/frames.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/focus.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/typing.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/controls.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/accepting.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/later.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/shortcuts.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/events.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/connection.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/page/start.js" suffix(,)
    0}},
    {"later.js", (const unsigned char[]){
#embed "../../ScriptedStoreServer/Page/later/page.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/later/shapes.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/later/files.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/later/clipboard.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/later/toasts.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/later/shortcut_list.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/later/row_numbers.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/later/drops.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/later/dragging.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/later/start.js" suffix(,)
    0}},
    {"icons.txt", (const unsigned char[]){
#embed "../../ScriptedStoreServer/Page/icons/icons.txt" suffix(, 0)
    }},
    {"dev.css", (const unsigned char[]){
#embed "../../ScriptedStoreServer/Page/dev.css" suffix(, 0)
    }},
    {"dev.js", (const unsigned char[]){
#embed "../../ScriptedStoreServer/Page/dev/elements.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/server.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/actions.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/state.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/calls.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/views.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/effects.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/messages.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/problems.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/bar.js" suffix(,)
#embed "../../ScriptedStoreServer/Page/dev/start.js" suffix(,)
    0}},
    {NULL, NULL},
};

const unsigned char *page_file(const char *name) { return embedded_file(files, name); }
