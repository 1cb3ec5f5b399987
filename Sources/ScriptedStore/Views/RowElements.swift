import LuaBridge
import ScriptView

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
  /// Where the script has called `ui.forEach`.
  private let call: String?

  init(_ place: ViewOutput.Place) {
    let fields = place.fields
    call = place.call
    if let first = fields["first"].int, let last = fields["last"].int {
      let (most, overflows) = first.addingReportingOverflow(ViewWindow.mostRows - 1)
      source = last < first ? .list([]) : .range(first...(overflows ? last : min(last, most)))
      idKey = nil
      path = nil
      return
    }
    let id = fields["id"].string ?? "id"
    source = .list(fields["list"].array ?? [])
    idKey = id == "self" ? nil : id
    path = idKey == "id" ? place.paths["list"] : nil
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
    switch (id, element) {
    case (.string, _), (.integer, _), (.float, _): return id
    case (.null, .string), (.null, .integer), (.null, .float):
      throw failure(
        index, "is \(element)",
        "if the elements are their own ids, say so by { id = \"self\" }")
    case (.null, _):
      throw failure(
        index, "has no \(idKey ?? "value")",
        "give the element an id where it is inserted, or name the field that has it, as { id = \"uuid\" }"
      )
    default:
      throw failure(
        index, "has an id that is neither a string nor a number",
        "name the field that identifies the elements, as { id = \"uuid\" }")
    }
  }

  /// The index of the first element with an id: `hint` if that one has it; nil if there is none. O(1) for a range.
  func index(ofID id: Value, near hint: Int) -> Int? {
    func hasID(_ index: Int) -> Bool { (try? self.id(at: index)) == id }
    if case .range(let range) = source {
      return id.int.flatMap { range.contains($0) ? $0 - range.lowerBound : nil }
    }
    return hint < count && hasID(hint) ? hint : (0..<count).first(where: hasID)
  }

  private func failure(_ index: Int, _ problem: String, _ remedy: String) -> ScriptError {
    ScriptError("ui.forEach: the element \(index + 1) \(problem); \(remedy)", atCall: call)
  }

  /// Whether two elements are the same: one node, or scalars that print the same.
  static func isSame(_ a: Value, _ b: Value) -> Bool {
    a.withSlot { a in b.withSlot { a.isSame(as: $0) } }
  }
}
