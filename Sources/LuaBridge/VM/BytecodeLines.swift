/// Finds in the bytecode of a chunk, as Lua 5.4 dumps it, which lines have something to run.
///
/// Lua tells the lines of a function (`activelines`), but gives nobody the functions inside of one that has not run.
struct BytecodeLines {
  private let bytes: UnsafeRawBufferPointer
  private var at = 0
  private var isBroken = false
  private var lines: Set<Int> = []

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The lines; none if this is not the bytecode of Lua 5.4.
  mutating func read() -> Set<Int> {
    let signature: [UInt8] = [0x1B, 0x4C, 0x75, 0x61, 0x54, 0x00]
    guard bytes.count > signature.count, bytes.prefix(signature.count).elementsEqual(signature)
    else { return [] }
    at = signature.count
    skip(6)  // data that transfers could spoil
    let sizes = [byte(), byte(), byte()]  // of an instruction, an integer, a float
    guard sizes == [4, 8, 8] else { return [] }
    skip(8 + 8)  // an integer and a float
    skip(1)  // number of upvalues
    readFunction()
    return isBroken ? [] : lines
  }

  private mutating func readFunction() {
    skipString()  // source
    var line = size()  // where it is defined
    _ = size()
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
    // The last instruction is the return at the function's `end`, which most functions never come to; the first of
    // one with any number of parameters prepares them.
    for instruction in 0..<max(0, count - 1) {
      let delta = Int8(bitPattern: bytes[start + instruction])
      line = delta == Self.isAbsolute ? absolute[instruction] ?? line : line + Int(delta)
      if isVararg && instruction == 0 { continue }
      lines.insert(line)
    }
  }

  /// Says that the line of an instruction is not relative to that of the one before.
  private static let isAbsolute = Int8.min

  private mutating func skipConstant() {
    switch byte() {
    case 0x13, 0x03: skip(8)  // float, integer
    case 0x04, 0x14: skipString()
    default: break  // nil, false, true
    }
  }

  // MARK: Pieces

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

  /// A number, seven bits a byte, the highest first; the last byte is marked.
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

  /// Its size is one more than its length; 0 for none.
  private mutating func skipString() {
    let size = size()
    if size > 0 { skip(size - 1) }
  }
}
