/* Excludes code from ThreadSanitizer: the handler of the watchdog's signal and the functions that it calls. The signal
 * may interrupt ThreadSanitizer itself, which would then wait for a lock that it holds. */
#ifndef CLUA_TSAN_H
#define CLUA_TSAN_H

#if defined(__has_feature) && defined(__linux__)
#if __has_feature(thread_sanitizer)
#define SL_BELOW_TSAN 1
#endif
#endif

#ifdef SL_BELOW_TSAN
#define SL_UNSEEN_BEGIN \
  _Pragma("clang attribute push(__attribute__((disable_sanitizer_instrumentation)), apply_to = function)")
#define SL_UNSEEN_END _Pragma("clang attribute pop")
#else
#define SL_UNSEEN_BEGIN
#define SL_UNSEEN_END
#endif

#endif
