// Files: the one that a person chooses goes to the server by a request of its own, because it may be
// large. The server enters it, and says why not.

const files = (() => {
  // A field with the name of the file that was chosen before.
  function describe(node, field) {
    const {accept, value} = node.props;
    const kinds = accept && [accept].flat().join(",");
    return field(node, "input", {type: "file", accept: kinds}, [], ["output", {}, value]);
  }

  async function send(node) {
    const {control, element, props} = node;
    const [file] = control.files;
    if (!file) return;
    const {name, type, size} = file;
    const query = new URLSearchParams({
      page: connection.page, at: frames.version, path: JSON.stringify(tree.pathOf(node)),
      name, type, size,
    });
    // A file that is too large stays here: the server needs only its size to say so.
    const body = size > (props.maxBytes ?? 10 << 20) ? null : file;
    element.ariaBusy = "true";
    const problem = await fetch("/file?" + query, {method: "POST", body})
      .then(answer => answer.ok ? "" : answer.text(), () => notices.words.notConnected);
    element.ariaBusy = null;
    control.value = "";
    if (problem) notices.show(problem);
  }

  return {describe, send};
})();
