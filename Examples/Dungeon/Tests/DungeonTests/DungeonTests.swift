import ScriptedStore
import Synchronization
import Testing

@testable import Dungeon

/// The dungeon.
struct DungeonTests {
  private let clock = VirtualClock()

  /// A game in which the dice show these numbers, again and again.
  private func game(_ dice: Int...) throws -> Game {
    let next = Counter()
    let random = Dependency.client([
      "integer": .function { (_: Int, _: Int) in dice[next.take() % dice.count] }
    ])
    let game = try Game(clock: clock, dice: random)
    game.start()
    return game
  }

  private func play(_ game: Game, _ commands: String...) {
    for command in commands { #expect(game.perform(command) == nil) }
  }

  @Test func withTheSwordTheTrollFallsAndTheGateOpens() throws {
    let game = try game(6, 1)
    play(game, "north", "east", "take", "west", "north", "strike", "north")
    #expect(game.store.slain == ["bridge": true])
    #expect(game.store.fight == nil)
    #expect(game.store.ending == .won)
    #expect(game.log.last == "You see the sky. You are free!")
    #expect(game.store.store.effects.isEmpty)
  }

  @Test func withoutItTheGateIsLockedAndTheTrollHitsHarder() throws {
    let game = try game(1, 6)
    play(game, "north", "north", "north")
    #expect(game.log.last == "The troll is in your way.")
    play(game, "strike")
    #expect(game.store.health == 4)
    play(game, "strike")
    #expect(game.store.ending == .slain)
  }

  @Test func theTorchBurnsDownInTwoMinutes() throws {
    let game = try game(1)
    clock.advance(by: .seconds(100))
    #expect(game.store.torch == 1)
    #expect(!game.isOver)
    clock.advance(by: .seconds(20))
    #expect(game.store.ending == .dark)
    #expect(game.store.store.effects.isEmpty)
  }

  @Test func aFightHasAStoreOfItsOwn() throws {
    let game = try game(6, 1)
    play(game, "north", "north")
    let fight = try game.store.scope(.fight)
    #expect(fight.monster == "troll")
    fight.send(.strike(bonus: 0))
    #expect(!fight.isPresent)
    #expect(throws: ValueTypeError.self) { try fight.decodedState() }
  }

  @Test(arguments: ["dance", "go", "go up", "strike", ""])
  func otherWordsAreAnswered(command: String) throws {
    #expect(try game(1).perform(command) != nil)
  }
}

/// Counts calls from any thread.
private final class Counter: Sendable {
  private let count = Mutex(0)

  func take() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
