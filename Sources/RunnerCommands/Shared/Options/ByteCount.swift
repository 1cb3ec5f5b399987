import ArgumentParser

/// A number of bytes, written as `4096`, `512K`, `64M` or `2G`.
struct ByteCount: ExpressibleByArgument {
  let bytes: Int

  init?(argument: String) {
    var digits = Substring(argument)
    let shift: Int
    switch digits.last {
    case "K", "k": shift = 10
    case "M", "m": shift = 20
    case "G", "g": shift = 30
    default: shift = 0
    }
    if shift > 0 { digits.removeLast() }
    guard let count = Int(digits), count > 0, count <= Int.max >> shift else { return nil }
    bytes = count << shift
  }
}
