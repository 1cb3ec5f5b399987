#if os(Linux)
import Foundation
import Platform
import Testing

/// A library that lets one call of a C function fail, of those that a process makes in a folder. It is
/// loaded before the C library (`LD_PRELOAD`).
enum FailingCalls {
  enum Fault: CaseIterable {
    case full, inputOutput, denied, interrupted
    /// The call writes a half of what it should.
    case short

    fileprivate var number: Int32 {
      switch self {
      case .full: ENOSPC
      case .inputOutput: EIO
      case .denied: EACCES
      case .interrupted: EINTR
      case .short: 0
      }
    }

    /// The code of ``saveError`` that follows from it.
    var code: String {
      switch self {
      case .full: "full"
      case .denied: "denied"
      default: "failed"
      }
    }
  }

  /// Nil without clang.
  static let library: String? = {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("failing-calls-\(UUID().uuidString)")
    let (source, library) = (folder.path + "/calls.c", folder.path + "/calls.so")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(FailingCalls.source.utf8).write(to: URL(fileURLWithPath: source))
      let outcome = try RunnerProcess.shell(
        "clang -O1 -Wall -Werror -shared -fPIC -o '\(library)' '\(source)' -ldl")
      return outcome.status == 0 ? library : nil
    } catch {
      return nil
    }
  }()

  /// The environment of a process whose call number `call` fails, counted from the moment when the file
  /// `armed` exists. Calls in `folder` are counted. Then the file gets the name of the function and of what
  /// it was called for.
  static func environment(
    _ fault: Fault, at call: Int, in folder: String, armed: String
  ) throws -> [String: String] {
    [
      "LD_PRELOAD": try #require(library), "FAILING_FOLDER": folder, "FAILING_ARMED": armed,
      "FAILING_CALL": "\(call)", "FAILING_NUMBER": "\(fault.number)",
      // Else AddressSanitizer wants to be the first library.
      "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0",
    ]
  }

  private static let source = #"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <stdarg.h>
    #include <stdatomic.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/file.h>
    #include <sys/stat.h>
    #include <sys/syscall.h>
    #include <unistd.h>

    static const char *folder, *armed;
    static long failing;
    static int number;
    static atomic_long calls;

    __attribute__((constructor)) static void begin(void) {
      folder = getenv("FAILING_FOLDER");
      armed = getenv("FAILING_ARMED");
      failing = atol(getenv("FAILING_CALL"));
      number = atoi(getenv("FAILING_NUMBER"));
    }

    /* The path of an open file, if it is in the folder. */
    static int path_of(int fd, char *path, size_t size) {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
      ssize_t length = readlink(link, path, size - 1);
      if (length < 0) return 0;
      path[length] = 0;
      return strncmp(path, folder, strlen(folder)) == 0;
    }

    /* Whether this call is the one that fails. */
    static int fails(const char *function, int fd, const char *name) {
      int before = errno, result = 0;
      char path[4096], text[4200];
      if (folder && fd >= 0 && path_of(fd, path, sizeof path)) {
        int file = syscall(SYS_openat, AT_FDCWD, armed, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
        if (file >= 0) {
          result = ++calls == failing;
          int length = snprintf(text, sizeof text, "%s %s/%s\n", function, path, name);
          if (result && syscall(SYS_write, file, text, (size_t)length) < 0) abort();
          syscall(SYS_close, file);
        }
      }
      errno = result ? number : before;
      return result;
    }

    #define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))
    #define FAILS(function, fd, name) (number != 0 && fails(#function, fd, name))
    #define WRAP(function, parameters, arguments, fd, name) \
      int function parameters { return FAILS(function, fd, name) ? -1 : REAL(function) arguments; }

    #define OPEN(function) \
      int function(int fd, const char *name, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = va_arg(rest, mode_t); \
        va_end(rest); \
        return FAILS(function, fd, name) ? -1 : REAL(function)(fd, name, flags, mode); \
      }
    OPEN(openat)
    OPEN(openat64)

    WRAP(fsync, (int fd), (fd), fd, "")
    WRAP(fdatasync, (int fd), (fd), fd, "")
    WRAP(ftruncate, (int fd, off_t size), (fd, size), fd, "")
    WRAP(ftruncate64, (int fd, off64_t size), (fd, size), fd, "")
    WRAP(fchmod, (int fd, mode_t mode), (fd, mode), fd, "")
    WRAP(flock, (int fd, int operation), (fd, operation), fd, "")
    WRAP(fstat, (int fd, struct stat *status), (fd, status), fd, "")
    WRAP(fstat64, (int fd, struct stat64 *status), (fd, status), fd, "")
    WRAP(fstatat, (int fd, const char *name, struct stat *status, int flags), (fd, name, status, flags), fd, name)
    WRAP(fstatat64, (int fd, const char *name, struct stat64 *status, int flags), (fd, name, status, flags), fd, name)
    WRAP(mkdirat, (int fd, const char *name, mode_t mode), (fd, name, mode), fd, name)
    WRAP(renameat, (int fd, const char *name, int other, const char *to), (fd, name, other, to), fd, name)
    WRAP(unlinkat, (int fd, const char *name, int flags), (fd, name, flags), fd, name)

    int close(int fd) {
      int fault = FAILS(close, fd, "");
      int result = REAL(close)(fd);
      if (fault) errno = number;
      return fault ? -1 : result;
    }

    ssize_t read(int fd, void *buffer, size_t size) {
      return FAILS(read, fd, "") ? -1 : REAL(read)(fd, buffer, size);
    }

    ssize_t write(int fd, const void *buffer, size_t size) {
      int fault = fails("write", fd, "");
      if (fault && number != 0) return -1;
      return REAL(write)(fd, buffer, fault && size > 1 ? size / 2 : size);
    }
    """#
}
#endif
