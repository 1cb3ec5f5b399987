import Platform

enum OpenFiles {
  #if canImport(Darwin)
  private static let resource = RLIMIT_NOFILE
  #else
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #endif

  /// Lets this process have so many files open, if the system allows it: each browser of a test is two.
  static func allow(_ count: Int) {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return }
    limit.rlim_cur = min(max(limit.rlim_cur, rlim_t(count)), limit.rlim_max)
    _ = setrlimit(resource, &limit)
  }
}
