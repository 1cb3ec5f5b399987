/// What the test files of a plain Lua library get: stock globals and modules, as busted gives them,
/// instead of the sandbox.
///
/// Such a file can do all that the process can do: read and write files, and run programs. Use it
/// only for scripts that you trust.
public struct PlainLua: Sendable {
  /// The templates that come before Lua's own in `package.path`.
  public var path: String
  /// The templates that come before Lua's own in `package.cpath`.
  public var cpath: String
  /// A Lua file or a module that runs before the tests of each file.
  public var helper: String?
  /// What the helper finds in the global `arg`.
  public var helperArguments: [String]
  /// Makes `setup` and `teardown` the same as `lazy_setup` and `lazy_teardown`.
  public var setsUpLazily: Bool
  /// The program for Lua scripts that tests find in `arg[-1]`, to start others with.
  public var interpreter: String
  /// Whether tests are only listed: all blocks are collected when the file is loaded, without any
  /// `setup`.
  public var isOnlyListed: Bool

  /// The parameters are the properties. `path` and `cpath` replace the templates that busted has for a library in the
  /// current folder.
  public init(
    path: String = PlainLua.path(in: "."), cpath: String = PlainLua.cpath(in: "."),
    helper: String? = nil, helperArguments: [String] = [], setsUpLazily: Bool = false,
    interpreter: String = "lua", isOnlyListed: Bool = false
  ) {
    self.path = path
    self.cpath = cpath
    self.helper = helper
    self.helperArguments = helperArguments
    self.setsUpLazily = setsUpLazily
    self.interpreter = interpreter
    self.isOnlyListed = isOnlyListed
  }

  /// The templates that busted has by default, for a library in `folder`.
  public static func path(in folder: String) -> String {
    ["src/?.lua", "src/?/?.lua", "src/?/init.lua"].map { "\(folder)/\($0)" }.joined(separator: ";")
  }

  public static func cpath(in folder: String) -> String {
    ["csrc/?.so", "csrc/?/?.so"].map { "\(folder)/\($0)" }.joined(separator: ";")
  }
}
