import ScriptValue

/// A text of a file with shared values, as it was read.
struct LoadedText {
  /// The value, with the changes of the journals.
  private(set) var value: Value?
  /// The value of the text alone.
  private(set) var inFile: Value?
  /// The text itself; empty if there is none.
  private(set) var text: [UInt8] = []
  private(set) var version = 1
  /// ``SharedJournal/checksum(_:)`` of the text; 0 if there is none.
  private(set) var checksum: UInt64 = 0
  /// Whether there is no file. An empty one may be one that is being written.
  private(set) var isMissing = false
  /// Why there is no value, though there is a text.
  var failure: SharedStorageError?
  /// Whether ``value`` has the changes of the journals.
  private(set) var isRecovered = false
  /// Whether the text cannot be read as a value. There is a value nevertheless, if the journals have the
  /// whole one.
  private(set) var isBroken = false
  /// The file that has journals which did not fit; nil if they did.
  var kept: String?

  /// No text, because there is none or because it cannot be read.
  init(isMissing: Bool = false, failure: SharedStorageError? = nil) {
    (self.isMissing, self.failure) = (isMissing, failure)
  }

  init(json text: [UInt8], hasVersion: Bool) {
    self.init(text) { text throws(SharedStorageError) in
      do throws(JSONError) {
        let whole = try Value(json: text)
        return hasVersion ? VersionedValue(read: whole) : VersionedValue(value: whole)
      } catch {
        throw SharedStorageError(
          code: "broken", message: "line \(error.line), column \(error.column): \(error.message)")
      }
    }
  }

  init(
    _ text: [UInt8], _ read: ([UInt8]) throws(SharedStorageError) -> VersionedValue
  ) {
    (self.text, checksum) = (text, SharedJournal.checksum(text))
    do throws(SharedStorageError) {
      let read = try read(text)
      (value, inFile, version) = (read.value, read.value, read.version)
    } catch {
      (failure, isBroken) = (error, true)
    }
  }

  /// Takes the changes of the journals. Without a file, the version is that of the changes.
  mutating func take(_ journals: SharedJournal.Result) {
    if value == nil && journals.hasChanges { version = journals.version }
    (value, isRecovered) = (journals.value, journals.hasChanges)
    if isRecovered { failure = nil }
  }

  /// What the file can be used for, as far as the text says.
  var use: StoredFile.State.Use {
    isBroken ? .broken : failure.map { .unread($0) } ?? .usable
  }
}

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
