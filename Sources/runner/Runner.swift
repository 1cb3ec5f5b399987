import ScriptedStore
import ArgumentParser
@main struct Runner: ParsableCommand { func run() { print(1) } }
