import Foundation
import LuaBridge

/// Makes a value of bytes and sends it through Lua, as an argument, through the fields of a table, and through `Codable`.
struct Values: Target {
  static let longest = 300

  private let lua: LuaVM
  private let identity: LuaFunction
  private let echo: LuaFunction

  init() throws {
    lua = try LuaVM(limits: LuaLimits(memory: 64 << 20))
    identity = try lua.load("return ...", name: "identity.lua")
    echo = try lua.makeFunction("echo", tablesAsValues: true) { .values($0) }
  }

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    var choices = Choices(bytes)
    let value = Values.value(&choices, depth: 0)
    for function in [identity, echo] {
      let result = try function.call([.value(value)], tablesAsValues: true).first ?? .nil
      guard Value(result) == value else { throw Surprise("\(value) comes back as \(result)") }
    }
    let table = try lua.makeTable()
    try table.set("field", to: .value(value))
    guard Value(try table.get("field")) == value || value.isContainer else {
      throw Surprise("\(value) is another in a table")
    }
    let coded = try ValueEncoder().encode(value)
    guard coded == value, try ValueDecoder().decode(Value.self, from: value) == value else {
      throw Surprise("\(value) is encoded as \(coded)")
    }
    guard value.hashValue == coded.hashValue else { throw Surprise("\(value) has two hashes") }
  }

  static func value(_ choices: inout Choices, depth: Int) -> Value {
    switch choices.number(below: depth < 6 ? 10 : 6) {
    case 0: return .null
    case 1: return .boolean(choices.byte() & 1 == 1)
    case 2: return .integer(Int64(bitPattern: choices.word()))
    case 3: return .integer(Int64(choices.byte()))
    case 4:
      let number = Double(bitPattern: choices.word())
      return .float(number.isFinite ? number : 0.5)
    case 5: return .string(text(&choices))
    case 6, 7:
      var list: [Value] = []
      for _ in 0..<choices.number(below: 20) { list.append(value(&choices, depth: depth + 1)) }
      return .array(Value.List(list))
    default:
      var object = Value.Object()
      for _ in 0..<choices.number(below: 40) {
        object[text(&choices)] = value(&choices, depth: depth + 1)
      }
      return .object(object)
    }
  }

  private static func text(_ choices: inout Choices) -> String {
    String(decoding: choices.some(atMost: 50), as: UTF8.self)
  }
}

extension Value {
  fileprivate var isContainer: Bool { array != nil || object != nil }
}
