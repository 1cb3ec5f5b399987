#if Server
import ScriptView
import ScriptedStore

/// A request by which a page sends a file: `POST /file?page=…&at=…&path=…&name=…&type=…&size=…`, with the bytes as its body.
struct UploadRequest: Sendable {
  /// What the server has called the page.
  let page: String
  /// The version of the tree that the person sees.
  let version: Int
  /// Of the `file` element.
  let path: ViewPath
  /// The file without its path.
  let file: ViewFile

  static let address = "/file"

  /// - Parameter query: what stands behind the question mark of the address. Nil if something is missing.
  init?(query: Substring) {
    var fields: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // A form has a plus for a blank.
      let text = String(parts.last ?? "").map { $0 == "+" ? " " : $0 }
      guard parts.count == 2, let value = percentDecoded(String(text)[...]) else { return nil }
      fields[String(parts[0])] = value
    }
    guard let page = fields["page"], let version = fields["at"].flatMap({ Int($0) }),
      let json = fields["path"], let value = try? Value(json: json), let path = WireID.path(value),
      let name = fields["name"], !name.isEmpty, let size = fields["size"].flatMap({ Int($0) })
    else { return nil }
    (self.page, self.version, self.path) = (page, version, path)
    file = ViewFile(name: name, type: fields["type"] ?? "", size: size, path: name)
  }

  /// Whether the node at a path of a tree is a `file` element.
  static func isFile(_ path: ViewPath, in tree: Value) -> Bool {
    ViewLocation(root: tree).descending(path)?.node.kind == "file"
  }
}
#endif
