import ScriptValue

/// What the file of a `fileStorage` key says: a value, and the version of its shape.
///
/// There are two forms:
///
/// - plain: the value itself, whose version is 1.
/// - marked: an object with the two keys `$version`, an integer of 1 or more, and `$value`, and no other key.
///
/// A value of version 1 is written plain, unless it has the marked form itself: then it is marked with version 1. So each
/// value is read as it was written, whatever keys it has.
struct VersionedValue {
  let value: Value
  let version: Int

  init(value: Value, version: Int = 1) { (self.value, self.version) = (value, version) }

  /// Reads either form.
  init(read whole: Value) {
    if let object = whole.object, object.count == 2, let value = object["$value"],
      case .integer(let number)? = object["$version"], let version = Int(exactly: number),
      version >= 1
    {
      self.init(value: value, version: version)
    } else {
      self.init(value: whole)
    }
  }

  /// The plain form, if it is read as this value and version; else the marked one.
  var written: Value {
    let plain = VersionedValue(read: value)
    if version == 1, plain.version == 1, plain.value == value { return value }
    return .object(["$version": .integer(Int64(version)), "$value": value])
  }
}
