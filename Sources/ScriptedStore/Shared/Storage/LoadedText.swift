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

  /// A text in a format. The parameters are those of ``FileFormat/value(of:as:)``.
  init(_ text: [UInt8], in format: FileFormat, as key: SharedKey?) {
    do throws(SharedStorageError) {
      guard let read = try format.value(of: text, as: key) else { return }
      (value, inFile, version) = (read.value, read.value, read.version)
    } catch {
      (failure, isBroken) = (error, true)
    }
    (self.text, checksum) = (text, SharedJournal.checksum(text))
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
