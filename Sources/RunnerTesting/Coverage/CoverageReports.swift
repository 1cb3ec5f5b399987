import RunnerShared

/// Renders coverage as a tracefile of lcov, which editors and code hosts read.
enum LCOV {
  static func text(of table: CoverageTable) -> String {
    var text = ""
    for row in table.rows {
      text += "TN:\nSF:\(row.path)\n"
      for (line, count) in row.hits { text += "DA:\(line),\(count)\n" }
      text += "LF:\(row.hits.count)\nLH:\(row.covered)\nend_of_record\n"
    }
    return text
  }
}

/// Renders coverage as Cobertura's XML (`coverage-04.dtd`): one package per folder, one class per
/// script.
enum Cobertura {
  /// - Parameter time: seconds since 1970.
  static func text(of table: CoverageTable, time: Double) -> String {
    let source = XMLElement("source", text: Paths.real(table.root) ?? table.root)
    let folders = Dictionary(grouping: table.rows) { folder(of: $0.file) }
    let packages = folders.sorted { $0.key < $1.key }.map(package)
    let root = XMLElement(
      "coverage",
      rates(table.total) + [
        ("lines-covered", "\(table.total.covered)"), ("lines-valid", "\(table.total.count)"),
        ("branches-covered", "0"), ("branches-valid", "0"), ("complexity", "0"),
        ("version", "1"), ("timestamp", "\(Int(time * 1000))"),
      ],
      children: [
        XMLElement("sources", children: [source]), XMLElement("packages", children: packages),
      ])
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">

      """
    root.write(to: &text)
    return text
  }

  private static func package(_ name: String, _ rows: [CoverageTable.Row]) -> XMLElement {
    let classes = rows.map { row in
      let lines = row.hits.map { line, count in
        XMLElement("line", [("number", "\(line)"), ("hits", "\(count)")])
      }
      return XMLElement(
        "class",
        [("name", row.file), ("filename", row.file)] + rates(row.share) + [("complexity", "0")],
        children: [XMLElement("methods"), XMLElement("lines", children: lines)])
    }
    return XMLElement(
      "package", [("name", name)] + rates(CoverageShare(of: rows)) + [("complexity", "0")],
      children: [XMLElement("classes", children: classes)])
  }

  private static func rates(_ share: CoverageShare) -> [(String, String)] {
    [("line-rate", fixed(share.share, 4)), ("branch-rate", "0")]
  }

  private static func folder(of file: String) -> String {
    file.lastIndex(of: "/").map { String(file[..<$0]).replacing("/", with: ".") } ?? "."
  }
}
