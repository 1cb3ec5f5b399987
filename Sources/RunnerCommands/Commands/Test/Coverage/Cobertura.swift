/// Renders coverage as Cobertura's XML (`coverage-04.dtd`): one package per folder, one class per
/// script.
enum Cobertura {
  /// - Parameter time: seconds since 1970.
  static func text(of table: CoverageTable, time: Double) -> String {
    var root = XMLElement(
      "coverage",
      rates(table.total) + [
        ("lines-covered", "\(table.total.covered)"), ("lines-valid", "\(table.total.count)"),
        ("branches-covered", "0"), ("branches-valid", "0"), ("complexity", "0"),
        ("version", "1"), ("timestamp", "\(Int(time * 1000))"),
      ])
    var sources = XMLElement("sources")
    sources.children = [XMLElement("source", text: Paths.real(table.root) ?? table.root)]
    var packages = XMLElement("packages")
    let folders = Dictionary(grouping: table.rows) { folder(of: $0.file) }
    packages.children = folders.sorted { $0.key < $1.key }.map(package)
    root.children = [sources, packages]
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">

      """
    root.write(to: &text)
    return text
  }

  private static func package(_ name: String, _ rows: [CoverageTable.Row]) -> XMLElement {
    var package = XMLElement(
      "package", [("name", name)] + rates(CoverageShare(of: rows)) + [("complexity", "0")])
    var classes = XMLElement("classes")
    classes.children = rows.map { row in
      var element = XMLElement(
        "class",
        [("name", row.file), ("filename", row.file)] + rates(row.share) + [("complexity", "0")])
      var lines = XMLElement("lines")
      lines.children = row.hits.map { line, count in
        XMLElement("line", [("number", "\(line)"), ("hits", "\(count)")])
      }
      element.children = [XMLElement("methods"), lines]
      return element
    }
    package.children = [classes]
    return package
  }

  private static func rates(_ share: CoverageShare) -> [(String, String)] {
    [("line-rate", fixed(share.share, 4)), ("branch-rate", "0")]
  }

  private static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[..<$0]).replacing("/", with: ".") } ?? "."
  }
}
