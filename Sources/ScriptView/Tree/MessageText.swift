import ScriptValue

/// Messages about nodes hold what the state says: names, ids, paths. They are read on terminals and
/// in logs, so that their text is made visible and has an end.
extension String {
  /// A name of a state in a message: visible, and cut after 40 scalars.
  var shownInMessage: String { visible(upTo: 40) }

  /// A whole message. All errors of views are made of it.
  var asMessage: String { visible(upTo: 1500) }

  private func visible(upTo limit: Int) -> String {
    // Scalars, because a character can hold marks without end.
    let cut = unicodeScalars.prefix(limit)
    let text = VisibleText.text(of: String(cut), keeping: [])
    return cut.endIndex < endIndex ? text + "…" : text
  }
}

extension Value {
  /// An id in a message.
  var inMessage: String { (drawnScalar ?? description).shownInMessage }
}

extension ViewLocation {
  /// The node in a message: `the button 'Add'`.
  var designation: String {
    let kind = node.kind.isEmpty ? "node" : node.kind.shownInMessage
    if let name = node.name { return "the \(kind) '\(name.shownInMessage)'" }
    if let (row, list) = enclosingRow, row.path == self.path,
      let number = list.rows.first(where: { $0.location.path == self.path })?.number
    {
      let name = list.node.name.map { " '\($0.shownInMessage)'" } ?? ""
      return "row \(number) of the \(list.node.kind.shownInMessage)\(name)"
    }
    let path = path.description
    return path.isEmpty ? "the \(kind)" : "the \(kind) at \"\(path)\""
  }
}

extension ViewScreen.Layer {
  /// The layer in a message: `the sheet 'New item'`.
  var designation: String {
    guard let presentation else { return "the screen" }
    return "the \(presentation)" + (title.map { " '\($0.shownInMessage)'" } ?? "")
  }

  /// That this layer covers something below it, with the remedy.
  func covers(_ covered: String) -> String {
    let isAnswered = presentation == "alert" || presentation == "dialog"
    let remedy = isAnswered ? "tap one of its buttons first" : "dismiss it first"
    return "\(covered) is covered by \(designation); \(remedy)"
  }
}
