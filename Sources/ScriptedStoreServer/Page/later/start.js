// The end of the script that the page loads later: the parts that it gets.

export {clipboard, dragging, drops, files, rowNumbers, shapes, shortcutList, toasts};
