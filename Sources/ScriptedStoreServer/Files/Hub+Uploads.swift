#if Server
import ScriptView
import ScriptedStore

/// Files that people send. A file is admitted when its request begins: then it is known which screen the person sees, and
/// whether the element takes the file. Until ``endUpload()`` it counts as one of those that are on their way.
extension Hub {
  /// The most files that are received at the same time: each is in memory as a whole.
  static let mostUploads = 16

  enum Admission {
    /// The file goes to this screen, of which the person sees this tree.
    case place(ServedScreen, tree: Value)
    /// Why the file is not taken.
    case refusal(String)
  }

  func admit(_ request: UploadRequest, session: String) -> Admission {
    guard let files = configuration.files else { return .refusal("this server keeps no files") }
    let page = pages.values.first { $0.name == request.page && $0.session == session }
    guard let screen = page?.screen, let tree = page?.tree(in: request.version) else {
      return .refusal("the screen has changed; try again")
    }
    guard request.file.size <= files.limit else {
      return .refusal("'\(request.file.name)' is too large for this server")
    }
    do throws(ViewRefusal) {
      _ = try ViewScreen(tree).perform(.enter(request.file.value), at: request.path)
    } catch {
      return .refusal(error.message)
    }
    guard uploads < Hub.mostUploads else {
      return .refusal("the server takes other files now; try again")
    }
    uploads += 1
    return .place(screen, tree: tree)
  }

  func endUpload() { uploads -= 1 }

  /// Keeps a file that was admitted, and enters it. A file that is refused then is removed again. `body` is called with the
  /// reason, or with nil, on any thread.
  func take(
    _ bytes: [UInt8], _ request: UploadRequest, on screen: ServedScreen, seen tree: Value,
    _ body: @escaping @Sendable (String?) -> Void
  ) {
    guard let files = configuration.files else { return }
    let (served, views) = (screen.served, screen.views)
    let failed = PageText.failed.shown(configuration.texts)
    let onLoop = OnLoop((hub: self, screen: screen), loop)
    let done: @Sendable (String?) -> Void = { refusal in
      onLoop { hub, screen in
        hub.endUpload()
        screen.takeNews()
        body(refusal)
      }
    }
    Task {
      var file = request.file
      do {
        file.path = try await files.keep(bytes, named: file.name)
      } catch {
        let reason = (error as? ScriptError)?.message ?? "\(error)"
        return done("'\(file.name)' cannot be kept: \(reason)")
      }
      let (kept, path) = (file, request.path)
      let refuse: @Sendable (String) -> Void = { reason in
        Task {
          try? await files.remove(kept.path)
          done(reason)
        }
      }
      served.async {
        do throws(ViewRefusal) {
          try views.perform(.enter(kept.value), at: path, seen: tree) { error in
            if error == nil { done(nil) } else { refuse(failed) }
          }
        } catch {
          refuse(error.message)
        }
      }
    }
  }
}

/// A request by which a page sends a file: `POST /file?page=…&at=…&path=…&name=…&type=…&size=…`,
/// with the bytes as its body.
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
}
#endif
