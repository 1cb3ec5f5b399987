/// What an action started: its effects, those of the actions that these send, and so on. As TCA's
/// `StoreTask`.
///
/// It does not retain its store: when the last reference to the store goes, what the action started
/// is cancelled.
public struct StoreTask: Sendable {
  private let token: TaskToken?

  init(_ token: TaskToken?) { self.token = token }

  /// Returns when all that the action started has ended. If the waiting task is cancelled, that is
  /// cancelled too.
  ///
  /// Runs on the caller's actor.
  public func finish(isolation: isolated (any Actor)? = #isolation) async {
    guard let token else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in token.whenEnded { continuation.resume() } }
    } onCancel: {
      token.cancel()
    }
  }

  /// Cancels what the action started and is still in flight.
  public func cancel() { token?.cancel() }

  /// Whether ``cancel()`` was called, or the task was cancelled in ``finish(isolation:)``.
  public var isCancelled: Bool { token?.isCancelled ?? false }
}
