#if Server
import NIOCore

/// How long the server waits for pages. Tests do not wait as long.
struct ServerTimes: Sendable {
  var betweenPings = TimeAmount.seconds(20)
  /// A page that does not answer pings for longer is gone.
  var longestSilence = TimeAmount.seconds(60)
  /// A page that is away for longer is forgotten.
  var longestAbsence = TimeAmount.hours(1)
}
#endif
