import CLua
import ScriptValue

/// What C and Swift each define, because the values of LuaBridge know nothing of C.
package enum SharedConstants {
  /// Names those constants on which both do not agree. Checked whenever a VM is made in a debug
  /// build.
  package static var disagreements: [String] {
    let tags: [(Tag, Int32)] = [
      (.absent, SL_TAG_ABSENT), (.null, SL_TAG_NULL), (.boolean, SL_TAG_BOOLEAN),
      (.integer, SL_TAG_INTEGER), (.float, SL_TAG_FLOAT), (.string, SL_TAG_STRING),
      (.list, SL_TAG_LIST), (.object, SL_TAG_OBJECT), (.empty, SL_TAG_EMPTY),
      (.dictionary, SL_TAG_DICTIONARY),
    ]
    let kinds: [(EmptyKind, Int32)] = [
      (.table, SL_EMPTY_TABLE), (.formerObject, SL_EMPTY_FORMER_OBJECT),
      (.pinnedArray, SL_EMPTY_ARRAY), (.pinnedObject, SL_EMPTY_OBJECT),
    ]
    var found: [String] = []
    for (tag, inC) in tags where Int32(tag.rawValue) != inC { found.append("Tag.\(tag)") }
    for (kind, inC) in kinds where Int32(kind.rawValue) != inC { found.append("EmptyKind.\(kind)") }
    // A case that only Swift has: C would take its number for something else.
    if Tag(rawValue: UInt8(tags.count)) != nil { found.append("Tag") }
    if EmptyKind(rawValue: UInt64(SL_EMPTY_KINDS)) != nil { found.append("EmptyKind") }
    if kinds.count != Int(SL_EMPTY_KINDS) { found.append("SL_EMPTY_KINDS") }
    if maximumDepth != Int(SL_MAX_DEPTH) { found.append("maximumDepth") }
    if SL_REASON_DEPTH != "state cannot be nested deeper than \(maximumDepth) tables" {
      found.append("SL_REASON_DEPTH")
    }
    for reason in 1..<SL_STOP_REASONS.rawValue
    where ScriptError.Kind(sl_stop_reason(rawValue: reason)) == .runtime {
      found.append("ScriptError.Kind of the reason \(reason)")
    }
    return found
  }

  /// Whether C takes the bytes for UTF-8, as `String(validating:as:)` does in Swift.
  package static func isUTF8InC(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { $0.isUTF8 } }

  /// Whether C escapes the character in what scripts print, as ``VisibleText`` does in Swift.
  package static func isHiddenInC(_ scalar: Unicode.Scalar) -> Bool { sl_is_hidden(scalar.value) }
}
