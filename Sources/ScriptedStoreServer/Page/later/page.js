// Parts of the page that few screens need: this folder is a script of its own, which page/later.js
// loads when a node or a key needs it.

import {
  accepting, connection, containers, dialogs, dom, frames, notices, rows, shortcuts, tree,
} from "/page.js";
