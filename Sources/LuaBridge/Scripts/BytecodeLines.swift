/// Reads from a chunk's bytecode, in the dump format of Lua 5.4, which lines contain instructions.
///
/// Lua's debug interface has the lines of one function (`activelines`), but gives no access to
/// nested functions that have not been created. The dump contains them all.
struct BytecodeLines {
  private let bytes: [UInt8]
  private var at = 0
  private var isBroken = false
  private var lines: Set<Int> = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The lines with instructions; empty if the bytes are not a dump of Lua 5.4 with the expected
  /// sizes.
  mutating func read() -> Set<Int> {
    let signature: [UInt8] = [0x1B, 0x4C, 0x75, 0x61, 0x54, 0x00]
    guard bytes.count > signature.count, bytes.prefix(signature.count).elementsEqual(signature)
    else { return [] }
    at = signature.count
    skip(6)  // LUAC_DATA, which detects corrupted transfers
    let sizes = [byte(), byte(), byte()]  // sizes of an instruction, an integer, a float
    guard sizes == [4, 8, 8] else { return [] }
    skip(8 + 8)  // a test integer and a test float
    skip(1)  // number of upvalues
    readFunction()
    return isBroken ? [] : lines
  }

  private mutating func readFunction() {
    skipString()  // source
    var line = size()  // first line of the function
    _ = size()  // last line
    skip(1)  // parameters
    let isVararg = byte() != 0
    skip(1)  // stack
    skip(size() * 4)  // code
    for _ in 0..<size() where !isBroken { skipConstant() }
    skip(size() * 3)  // upvalues
    for _ in 0..<size() where !isBroken { readFunction() }
    let count = size()
    let start = at
    skip(count)
    var absolute: [Int: Int] = [:]
    for _ in 0..<size() where !isBroken {
      let instruction = size()
      absolute[instruction] = size()
    }
    for _ in 0..<size() where !isBroken {  // local variables
      skipString()
      _ = size()
      _ = size()
    }
    for _ in 0..<size() where !isBroken { skipString() }  // names of upvalues
    guard !isBroken else { return }
    // The last instruction is the return at the function's `end`, which most functions never reach.
    // The first one of a vararg function only prepares the arguments.
    for instruction in 0..<max(0, count - 1) {
      let delta = Int8(bitPattern: bytes[start + instruction])
      line = delta == Self.isAbsolute ? absolute[instruction] ?? line : line + Int(delta)
      if isVararg && instruction == 0 { continue }
      lines.insert(line)
    }
  }

  /// Marks an instruction whose line is in the table of absolute lines, not relative to the
  /// previous line.
  private static let isAbsolute = Int8.min

  private mutating func skipConstant() {
    switch byte() {
    case 0x13, 0x03: skip(8)  // float, integer
    case 0x04, 0x14: skipString()
    default: break  // nil, false, true
    }
  }

  // MARK: Basic types

  private mutating func byte() -> UInt8 {
    guard at < bytes.count else {
      isBroken = true
      return 0
    }
    defer { at += 1 }
    return bytes[at]
  }

  private mutating func skip(_ count: Int) {
    guard count >= 0, count <= bytes.count - at else {
      isBroken = true
      return
    }
    at += count
  }

  /// A variable-length integer: seven bits per byte, most significant first. The last byte has the
  /// high bit.
  private mutating func size() -> Int {
    var number = 0
    while !isBroken {
      let byte = byte()
      guard number < 1 << 40 else {
        isBroken = true
        return 0
      }
      number = number << 7 | Int(byte & 0x7F)
      if byte & 0x80 != 0 { return number }
    }
    return 0
  }

  /// The stored size is the length plus one; 0 means that there is no string.
  private mutating func skipString() {
    let size = size()
    if size > 0 { skip(size - 1) }
  }
}
