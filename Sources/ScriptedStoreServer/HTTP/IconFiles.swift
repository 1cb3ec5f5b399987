#if Server
import EmbeddedPage
import Platform

/// The icons that a page asks for, each when it is first shown, at `/icons/NAME.svg`.
///
/// A file has one symbol, `i`, without colours and widths: those of the text around it hold.
enum IconFiles {
  /// The icon at an address; nil if there is none.
  static func file(at path: String) -> PageFile? {
    guard path.hasPrefix(folder), path.hasSuffix(ending),
      let shapes = shapes[String(path.dropFirst(folder.count).dropLast(ending.count))]
    else { return nil }
    let svg =
      #"<svg xmlns="http://www.w3.org/2000/svg"><!-- lucide.dev, ISC License --><symbol id="i" viewBox="0 0 24 24">"#
      + shapes + "</symbol></svg>"
    return PageFile(Array(svg.utf8), mediaType: "image/svg+xml")
  }

  /// The names of all icons that have a file.
  static var names: Set<String> { Set(shapes.keys) }

  private static let folder = "/icons/", ending = ".svg"

  /// SVG by the name of the icon.
  private static let shapes: [String: String] = {
    var shapes: [String: String] = [:]
    let lines = String(decoding: embedded(page_file("icons.txt")), as: UTF8.self)
    for line in lines.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2 { shapes[String(parts[0])] = String(parts[1]) }
    }
    return shapes
  }()
}
#endif
