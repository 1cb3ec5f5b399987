import ScriptValue

/// Which fields of a container are shared, and which containers below it may have shared fields.
///
/// A *shared field* is a field of a feature's state whose truth is a *shared value* of the host. All
/// shared values are the fields of one object, of which each action has a draft. A draft with a
/// `SharedFields` sends the access to a shared field on to that draft (DraftArena+Shared.swift).
///
/// Reducers fill this description in, when it is first asked for something: a feature that contains
/// itself would otherwise never come to an end. It is used only inside one worker.
///
/// What stands behind a *chosen field* depends on the state, and in the elements of one list it may be
/// another value in each. So the description says only that the field is chosen, and ``choices`` says
/// by the way to the field what stands behind it.
package final class SharedFields {
  /// The shared value, or the part of one, that stands behind a field.
  package final class Target {
    /// The first key is that of the shared value in the object of all; the others lead to a part of
    /// it. Allocated by hand, so that reading it counts no reference.
    let segments: UnsafeMutableBufferPointer<Segment>
    /// The same keys as values: strings, and integers for ids.
    package let path: [Value]
    /// The key of the shared value in the object of all.
    package let value: String
    /// Whether the field may only be read.
    package let isReadOnly: Bool
    /// Whether changes of the value are stored.
    package let isStored: Bool

    /// - Parameter path: the key of the shared value; then keys of objects and ids of elements.
    package init(_ path: [Value], isReadOnly: Bool, isStored: Bool) {
      self.path = path
      value = path[0].string ?? ""
      self.isReadOnly = isReadOnly
      self.isStored = isStored
      segments = .allocate(capacity: path.count)
      for (index, segment) in path.enumerated() {
        segments.initializeElement(at: index, to: Segment(segment))
      }
    }

    deinit {
      segments.deinitialize()
      segments.deallocate()
    }

    /// The shared value (+0) in an object of all shared values (+0); absent if it is not there.
    package func value(in values: Slot) -> Slot { segments[0].key.value(in: values) }
  }

  /// What stands behind the chosen fields of one state.
  package struct Choices {
    /// By the way to the field from the state of the store: the names of fields, the ids of elements
    /// of lists, and the keys of elements of dictionaries.
    package var targets: [[Value]: Target] = [:]
    /// What stands behind the chosen fields that are not in `targets`; nil if these are not shared.
    package var other: Target?

    package init() {}
  }

  /// A step from a container to a part of it: a field of an object, or the element of a list with
  /// this id.
  struct Segment: ~Copyable {
    let key: FieldKey
    /// Owned (+1).
    let id: Slot

    init(_ segment: Value) {
      key = FieldKey(segment.string ?? "\(segment)")
      id = segment.ownedSlot()
    }

    deinit { id.release() }
  }

  private struct Field {
    let name: Name
    /// Those of ``name``, so that comparing them counts no reference.
    let bytes: UnsafeRawBufferPointer
    var target: Target?
    var isChosen = false
    var below: SharedFields?

    var isShared: Bool { target != nil || isChosen }
  }

  private final class Name {
    let key: FieldKey

    init(_ key: String) { self.key = FieldKey(key) }
  }

  /// Describes what a reducer shares of the container that it runs on.
  package typealias Filling = (SharedFields) -> Void

  /// The container around this one, of the same feature or of a parent; nil for the root.
  ///
  /// It retains this one, so it is not retained.
  package unowned let parent: SharedFields?
  /// The description of the store's state; nil for that one itself.
  private unowned let ancestor: SharedFields?
  /// The fields that lead to the container from the state of the store; nil stands for an element.
  private let path: [String?]
  /// What stands behind the chosen fields here and below. Only that of the store's state is used.
  package var choices = Choices()
  private var fields: [Field] = []
  private var elements: SharedFields?
  /// The field that is the id of an element; of a description of elements.
  private var idKey: Name?
  /// Whether the container itself has chosen fields.
  private(set) var hasChosen = false
  private var fillings: [Filling] = []
  /// Whether a filling is that of a reducer that is made on its first use.
  private var isLazy = false
  /// The answers of ``mayShare`` and ``mayChoose``, once they are final.
  private var knownMayShare: Bool?
  private var knownMayChoose: Bool?

  /// Describes the state of a store.
  package init() {
    (parent, ancestor, path) = (nil, nil, [])
  }

  /// Describes the container in a field of another one; nil stands for its elements.
  private init(_ key: String?, of parent: SharedFields) {
    self.parent = parent
    ancestor = parent.root
    path = parent.path + [key]
  }

  private var root: SharedFields { ancestor ?? self }

  // MARK: Filling

  /// Adds a description of this container.
  ///
  /// - Parameter isLazy: whether the reducer behind it is made on its first use.
  package func add(isLazy: Bool = false, _ filling: @escaping Filling) {
    fillings.append(filling)
    (knownMayShare, knownMayChoose) = (nil, nil)
    self.isLazy = self.isLazy || isLazy
  }

  /// Makes a field of the container shared.
  package func share(_ key: String, _ target: Target) {
    knownMayShare = nil
    fields[field(key)].target = target
  }

  /// Makes a field of the container one that is shared, and whose value ``choices`` says.
  package func shareChosen(_ key: String) {
    (knownMayShare, knownMayChoose) = (nil, nil)
    hasChosen = true
    fields[field(key)].isChosen = true
  }

  /// The description of each element of the list or dictionary at a path of fields. Made if there is
  /// none.
  ///
  /// - Parameter id: the field that is the id of an element of a list.
  package func elements(at path: [String], id: String) -> SharedFields {
    let collection = container(at: path)
    let elements = collection.elements ?? SharedFields(nil, of: collection)
    collection.elements = elements
    if elements.idKey == nil { elements.idKey = Name(id) }
    return elements
  }

  /// The description of the container at a path of fields. Made if there is none.
  package func container(at path: [String]) -> SharedFields {
    var container = self
    for key in path {
      let field = container.field(key)
      let below = container.fields[field].below ?? SharedFields(key, of: container)
      container.fields[field].below = below
      container = below
    }
    return container
  }

  private func field(_ key: String) -> Int {
    if let known = key.withUTF8Bytes({ find($0) }) { return known }
    let name = Name(key)
    fields.append(Field(name: name, bytes: name.key.bytes))
    return fields.count - 1
  }

  @inline(__always)
  private func find(_ key: UnsafeRawBufferPointer) -> Int? {
    for index in fields.indices {
      if UTF8Text.equals(fields[index].bytes, key) { return index }
    }
    return nil
  }

  @inline(__always)
  private func fill() {
    if !fillings.isEmpty { fillNow() }
  }

  @inline(never)
  private func fillNow() {
    isLazy = false
    let fillings = fillings
    self.fillings = []
    for filling in fillings { filling(self) }
  }

  // MARK: Asking

  /// The fields that lead to the container from the state of the store; nil inside of an element.
  package var fieldPath: [String]? {
    let fields = path.compactMap { $0 }
    return fields.count == path.count ? fields : nil
  }

  /// The container in a state of the store; nil if it is not there, or is inside of an element.
  package func value(in state: Value) -> Value? {
    guard let fieldPath else { return nil }
    var found: Value? = state
    for field in fieldPath { found = found?.object?[field] }
    return found
  }

  /// Whether there may be a shared field in the container or below it. Does not make reducers that
  /// are made on their first use.
  package var mayShare: Bool {
    if isLazy { return true }
    fill()
    if let knownMayShare { return knownMayShare }
    let shares = fields.contains { $0.isShared }
    let found =
      shares || fields.contains { $0.below?.mayShare == true } || elements?.mayShare == true
    // A reducer below that is not made yet may turn out to share nothing.
    if shares || !found { knownMayShare = found }
    return found
  }

  /// Whether there may be a chosen field in the container or below it. True for reducers that are made
  /// on their first use and are not made yet.
  private var mayChoose: Bool {
    if isLazy { return true }
    fill()
    if let knownMayChoose { return knownMayChoose }
    let found =
      hasChosen || fields.contains { $0.below?.mayChoose == true } || elements?.mayChoose == true
    if hasChosen || !found { knownMayChoose = found }
    return found
  }

  /// What stands behind a field; nil if the field is not shared, or if it is a chosen one.
  @inline(__always)
  func target(_ key: UnsafeRawBufferPointer) -> Unmanaged<Target>? {
    fill()
    guard let index = find(key), let target = fields[index].target else {
      return nil
    }
    return .passUnretained(target)
  }

  /// Whether a function has chosen what stands behind a field.
  func isChosen(_ key: UnsafeRawBufferPointer) -> Bool {
    find(key).map { fields[$0].isChosen } ?? false
  }

  /// What stands behind a chosen field; nil if it is not shared.
  ///
  /// - Parameter way: the way to the container from the state of the store; nil if it is in none any more.
  func chosenTarget(_ key: UnsafeRawBufferPointer, at way: [Value]?) -> Unmanaged<Target>? {
    guard let index = find(key) else { return nil }
    // Proof: only `choices` has to retain it, and no access to a draft changes that.
    return chosen(fields[index].name.key.text, at: way).map { .passUnretained($0) }
  }

  /// What stands behind a chosen field of the container at this way; nil if the field is not shared.
  private func chosen(_ key: String, at way: [Value]?) -> Target? {
    let choices = root.choices
    return way.flatMap { choices.targets[$0 + [.string(key)]] } ?? choices.other
  }

  /// What stands behind a field, in an element behind a chosen one that of any element; nil if the field
  /// is not shared.
  package func target(named key: String) -> Target? {
    key.withUTF8Bytes { bytes in
      fill()
      guard let index = find(bytes) else { return nil }
      if let target = fields[index].target { return target }
      return fields[index].isChosen ? chosen(key).first ?? root.choices.other : nil
    }
  }

  /// What stands behind a chosen field of the container in each place where it is.
  private func chosen(_ key: String) -> [Target] {
    let path = path + [key]
    let found = root.choices.targets.filter { way, _ in
      way.count == path.count
        && zip(way, path).allSatisfy { step, field in field.map { step == .string($0) } ?? true }
    }
    return found.sorted { "\($0.key)" < "\($1.key)" }.map(\.value)
  }

  /// Whether a field is shared.
  func shares(_ key: UnsafeRawBufferPointer) -> Bool {
    fill()
    return find(key).map { fields[$0].isShared } ?? false
  }

  /// What the step to a container adds to the way to it; nil for an element without an id.
  ///
  /// - Parameters:
  ///   - container: the container (+0) that this describes.
  ///   - key: its key (+0) in the object around it; absent in a list.
  func step(to container: Slot, under key: Slot) -> Value? {
    if let last = path.last, let field = last { return .string(field) }
    if !key.isAbsent { return Value(borrowing: key) }
    guard let id = idKey?.key.value(in: container), !id.isAbsent else { return nil }
    return Value(borrowing: id)
  }

  /// The description of the container in a field or of an element; nil if nothing below it is
  /// shared.
  func below(_ key: UnsafeRawBufferPointer?) -> SharedFields? {
    fill()
    let field = key.flatMap { find($0) }
    guard let found = field.flatMap({ fields[$0].below }) ?? elements else { return nil }
    return found.mayShare ? found : nil
  }

  /// The same, with the key as text; nil for an element.
  package func below(named key: String?) -> SharedFields? {
    guard let key else { return below(nil) }
    return key.withUTF8Bytes { below($0) }
  }

  /// Whether the container may be a list or dictionary whose elements have shared fields.
  var sharesElements: Bool {
    fill()
    return elements?.mayShare == true
  }

  /// Calls `shared` for each shared field of the container, and `below` for each other field whose
  /// container may have shared fields.
  ///
  /// - Parameter way: the way to the container, if it has chosen fields; see ``chosenTarget(_:at:)``.
  @inline(__always)
  func visit(
    at way: [Value]?,
    shared: (borrowing FieldKey, Target) throws(DraftError) -> Void,
    below: (UnsafeRawBufferPointer) throws(DraftError) -> Void
  ) throws(DraftError) {
    fill()
    for index in fields.indices {
      if let target = fields[index].target {
        try shared(fields[index].name.key, target)
      } else if fields[index].isChosen {
        let key = fields[index].name.key.text
        if let target = chosen(key, at: way) {
          try shared(fields[index].name.key, target)
        }
      } else if fields[index].below?.mayShare == true {
        try below(fields[index].bytes)
      }
    }
  }

  /// Whether a field here or below shares the value with this key. Leaves out what reducers share that
  /// are made on their first use.
  package func shows(_ value: String) -> Bool {
    var isShown = false
    visitAll { _, target in if target.value == value { isShown = true } }
    return isShown
  }

  /// A shared field, and one that lies inside of it; nil if there are none. Leaves out what reducers
  /// share that are made on their first use.
  package var nestedFields: (outer: String, inner: String)? {
    if isLazy { return nil }
    fill()
    for field in fields {
      let key = field.name.key.text
      guard field.isShared else {
        if let found = field.below?.nestedFields {
          return ("\(key).\(found.outer)", "\(key).\(found.inner)")
        }
        continue
      }
      var inner: String?
      field.below?.visitFields(key) { _, field, path in
        if field.isShared { inner = inner ?? path }
      }
      if let inner { return (key, inner) }
    }
    return elements?.nestedFields.map { ("[*].\($0.outer)", "[*].\($0.inner)") }
  }

  /// A field that may only be read, and in which a child lives; nil if there is none. Leaves out what
  /// reducers share that are made on their first use.
  package var childInReader: String? {
    if isLazy { return nil }
    fill()
    for field in fields {
      let key = field.name.key.text
      if field.target?.isReadOnly ?? field.isChosen, field.below != nil { return key }
      if let found = field.below?.childInReader { return "\(key).\(found)" }
    }
    return elements?.childInReader.map { "[*].\($0)" }
  }

  /// Calls `body` for each shared field of a state and the containers in it, with its place in the state
  /// and its value there; nil if it is absent. O(shared fields of the state).
  package func visitValues<Failure: Error>(
    of state: Value, _ body: (String, Target, Value?) throws(Failure) -> Void
  ) throws(Failure) {
    try visitContainers(of: state, "", [], \.mayShare) {
      (fields, place, way, state) throws(Failure) in
      let object = state.object
      for field in fields.fields where field.isShared {
        let key = field.name.key.text
        guard let target = field.target ?? fields.chosen(key, at: way) else { continue }
        try body("\(place).\(key)", target, object?[key])
      }
    }
  }

  /// Calls `body` for each container of a state that has chosen fields, with the description, the way to
  /// it and its value. O(elements) in lists and dictionaries whose elements have some.
  package func visitChoosing<Failure: Error>(
    in state: Value, _ body: (SharedFields, [Value], Value) throws(Failure) -> Void
  ) throws(Failure) {
    try visitContainers(of: state, "", [], \.mayChoose) {
      (fields, _, way, state) throws(Failure) in
      if fields.hasChosen, let way { try body(fields, way, state) }
    }
  }

  /// Calls `body` for this container and those below it that `enters` is true for, but not for those in
  /// shared fields.
  private func visitContainers<Failure: Error>(
    of state: Value, _ place: String, _ way: [Value]?, _ enters: (SharedFields) -> Bool,
    _ body: (SharedFields, String, [Value]?, Value) throws(Failure) -> Void
  ) throws(Failure) {
    fill()
    let object = state.object
    if object != nil { try body(self, place, way, state) }
    for field in fields where !field.isShared {
      let key = field.name.key.text
      guard let value = object?[key], let below = field.below, enters(below) else { continue }
      try below.visitContainers(
        of: value, "\(place).\(key)", way.map { $0 + [.string(key)] }, enters, body)
    }
    guard let elements, enters(elements) else { return }
    for (index, element) in (state.array ?? []).enumerated() {
      let id = elements.idKey.flatMap { element.object?[$0.key.text] }
      try elements.visitContainers(
        of: element, "\(place)[\(index)]", id.flatMap { id in way.map { $0 + [id] } }, enters, body)
    }
    for (key, element) in object ?? [:] where key.withUTF8Bytes({ find($0) }) == nil {
      try elements.visitContainers(
        of: element, "\(place).\(key)", way.map { $0 + [.string(key)] }, enters, body)
    }
  }

  /// Calls `body` for what stands behind each shared field here and below, with the field's path in the
  /// state. Leaves out what reducers share that are made on their first use. An element is `[*]` in a
  /// path.
  package func visitAll(_ body: (String, Target) -> Void) {
    visitFields("") { fields, field, path in
      if let target = field.target { body(path, target) }
      if field.isChosen {
        for target in fields.chosen(field.name.key.text) { body(path, target) }
      }
    }
  }

  private func visitFields(_ path: String, _ body: (SharedFields, Field, String) -> Void) {
    if isLazy { return }
    fill()
    for field in fields {
      let key = field.name.key.text
      let path = path.isEmpty ? key : "\(path).\(key)"
      body(self, field, path)
      field.below?.visitFields(path, body)
    }
    elements?.visitFields(path + "[*]", body)
  }
}
