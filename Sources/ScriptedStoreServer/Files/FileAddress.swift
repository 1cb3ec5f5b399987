import Platform
import ScriptView
import ScriptedStore

/// The addresses by which browsers get people's files: `/files/KEY/PATH?name=NAME`.
///
/// The key is a hash of the path and the name with a secret of this process. Only the server can make it, and it does so when a
/// view shows the file. So a browser cannot ask for other files of the folder.
enum FileAddress {
  private static let secret = Secret.random()
  private static let start = "/files/"

  static func of(_ file: ViewFile) -> String {
    "\(start)\(key(file.path, file.name))/\(percentEncoded(file.path))?name=\(percentEncoded(file.name))"
  }

  /// Hashes twice with the secret, as HMAC does: with one hash, a browser could compute the key of a longer text from the key
  /// that it has.
  private static func key(_ path: String, _ name: String) -> String {
    let inner = SHA256.hex(of: Array("\(secret)\(path.utf8.count) \(path)\(name)".utf8))
    return SHA256.hex(of: Array("\(secret)\(inner)".utf8))
  }
}

#if Server
extension FileAddress {
  /// The path and the name of the file in the address of a request; nil if it is none that a view has shown.
  static func file(at address: String) -> (path: String, name: String)? {
    let parts = address.split(separator: "?", maxSplits: 1)
    guard parts.count == 2, parts[0].hasPrefix(start), parts[1].hasPrefix("name=") else {
      return nil
    }
    let rest = parts[0].dropFirst(start.count).split(separator: "/", maxSplits: 1)
    guard rest.count == 2, let path = percentDecoded(rest[1]),
      let name = percentDecoded(parts[1].dropFirst(5)), rest[0] == key(path, name)
    else { return nil }
    return (path, name)
  }
}
#endif
