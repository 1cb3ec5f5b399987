#if Server
import NIOCore
import NIOWebSocket

/// Frames of WebSockets as they are sent by a server, which masks nothing. A frame is made once for
/// all that get it.
enum WebSocketBytes {
  static func text(_ text: [UInt8]) -> ByteBuffer { frame(.text, text) }

  static func ping() -> ByteBuffer { frame(.ping, []) }

  static func pong(_ bytes: [UInt8]) -> ByteBuffer { frame(.pong, bytes) }

  static func close(_ code: UInt16) -> ByteBuffer {
    frame(.connectionClose, [UInt8(code >> 8), UInt8(code & 0xFF)])
  }

  private static func frame(_ code: WebSocketOpcode, _ payload: [UInt8]) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(payload.count + 10)
    // The last part of its message.
    buffer.writeInteger(0x80 | UInt8(webSocketOpcode: code))
    switch payload.count {
    case ..<126: buffer.writeInteger(UInt8(payload.count))
    case ...0xFFFF:
      buffer.writeInteger(UInt8(126))
      buffer.writeInteger(UInt16(payload.count))
    default:
      buffer.writeInteger(UInt8(127))
      buffer.writeInteger(UInt64(payload.count))
    }
    buffer.writeBytes(payload)
    return buffer
  }
}

/// Why connections end: RFC 6455 and its registry.
enum WebSocketClose {
  static let normal: UInt16 = 1000
  static let goingAway: UInt16 = 1001
  static let protocolError: UInt16 = 1002
  static let unsupported: UInt16 = 1003
  static let notText: UInt16 = 1007
  static let policy: UInt16 = 1008
  static let tooLarge: UInt16 = 1009
  static let tryLater: UInt16 = 1013
}
#endif
