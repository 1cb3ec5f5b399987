/// Media types of files by the endings of their names.
package enum MediaType {
  private static let types = [
    "avif": "image/avif", "gif": "image/gif", "ico": "image/x-icon", "jpeg": "image/jpeg",
    "jpg": "image/jpeg", "png": "image/png", "svg": "image/svg+xml", "webp": "image/webp",
    "csv": "text/csv", "html": "text/html", "md": "text/markdown", "txt": "text/plain",
    "json": "application/json", "pdf": "application/pdf", "zip": "application/zip",
    "mp3": "audio/mpeg", "ogg": "audio/ogg", "wav": "audio/wav", "mp4": "video/mp4",
    "webm": "video/webm",
  ]

  /// Nil for a name with no ending, or another one.
  package static func of(_ name: String) -> String? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    return types[name[dot...].dropFirst().lowercased()]
  }

  /// That of a picture; nil for all other files.
  package static func ofPicture(_ name: String) -> String? {
    of(name).flatMap { $0.hasPrefix("image/") ? $0 : nil }
  }
}
