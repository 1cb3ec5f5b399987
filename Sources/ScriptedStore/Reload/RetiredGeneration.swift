/// Scripts that no store runs any more, while effects of theirs are in flight.
struct RetiredGeneration {
  private let generation: Generation

  init(_ generation: Generation) { self.generation = generation }

  /// Whether no job needs it any more. O(1).
  var isOver: Bool { generation.link.jobs == 0 }

  /// The bytes of its VM.
  var memory: Int { generation.vm.memory.used }

  /// Whether a job needs its scripts.
  func isNeeded(by job: Job) -> Bool { job.code === generation.link }

  func close() { generation.close() }
}
