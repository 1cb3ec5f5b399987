import LuaBridge

/// The elements that a view makes rows of by a function: a list with ids, or a range of numbers.
struct RowElements {
  private enum Source {
    case list(Value.List)
    case range(ClosedRange<Int>)
  }

  private let source: Source
  /// The key of the ids; nil for elements that are their own ids.
  private let idKey: String?
  /// The path of the list in the view's state, for bindings; nil for another list.
  let path: String?
  init(_ place: ViewOutput.Place) {
    let fields = place.fields
    if let first = fields["first"].int, let last = fields["last"].int {
      source = last < first ? .list([]) : .range(first...last)
      idKey = nil
      path = nil
      return
    }
    let id = fields["id"].string ?? "id"
    source = .list(fields["list"].array ?? [])
    idKey = id == "self" ? nil : id
    path = idKey == "id" ? place.path(of: "list") : nil
  }

  var count: Int {
    switch source {
    case .list(let list): list.count
    case .range(let range): range.count
    }
  }

  subscript(index: Int) -> Value {
    switch source {
    case .list(let list): list[index]
    case .range(let range): .integer(Int64(range.lowerBound + index))
    }
  }

  /// The id of the element at an index, a string or a number. Throws if it has none.
  func id(at index: Int) throws(ScriptError) -> Value {
    let element = self[index]
    let id = idKey.map { element[$0] } ?? element
    switch id {
    case .string, .integer, .float: return id
    case .null:
      throw ScriptError(
        "ui.forEach: the element \(index + 1) has no \(idKey ?? "value"); say which field identifies the elements, as { id = \"uuid\" }"
      )
    default:
      throw ScriptError(
        "ui.forEach: the element \(index + 1) has an id that is neither a string nor a number; say which field identifies the elements, as { id = \"uuid\" }"
      )
    }
  }

  /// Whether two elements are the same: one node, or scalars that print the same.
  static func isSame(_ a: Value, _ b: Value) -> Bool {
    let (one, other) = (a.ownedSlot(), b.ownedSlot())
    defer {
      one.release()
      other.release()
    }
    return one.isSame(as: other)
  }
}
