// The start of the page, when all modules are there.

events.listen();
connection.start();

// Times as "5 minutes ago" go on.
setInterval(() => {
  for (const element of dom.all(dom.main, ".relative")) drawing.paint(tree.nodeOf(element));
}, 30000);

// For the script that is loaded later.
export {
  accepting, connection, containers, dialogs, dom, frames, notices, rows, shortcuts, tree,
};
