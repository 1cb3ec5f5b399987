/// A call of a dependency that has no value in tests and that the test has not overridden.
struct UnimplementedCall: Error, Sendable, CustomStringConvertible {
  /// The caller and the function, as `Todos called deps.uuid()`.
  let what: String
  /// The source line of the call, as `todos.lua:31`.
  let origin: String?
  /// The override that the test needs, as text inside `dependencies = { … }`.
  let override: String

  /// - Parameters:
  ///   - name: The function in messages, as `deps.uuid`.
  ///   - path: The path of the function in `deps`.
  ///   - feature: The feature that called; nil if the test itself called.
  init(of name: String, at path: [String], by feature: String?, origin: String?) {
    what = "\(feature ?? "the test") called \(name)()"
    self.origin = origin
    override = UnimplementedCall.override(of: path)
  }

  /// An effect that waits on the feature's clock without calling it, such as a `debounce`. `use` is
  /// its name in messages.
  init(forWaitOf use: String, by feature: String, origin: String?) {
    what = "\(use) in \(feature) waits on deps.clock"
    self.origin = origin
    override = UnimplementedCall.override(of: ["clock"])
  }

  /// The message of the error that the call raises. Lua puts the source line in front.
  var message: String {
    "unimplemented: \(what). Override it in the test: dependencies = { \(override) }"
  }

  /// The same message with the source line:
  /// `unimplemented: Todos called deps.uuid() (todos.lua:31). Override it …`.
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
