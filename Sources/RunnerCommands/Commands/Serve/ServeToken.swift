import Platform
import RunnerShared

/// The token of a folder of scripts and a port. It is kept in a file of the user, so that browsers know the server when it
/// has been started again.
struct ServeToken {
  let text: String

  /// Reads the token, or makes one. Nil if the file can be neither read nor written.
  init?(root: String, port: UInt16) {
    guard let path = UserFolder.state.path(of: "serve", for: root, suffix: "-\(port).token") else {
      return nil
    }
    if let known = ServeToken.read(path) {
      text = known
      return
    }
    let new = Secret.random()
    do throws(FileFault) {
      try WholeFile.makeFolder(Paths.folder(of: path))
      unlink(path)
      try WholeFile.create(Array(new.utf8), at: path, mode: 0o600)
    } catch {
      return nil
    }
    text = new
  }

  /// Nil if the file is not there, has no token, or can be read by others.
  private static func read(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o077 == 0, status.st_uid == getuid(),
      let bytes = try? WholeFile.read(path, atMost: Secret.length), Secret.isOne(bytes)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
