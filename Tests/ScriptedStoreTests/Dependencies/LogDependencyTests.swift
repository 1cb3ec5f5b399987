import Logging
import LuaBridge
import ScriptedStore
import Testing

@Suite struct LogDependencyTests {
  /// Keeps what is logged: level, message, metadata in name order.
  private struct Keeping: LogHandler {
    let lines: Recorder<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }
        .map { " \($0.key)=\($0.value)" }.joined()
      lines.record("\(event.level) \(event.message)\(fields)")
    }
  }

  private func lines(_ body: String) throws -> [String] {
    let lines = Recorder<String>()
    let logger = Logger(label: "test") { _ in Keeping(lines: lines) }
    let scripts = try Scripts(reading: ["log"], body, dependencies: ["log": .log(to: logger)])
    try scripts.go()
    #expect(scripts.errors.isEmpty)
    return lines.all
  }

  @Test func eachLevelHasAFunction() throws {
    #expect(
      try lines(
        "deps.log.debug('a') deps.log.info('b') deps.log.warning('c') deps.log.error('d')")
        == ["debug a", "info b", "warning c", "error d"])
  }

  @Test func fieldsAreMetadata() throws {
    #expect(
      try lines("deps.log.info('saved', { id = 7, tags = { 'x' }, title = 'Milk', when = 1.5 })")
        == ["info saved id=7 tags=[\"x\"] title=Milk when=1.5"])
    #expect(try lines("deps.log.info('saved', {})") == ["info saved"])
  }

  @Test func aMessageMayBeAnyValue() throws {
    #expect(
      try lines("deps.log.info(3) deps.log.info({ 1, 2 }) deps.log.info(true)")
        == ["info 3", "info [1,2]", "info true"])
  }

  @Test func itDoesNothingInTests() throws {
    let scripts = try Scripts(reading: ["log"], "deps.log.debug('quiet')", context: .test)
    #expect(try scripts.goFails() == nil)
  }

  @Test func aLogOfTheHostDoesNothingInTestsEither() throws {
    let lines = Recorder<String>()
    let logger = Logger(label: "test") { _ in Keeping(lines: lines) }
    let scripts = try Scripts(
      reading: ["log"], "deps.log.debug('quiet')", dependencies: ["log": .log(to: logger)],
      context: .test)
    #expect(try scripts.goFails() == nil)
    #expect(lines.all.isEmpty)
  }
}
