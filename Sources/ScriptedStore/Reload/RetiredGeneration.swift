/// Scripts that no store runs any more, while effects of theirs are in flight.
struct RetiredGeneration {
  private let generation: Generation

  init(_ generation: Generation) { self.generation = generation }

  /// Whether no job needs it any more. O(1).
  var isOver: Bool { generation.link.jobs == 0 }

  func close() { generation.close() }
}
