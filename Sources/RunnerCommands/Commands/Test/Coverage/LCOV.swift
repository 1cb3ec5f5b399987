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
