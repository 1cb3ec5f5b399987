import LuaBridge
import ScriptView

extension ViewOutput.Place {
  /// The line of the script that has called `ui.forEach` for this place, as `todos.lua:12`; nil for a view of the host.
  var call: String? { fields["call"].string }
}

extension ScriptError {
  /// An error of a place, at the line of its ``ViewOutput/Place/call``.
  init(_ message: String, atCall call: String?) {
    let parts = call?.split(separator: ":") ?? []
    self.init(
      message, script: parts.isEmpty ? nil : parts.dropLast().joined(separator: ":"),
      line: parts.last.flatMap { Int($0) })
  }
}

/// The error of a view, as its place shows it.
struct ViewError: Equatable {
  private let message: String
  private let location: String?
  private let traceback: String?

  /// - Parameter origin: where the view was declared, for an error without a place of its own.
  init(_ error: ScriptError, at origin: String?) {
    message = error.message
    location = error.location ?? origin
    traceback = error.traceback
  }

  /// The node that stands in place of the view: the error above the last good nodes.
  func node(above last: Value = .null, id: Value? = .none) -> Value {
    var error: Value.Object = ["message": .string(message)]
    if let location { error["location"] = .string(location) }
    if let traceback { error["traceback"] = .string(traceback) }
    var node: Value.Object = ["kind": "failed", "error": .object(error)]
    node["id"] = id
    if case .object = last { node["children"] = .array([last]) }
    return .object(node)
  }

  static func withoutView(_ domain: Domain) -> ScriptError {
    ScriptError(
      """
      \(domain.name) has no view; give the feature `view = function(state) … end`, or its reducer one by \
      :view(function(state) … end)
      """)
  }

  /// What stands in place of a view that did not run, because limits have stopped others. They have told why.
  static func notRun(_ site: ViewSite) -> ViewError {
    ViewError(
      ScriptError("the view of \(site.name) did not run, because limits have stopped other views"),
      at: site.origin)
  }
}
