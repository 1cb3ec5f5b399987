/// A function of a script, or the main chunk.
final class LuaFunctionBody {
  let parent: LuaFunctionBody?
  var parameters: [LuaVariable] = []

  /// True for the main chunk.
  var isMain: Bool { parent == nil }

  init(in parent: LuaFunctionBody?) { self.parent = parent }

  /// This function and the functions that enclose it, innermost first.
  var enclosing: UnfoldFirstSequence<LuaFunctionBody> { sequence(first: self) { $0.parent } }
}
