import LuaBridge

extension ScriptModules {
  /// The error for a script that the host opens as a reducer, but that returns something else. It
  /// names the line of the script's `return`, if that is found.
  ///
  /// - Parameters:
  ///   - name: the module, or the path of the script.
  ///   - returned: the value that the script returned.
  ///   - isOfFunction: whether the script returned a function, which has returned the value.
  func notAReducer(
    _ name: String, _ returned: LuaValue, isOfFunction: Bool = false
  ) -> ScriptError {
    let script =
      name.hasSuffix(".lua") ? try? root.file(name) : (try? root.module(name)) ?? nil
    let line = script.flatMap { scripts[$0.name] }.flatMap { Self.lineOfReturn(in: $0.text) }
    let value =
      switch returned {
      case _ where isOfFunction:
        "this is a function that returns \(returned.typeNameWithArticle)"
      // A module that returns nothing has the value `true`.
      case .boolean(true) where line == nil: "it returns nothing"
      default: "this is \(returned.typeNameWithArticle)"
      }
    return ScriptError(
      "\(name) returns no feature: its last line must be `return scripted.feature { … }` or "
        + "another reducer, \(value)",
      script: script?.name, line: line)
  }

  /// The last line that begins with `return`, from 1; nil if there is none. A `return` with blanks
  /// in front is passed over, because it most likely belongs to a function.
  private static func lineOfReturn(in text: [UInt8]) -> Int? {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.lastIndex { line in
      line.starts(with: "return".utf8) && !(line.dropFirst(6).first.map(isNamePart) ?? false)
    }.map { $0 + 1 }
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
