/// A call of a dependency that has no value in tests and that no test has overridden.
struct UnimplementedCall: Error, Sendable, CustomStringConvertible {
  /// Who did what: `Todos called deps.uuid()`.
  let what: String
  /// The line that called.
  let origin: String?
  /// What a test has to write, inside of `dependencies = { … }`.
  let override: String

  /// - Parameters:
  ///   - name: what was called.
  ///   - path: where that is in `deps`.
  ///   - feature: nil for a test itself.
  init(of name: String, at path: [String], by feature: String?, origin: String?) {
    what = "\(feature ?? "the test") called \(name)()"
    self.origin = origin
    override = UnimplementedCall.override(of: path)
  }

  /// Of something that waits by itself, as a debounce does.
  init(forWaitOf use: String, by feature: String, origin: String?) {
    what = "\(use) in \(feature) waits on deps.clock"
    self.origin = origin
    override = UnimplementedCall.override(of: ["clock"])
  }

  /// For the error at the line that called, which has its place in front.
  var message: String {
    "unimplemented: \(what). Override it in the test: dependencies = { \(override) }"
  }

  /// The same with the place: `unimplemented: Todos called deps.uuid() (todos.lua:31). Override it …`.
  var description: String {
    "unimplemented: \(what)\(origin.map { " (\($0))" } ?? ""). "
      + "Override it in the test: dependencies = { \(override) }"
  }

  private static let doubles = [
    "clock": "test.clock()", "date": "test.constantDate(0)", "random": "test.seededRandom(0)",
    "uuid": "test.incrementingUUID()",
  ]

  private static func override(of path: [String]) -> String {
    guard let first = path.first, let last = path.last else { return "" }
    if let double = doubles[first] { return "\(first) = \(double)" }
    return path.dropLast().reversed().reduce("\(last) = function(…) … end") { "\($1) = { \($0) }" }
  }
}
