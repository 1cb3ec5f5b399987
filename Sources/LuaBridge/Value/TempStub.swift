public enum Value: Sendable, CustomDebugStringConvertible { case null, boolean(Bool), integer(Int64), float(Double), string(String), array([Value]), object([Int])
  package init(borrowing s: Slot) { self = .null }
  package func ownedSlot() -> Slot { .null }
  public var debugDescription: String { "" }
}
extension Slot: Equatable { package static func == (a: Slot, b: Slot) -> Bool { a.bits == b.bits } }
enum LuaSyntax { static func isName(_ s: String) -> Bool { true }
 static func quote(_ s: String) -> String { s } }
