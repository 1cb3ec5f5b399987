/// A generation that no store runs any more, while its effects are still in flight.
struct RetiredGeneration {
  private let generation: Generation

  init(_ generation: Generation) { self.generation = generation }

  /// Whether no job needs the generation any more. O(1).
  var isOver: Bool { generation.link.jobs == 0 }

  /// The memory of its VM in bytes.
  var memory: Int { generation.vm.memory.used }

  /// Whether a job runs code of this generation.
  func isNeeded(by job: Job) -> Bool { job.code === generation.link }

  func close() { generation.close() }
}
