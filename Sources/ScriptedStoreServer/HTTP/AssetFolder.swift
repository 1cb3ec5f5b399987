#if Server
import ScriptView
import ScriptedStore
import ScriptedStoreFiles

/// The folder with the author's pictures.
///
/// 1. A path leads down, by names of folders and a file. A name that begins with a dot is none: there are neither
///    hidden files nor ways up.
/// 2. Links are not followed, so that no file is outside of the folder. The folder itself may be a link.
/// 3. Only ordinary files of at most ``mostBytes`` are read, with the ending of a picture.
struct AssetFolder: Sendable {
  let path: String

  struct Asset: Sendable {
    let bytes: [UInt8]
    let mediaType: String
    var tag: String { entityTag(bytes) }
  }

  static let mostBytes = 16 << 20

  /// The file at the path of a request, which may have `%XX`; nil if it gives none. Blocks while it reads.
  func asset(at request: String) -> Asset? {
    guard let names = AssetFolder.names(in: request),
      let mediaType = names.last.flatMap({ MediaType.ofPicture($0) }),
      let folder = try? Folder(path, limit: AssetFolder.mostBytes),
      let bytes = try? folder.contents(of: FilePath(names.joined(separator: "/")))
    else { return nil }
    return Asset(bytes: bytes, mediaType: mediaType)
  }

  /// The names in the path of a request; nil if one of them can be no name here.
  private static func names(in request: String) -> [String]? {
    guard request.hasPrefix("/") else { return nil }
    var names: [String] = []
    for part in request.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      // An encoded slash is part of a name, and no name has one.
      guard let name = percentDecoded(part), !name.isEmpty, name.utf8.first != UInt8(ascii: "."),
        !name.utf8.contains(where: {
          $0 < 0x20 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
        })
      else { return nil }
      names.append(name)
    }
    return names
  }
}
#endif
