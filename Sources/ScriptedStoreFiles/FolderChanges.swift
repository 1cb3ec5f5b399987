import Dispatch
import Platform
import Synchronization

/// Tells of files that are written, replaced or removed in some folders.
///
/// Linux tells of each. Apple's systems tell only of files that come, go or are replaced.
final class FolderChanges: Sendable {
  private let queue = DispatchQueue(label: "ScriptedStore.changes")
  /// Nil if only the last write to a file counts, before it is closed (Linux). Else each one does,
  /// and this is how long further ones are collected.
  private let pause: DispatchTimeInterval?
  private let state = Mutex(State())

  private struct State {
    var handler: (@Sendable () -> Void)?
    #if os(Linux)
    var source: (any DispatchSourceRead)?
    let events = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    #else
    /// By the numbers of the folders.
    var sources: [UInt64: any DispatchSourceFileSystemObject] = [:]
    #endif
  }

  init(eachWriteWithin pause: DispatchTimeInterval? = nil) { self.pause = pause }

  /// Calls `handler` after each change, on a queue of its own.
  func start(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.handler = handler }
    startEvents()
  }

  private func call() { state.withLock { $0.handler }?() }

  #if os(Linux)
  private func startEvents() {
    state.withLock { state in
      guard state.events >= 0, state.source == nil else { return }
      let events = state.events
      // Proof: libdispatch lets any thread suspend and resume a source; only the type is not
      // declared `Sendable`. Each suspension is followed by a resumption, also after this object
      // has gone.
      nonisolated(unsafe) let source = DispatchSource.makeReadSource(
        fileDescriptor: events, queue: queue)
      source.setEventHandler { [weak self] in
        guard let self, let pause else {
          self?.take(events)
          return
        }
        // Each event would wake a thread, which costs the writer more than the write itself.
        source.suspend()
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in
          self?.take(events)
          source.resume()
        }
      }
      source.setCancelHandler { close(events) }
      source.activate()
      state.source = source
    }
  }

  private func take(_ events: Int32) {
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    while read(events, &bytes, bytes.count) > 0 {}
    call()
  }

  /// Watches an open folder. The system ignores it if the folder is watched already.
  func watch(_ folder: Int32) {
    let changes =
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | (pause == nil ? 0 : IN_MODIFY)
    state.withLock { state in
      _ = inotify_add_watch(state.events, "/proc/self/fd/\(folder)", UInt32(changes))
    }
  }

  deinit {
    state.withLock { state in
      if let source = state.source { source.cancel() } else { close(state.events) }
    }
  }
  #else
  private func startEvents() {}

  /// Watches an open folder, unless it is watched already.
  func watch(_ folder: Int32) {
    var status = stat()
    guard fstat(folder, &status) == 0 else { return }
    state.withLock { state in
      guard state.sources[UInt64(status.st_ino)] == nil else { return }
      let descriptor = dup(folder)
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: .write, queue: queue)
      source.setEventHandler { [weak self] in self?.call() }
      source.setCancelHandler { close(descriptor) }
      source.activate()
      state.sources[UInt64(status.st_ino)] = source
    }
  }

  deinit {
    state.withLock { state in for source in state.sources.values { source.cancel() } }
  }
  #endif
}
