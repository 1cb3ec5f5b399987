import LuaBridge

/// A place under the folder, as a script names it: names with `/` between them.
struct FilePath: Sendable {
  /// As the script gave it, for messages.
  let text: String
  /// Empty for the folder itself. Never `..`, which could lead out of it.
  let names: [String]

  /// Throws for an absolute path, for `..` and for a zero byte.
  init(_ text: String) throws(ScriptError) {
    self.text = text
    guard !text.hasPrefix("/") else {
      throw ScriptError("'\(text)' is an absolute path; paths begin in the folder of files")
    }
    guard !text.utf8.contains(0) else {
      throw ScriptError("a path may not have a zero byte in it")
    }
    let names = text.split(separator: "/").filter { $0 != "." }
    guard !names.contains("..") else {
      throw ScriptError("'\(text)' has '..' in it, which could lead out of the folder of files")
    }
    self.names = names.map(String.init)
  }
}
