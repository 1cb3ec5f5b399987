import CLua

/// The constants that C and Swift each define, because the values of LuaBridge know nothing of C.
package enum SharedConstants {
  /// Names those on which both do not agree. Checked whenever a VM is made in a debug build.
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
    if maximumDepth != Int(SL_MAX_DEPTH) { found.append("maximumDepth") }
    return found
  }
}
