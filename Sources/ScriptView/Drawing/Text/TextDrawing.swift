import ScriptValue

/// Draws a view's tree as text that reads as a drawing: `[ ] Milk`, `( all | [active] )`, `[ Add
/// ]`.
///
/// There is no colour, and nothing depends on the machine, so that drawings can be compared. Rows,
/// columns and grids are laid out by words, never by pixels. What is presented stands in frames
/// below the rest, the topmost last. Everything that comes from the state is made visible and cut
/// where it is long.
public enum TextDrawing {
  /// The drawing of a tree. O(what is shown).
  ///
  /// - Parameters:
  ///   - tree: the root node.
  ///   - width: the number of columns. No line is longer, and none ends with a blank.
  public static func draw(_ tree: Value, width: Int = 80) -> String {
    canvas(tree, width: width).text
  }

  /// The cells of the drawing, with what they mean and which node has drawn them. O(what is shown).
  public static func canvas(_ tree: Value, width: Int = 80) -> Canvas {
    let blocks = ViewScreen(tree).layers.map { layer in
      let builder = TextBuilder()
      let content = ColumnBlock(builder.blocks(ofLayer: layer.content))
      guard let name = layer.presentation else { return content as any Block }
      return FrameBlock(
        title: StyledText(name, .caption), content: content, owner: layer.content.path)
    }
    return canvas(blocks, width)
  }

  /// Draws one layer of a screen for a person on a terminal.
  /// O(what is shown).
  public static func canvas(
    _ layer: ViewScreen.Layer, for reader: ScreenReader, width: Int
  ) -> Canvas {
    let builder = TextBuilder(reader: reader)
    return canvas(builder.blocks(ofLayer: layer.content), width)
  }

  /// The cells of what a menu holds, or of the options of a picker below each other.
  public static func canvas(
    opened location: ViewLocation, for reader: ScreenReader, width: Int
  ) -> Canvas {
    let builder = TextBuilder(reader: reader)
    guard location.node.elementKind == .picker else {
      return canvas(builder.children(of: location), width)
    }
    return canvas(builder.radioLines(location, .control), width)
  }

  private static func canvas(_ blocks: [any Block], _ width: Int) -> Canvas {
    var canvas = Canvas(width: width)
    _ = ColumnBlock(blocks).draw(on: &canvas, x: 0, y: 0, width: canvas.width)
    return canvas
  }
}
