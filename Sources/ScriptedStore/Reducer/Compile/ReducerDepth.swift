import LuaBridge

/// The number of reducers that are being compiled in one VM, each inside the previous one. Without
/// a limit, a reducer that contains itself would be compiled forever.
final class ReducerDepth {
  /// The limit protects the stack: a level takes 20 KB of it in a build with AddressSanitizer. 200
  /// is as deep as Lua lets C functions nest, and deeper than state nests.
  private static let maximum = 200
  private var depth = 0

  /// Counts one more level.
  ///
  /// - Throws: An error if the limit is reached. Else the caller must call ``leave()``.
  func enter() throws(ScriptError) {
    guard depth < Self.maximum else {
      throw ScriptError(
        "reducers are nested more than \(Self.maximum) deep; one that contains itself must do "
          + "so as a child, given as a function")
    }
    depth += 1
  }

  func leave() { depth -= 1 }
}
