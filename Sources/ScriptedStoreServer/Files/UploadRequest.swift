#if Server
import ScriptView
import ScriptedStore

/// A request by which a page sends a file: `POST /file?page=…&at=…&path=…&name=…&type=…&size=…`, with the bytes as its body.
struct UploadRequest: Sendable {
  /// The name that the server has given to the page.
  let page: String
  /// The version of the tree that the person sees.
  let version: Int
  /// Of the `file` element.
  let path: ViewPath
  /// The file without its path.
  let file: ViewFile

  static let address = "/file"

  /// Nil if a field is missing or malformed.
  init?(query: Substring) {
    let fields = queryFields(query)
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
