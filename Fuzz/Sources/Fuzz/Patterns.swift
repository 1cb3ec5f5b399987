import CFuzz
import LuaBridge

/// Makes a subject and a pattern of bytes and matches them in the sandbox and in stock Lua.
struct Patterns: Target {
  static let longest = 37

  private static let script = #"""
    local function add(list, ...)
      for i = 1, select("#", ...) do
        local value = (select(i, ...))
        list[#list + 1] = math.type(value) or type(value)
        list[#list + 1] = tostring(value)
      end
      list[#list + 1] = ";"
      return list
    end
    local function walk(text, pattern, init)
      local step, list = string.gmatch(text, pattern, init), {}
      for _ = 1, 20 do add(list, step()) end
      return table.concat(list, " ")
    end
    local replacements = { "", "<%0>", "%1%2", { a = "x", b = false, [1] = 2 }, function(a, b) return b and a end }
    -- Bytes come as hexadecimal digits, and go as what `%q` makes of them.
    return function(digits)
      local which, init, pattern, text = digits:match("(..)(..)(%x*) (%x*)")
      local function bytes(digits) return (digits:gsub("..", function(d) return string.char(tonumber(d, 16)) end)) end
      which, init, pattern, text = tonumber(which, 16), tonumber(init, 16), bytes(pattern), bytes(text)
      if init > 100 then init = nil else init = init - 30 end
      local out = {}
      add(out, pcall(string.find, text, pattern, init, which % 7 == 0))
      add(out, pcall(string.match, text, pattern, init))
      add(out, pcall(walk, text, pattern, init))
      local replacement = replacements[which % #replacements + 1]
      add(out, pcall(string.gsub, text, pattern, replacement, which > 200 and init or nil))
      local result = table.concat(out, " "):gsub("'string%.", "'")
      return (("%q"):format(result):gsub("[\128-\255]", function(c) return "<" .. c:byte() .. ">" end))
    end
    """#

  private let stock: OpaquePointer
  private let lua: LuaVM
  private let function: LuaFunction

  init() throws {
    guard let stock = stock_open("@patterns.lua", Patterns.script) else {
      throw Surprise("no stock Lua")
    }
    self.stock = stock
    lua = try LuaVM()
    guard
      case .function(let function)? = try lua.load(Patterns.script, name: "patterns.lua").call()
        .first
    else { throw Surprise("no function") }
    self.function = function
  }

  func run(_ bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count >= 3 else { return }
    // Short ones, as nothing stops stock Lua.
    let split = 3 + Int(bytes[2]) % 14
    let pattern = bytes.dropFirst(3).prefix(split - 3)
    let text = bytes.dropFirst(split).prefix(20)
    let digits = "\(hexadecimal(bytes.prefix(2)))\(hexadecimal(pattern)) \(hexadecimal(text))"
    let expected = stock_call(stock, digits).map { String(cString: $0) }
    let result = try function.call([.string(digits)]).first?.string
    guard let result, result == expected else {
      throw Surprise("\(result ?? "nothing")\nis in stock Lua\n\(expected ?? "nothing")")
    }
  }
}

/// Two digits a byte.
private func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  text.reserveCapacity(bytes.count * 2)
  for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
  return String(decoding: text, as: UTF8.self)
}
