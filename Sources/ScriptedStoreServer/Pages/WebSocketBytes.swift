#if Server
import NIOCore
import NIOWebSocket

/// Frames of WebSockets as they are sent by a server, which masks nothing. A frame is made once for all that get it.
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
#endif
