import ArgumentParser
import ScriptValue
import ScriptView

/// The options for what views find in their `env`.
package struct ScreenOptions: ParsableArguments {
  @Option(
    help: """
      compact, regular, or a number of columns from \(ScreenWidth.columns.lowerBound) to \
      \(ScreenWidth.columns.upperBound), of which fewer than \(ViewScreen.leastRegularWidth) are \
      compact. (default: regular; that of the terminal on which the screen is used)
      """)
  package var width: ScreenWidth?

  @Option(
    name: .customLong("env"),
    help: ArgumentHelp(
      """
      What views find in env under a name, beside width, platform, colorScheme and locale: JSON, or \
      else a text. May be repeated.
      """, valueName: "name=value"),
    transform: { (argument) throws in try EnvironmentEntry(argument) })
  var entries: [EnvironmentEntry] = []

  package init() {}

  /// The columns of a screen that is printed.
  package var columns: Int { (width ?? .regular).columns }

  /// What `ViewTree` takes.
  package var environment: Value.Object {
    environment(["width": .string((width ?? .regular).word)])
  }

  /// The same for a screen that is used on a terminal of so many columns.
  package func environment(columns: Int) -> Value.Object {
    let width = width ?? ScreenWidth(clamping: columns)
    return environment(["width": .string(width.word), "platform": "terminal"])
  }

  private func environment(_ usual: Value.Object) -> Value.Object {
    var environment = usual
    for entry in entries { environment[entry.name] = entry.value }
    return environment
  }
}

/// How wide a screen is: `compact`, `regular` or a number of columns.
package struct ScreenWidth: ExpressibleByArgument {
  package static let columns = 10...1000
  package static let regular = ScreenWidth(columns: 80)

  package let columns: Int

  private init(columns: Int) { self.columns = columns }

  /// The nearest width to a number of columns.
  package init(clamping columns: Int) {
    self.columns = min(max(columns, Self.columns.lowerBound), Self.columns.upperBound)
  }

  package init?(argument: String) {
    switch argument {
    case "compact": columns = 40
    case "regular": self = .regular
    default:
      guard let columns = Int(argument), Self.columns.contains(columns) else { return nil }
      self.columns = columns
    }
  }

  /// The value of `env.width`.
  package var word: String { ViewScreen.width(columns: columns) }
}

/// One argument of `--env`.
struct EnvironmentEntry {
  let name: String
  let value: Value

  init(_ argument: String) throws {
    guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
      throw ValidationError("give a name and a value: --env platform=web")
    }
    name = String(argument[..<equals])
    let text = String(argument[argument.index(after: equals)...])
    value = (try? Value(json: text)) ?? .string(text)
  }
}
