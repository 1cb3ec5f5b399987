extension JSONReader {
  /// Reads the number at the cursor, which is at `-` or a digit. An integer that fits `Int64` stays
  /// an integer. Any other number becomes the nearest double. A number beyond the range of a double
  /// is an error.
  mutating func readNumber() throws(JSONFault) -> Slot {
    let first = cursor
    var p = first
    let negative = p.pointee == UInt8(ascii: "-")
    if negative { p += 1 }
    let digits = p
    // 19 digits always fit UInt64. Further digits are counted but not added.
    var mantissa: UInt64 = 0
    while p < end, case let digit = p.pointee &- UInt8(ascii: "0"), digit < 10 {
      if p - digits < 19 { mantissa = mantissa &* 10 &+ UInt64(digit) }
      p += 1
    }
    let integerDigits = p - digits
    if integerDigits == 0 { throw fault(.expected("a digit"), at: p) }
    if integerDigits > 1, digits.pointee == UInt8(ascii: "0") {
      throw fault(.number("a number must not start with 0"), at: first)
    }
    let isFraction = p < end && p.pointee == UInt8(ascii: ".")
    let isExponent = p < end && p.pointee | 0x20 == UInt8(ascii: "e")
    if !isFraction && !isExponent {
      cursor = p
      if integerDigits <= 19 {
        if mantissa <= UInt64(Int64.max) {
          return .integer(negative ? -Int64(mantissa) : Int64(mantissa))
        }
        if negative, mantissa == UInt64(Int64.max) + 1 { return .integer(.min) }
      }
      return try readFloat(from: first, to: p)
    }
    var exponent = 0
    var significant = integerDigits
    if isFraction {
      p += 1
      let fraction = p
      while p < end, case let digit = p.pointee &- UInt8(ascii: "0"), digit < 10 {
        if significant < 19 { mantissa = mantissa &* 10 &+ UInt64(digit) }
        significant += 1
        p += 1
      }
      if p == fraction { throw fault(.expected("a digit after the point"), at: p) }
      exponent = -(p - fraction)
    }
    if p < end, p.pointee | 0x20 == UInt8(ascii: "e") {
      p += 1
      var isDown = false
      if p < end, p.pointee == UInt8(ascii: "+") || p.pointee == UInt8(ascii: "-") {
        isDown = p.pointee == UInt8(ascii: "-")
        p += 1
      }
      let power = p
      var written = 0
      while p < end, case let digit = p.pointee &- UInt8(ascii: "0"), digit < 10 {
        if written < 100_000 { written = written * 10 + Int(digit) }
        p += 1
      }
      if p == power { throw fault(.expected("a digit of the exponent"), at: p) }
      exponent += isDown ? -written : written
    }
    cursor = p
    // Both operands are exact doubles. The one multiplication or division therefore rounds once,
    // and its result is correctly rounded.
    if significant <= 19, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
      let magnitude =
        exponent < 0
        ? Double(mantissa) / Self.powerOfTen(-exponent)
        : Double(mantissa) * Self.powerOfTen(exponent)
      return .float(negative ? -magnitude : magnitude)
    }
    return try readFloat(from: first, to: p)
  }

  /// The slow path: the correctly rounded conversion of the standard library.
  @inline(never)
  private func readFloat(
    from first: UnsafePointer<UInt8>, to last: UnsafePointer<UInt8>
  ) throws(JSONFault) -> Slot {
    let text = UnsafeBufferPointer(start: first, count: last - first)
    guard let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite else {
      throw fault(.number("a number beyond the range of a double"), at: first)
    }
    return .float(number)
  }

  /// Ten to the power of 0 to 22. All results are exact.
  @inline(__always)
  private static func powerOfTen(_ exponent: Int) -> Double {
    switch exponent {
    case 0: 1e0
    case 1: 1e1
    case 2: 1e2
    case 3: 1e3
    case 4: 1e4
    case 5: 1e5
    case 6: 1e6
    case 7: 1e7
    case 8: 1e8
    case 9: 1e9
    case 10: 1e10
    case 11: 1e11
    case 12: 1e12
    case 13: 1e13
    case 14: 1e14
    case 15: 1e15
    case 16: 1e16
    case 17: 1e17
    case 18: 1e18
    case 19: 1e19
    case 20: 1e20
    case 21: 1e21
    default: 1e22
    }
  }
}
