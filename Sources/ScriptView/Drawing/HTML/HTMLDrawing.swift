import ScriptValue

/// Draws a view's tree as HTML: canonical, so that drawings can be compared.
///
/// A node is a line, or the lines from its start tag to its end tag, indented. Elements are those
/// that browsers and assistive technology know: a real `button`, a `label` with its `input`, a
/// `table`. What is presented is a `dialog` behind the rest. Everything that comes from the state
/// is escaped; there are no scripts, styles or identifiers, and no addresses but safe ones.
public enum HTMLDrawing {
  /// The lines of the drawing, without a line break at the end. O(what is shown).
  public static func draw(_ tree: Value) -> String {
    var builder = HTMLBuilder()
    for layer in ViewScreen(tree).layers { builder.layer(layer) }
    return builder.writer.html
  }
}
