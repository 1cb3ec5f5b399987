import ScriptValue

/// A file as views know it: what a `file` element enters, and what a link or an image has as its
/// `file`. Its bytes are never in a state: the host keeps them, and scripts find them by `path`.
public struct ViewFile: Sendable, Hashable {
  /// The name that the person's machine has for it.
  public var name: String
  /// Its media type as the person's machine says, as `image/png`; empty if it says none.
  public var type: String
  /// In bytes.
  public var size: Int
  /// The path among the host's files.
  public var path: String

  public init(name: String, type: String, size: Int, path: String) {
    (self.name, self.type, self.size, self.path) = (name, type, size, path)
  }

  /// Reads `{ name, type, size, path }`, or a path alone, whose last part is the name then. Nil if there is neither a name nor
  /// a path.
  package init?(_ value: Value?) {
    let fields = value?.object
    guard let path = value?.string ?? fields?["path"]?.string ?? fields?["name"]?.string,
      !path.isEmpty
    else { return nil }
    self.path = path
    let last = path.split(separator: "/").last.map(String.init) ?? path
    name = fields?["name"]?.string ?? last
    type = fields?["type"]?.string ?? ""
    size = fields?["size"]?.int ?? 0
  }

  /// The file as a script gets it.
  public var value: Value {
    [
      "name": .string(name), "type": .string(type), "size": .integer(Int64(size)),
      "path": .string(path),
    ]
  }

  /// Whether the file is of a kind as `accept` has them: `.png`, `image/png` or `image/*`. The name tells the media type of a file
  /// that has none.
  func isOf(kind: String) -> Bool {
    let kind = kind.lowercased()
    if kind.hasPrefix(".") { return name.lowercased().hasSuffix(kind) }
    let type = type.isEmpty ? MediaType.of(name) ?? "" : type.lowercased()
    return kind.hasSuffix("/*") ? type.hasPrefix(kind.dropLast()) : type == kind
  }
}

extension ViewNode {
  /// The file that a link offers or an image shows; nil if it has none.
  package var file: ViewFile? { ViewFile(self["file"]) }

  /// The kinds of files that a `file` element takes; empty for all.
  var acceptedFiles: [String] { names("accept") }

  /// The largest file that a `file` element takes, in bytes.
  package var mostBytes: Int { wholeNumber("maxBytes", in: 1...Int.max) ?? 10 << 20 }
}
