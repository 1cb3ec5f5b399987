// Parts of the page that few screens need: this folder is a script of its own, which page/later.js
// loads when a node needs it.

import {
  accepting, connection, containers, dialogs, dom, frames, notices, rows, tree,
} from "/page.js";
