import Foundation
import ScriptedStore

/// A game in progress: commands go in, lines of text come out. What they mean is in `Scripts`.
public final class Game: Sendable {
  let store: DungeonStore

  /// - Parameters:
  ///   - clock: the clock that the torch burns by; nil for real time.
  ///   - dice: nil for chance.
  public init(clock: VirtualClock? = nil, dice: Dependency? = nil) throws {
    var dependencies = Dependencies()
    if let dice { dependencies.register("random", live: dice) }
    let host = try ScriptHost(
      root: Game.scripts, configuration: .init(dependencies: dependencies, clock: clock))
    store = try DungeonStore(host.store("dungeon"))
  }

  private static var scripts: String {
    Bundle.module.path(forResource: "Scripts", ofType: nil) ?? ""
  }

  /// The lines that have been said so far.
  public var log: [String] { store.log }

  public var isOver: Bool { store.ending != nil }

  /// Begins the game, and lights the torch.
  public func start() { store.send(.start) }

  /// Does what a player types.
  ///
  /// - Returns: a sentence if no command is meant; the log has what follows from one.
  public func perform(_ command: String) -> String? {
    let words = command.lowercased().split(separator: " ")
    switch words.first {
    case "go"?, "north"?, "east"?, "south"?, "west"?:
      let word = words.last.map(String.init) ?? ""
      guard let direction = DungeonGoDirection(rawValue: word) else { return "Go where?" }
      store.send(.go(direction: direction))
    case "take"?: store.send(.take)
    case "strike"?, "hit"?:
      guard store.fight != nil else { return "There is nobody to strike." }
      store.send(.fight(.presented(.strike(bonus: store.items.contains("sword") ? 2 : 0))))
    case "look"?:
      let items = store.items.isEmpty ? "nothing" : store.items.joined(separator: ", ")
      return "You are in the \(store.room.rawValue), with \(items), and have \(store.health) of 10."
    default: return "You can: go north, east, south or west; take; strike; look; quit."
    }
    return nil
  }
}
