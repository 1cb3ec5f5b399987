import LuaBridge

/// A path relative to the folder, as a script gives it: names with `/` between them.
struct FilePath: Sendable {
  /// As the script gave it, for messages.
  let text: String
  /// Empty for the folder itself. Never contains `..`, which could lead out of the folder.
  let names: [String]

  /// Throws for an absolute path, for `..` and for a zero byte.
  init(_ text: String) throws(ScriptError) {
    self.text = text
    // Splits by bytes, as the system does: a slash followed by a combining accent is not the
    // `Character` "/".
    let bytes = text.utf8
    guard bytes.first != UInt8(ascii: "/") else {
      throw ScriptError("'\(text)' is an absolute path; paths begin in the folder of files")
    }
    guard !bytes.contains(0) else {
      throw ScriptError("a path may not have a zero byte in it")
    }
    let names = bytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
    guard !names.contains(where: { $0.elementsEqual("..".utf8) }) else {
      throw ScriptError("'\(text)' has '..' in it, which could lead out of the folder of files")
    }
    self.names = names.map { String(Substring($0)) }
  }
}
