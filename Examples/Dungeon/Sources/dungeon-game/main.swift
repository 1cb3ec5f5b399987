import Dungeon

let game = try Game()
game.start()
var printed = 0

/// Prints what has been said since the last time; the torch may have flickered meanwhile.
@MainActor func printNews() {
  let log = game.log
  for line in log[printed...] { print(line) }
  printed = log.count
}

printNews()
while !game.isOver, let command = readLine(), command != "quit" {
  if let answer = game.perform(command) { print(answer) }
  printNews()
}
