// Corrections for ThreadSanitizer ("TSan"), which does not see what happens in libraries that are not built for it.
#include "core/tsan.h"

#ifdef SL_BELOW_TSAN

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// TSan follows longjmp, but not the checked variant that a Lua built with _FORTIFY_SOURCE calls. It would believe that
// the frames that an error left are still there. Its stacks would grow with each error, and the tests would become slower
// and slower.
_Noreturn void __longjmp_chk(struct __jmp_buf_tag *place, int value);

_Noreturn void __longjmp_chk(struct __jmp_buf_tag *place, int value) { longjmp(place, value); }

// TSan sees the fast path of Swift's Mutex, which is inlined. The slow path is these two functions of the standard
// library. Without these replacements TSan would report a race on everything under a Mutex for which a thread has ever
// waited. They are weak because a statically linked runtime defines them too.
void __tsan_acquire(void *place);
void __tsan_release(void *place);

__attribute__((weak, swiftcall)) void sl_lock_slowly(uint32_t thread, __attribute__((swift_context)) void *mutex)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
__attribute__((weak, swiftcall)) void sl_unlock_slowly(__attribute__((swift_context)) void *mutex)
    __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

__attribute__((swiftcall)) void sl_lock_slowly(uint32_t thread, __attribute__((swift_context)) void *mutex) {
  (void)thread;
  while (syscall(SYS_futex, mutex, FUTEX_LOCK_PI_PRIVATE, 0, NULL) != 0) {
    if (errno != EINTR && errno != EAGAIN) __builtin_trap();
  }
  __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void sl_unlock_slowly(__attribute__((swift_context)) void *mutex) {
  __tsan_release(mutex);
  while (syscall(SYS_futex, mutex, FUTEX_UNLOCK_PI_PRIVATE) != 0) {
    if (errno != EINTR) __builtin_trap();
  }
}

// Swift's runtime reports to TSan everything that passes between tasks, with one exception: the value with which a
// continuation is resumed before its task waits for it.
typedef __attribute__((swiftasynccall)) void sl_wait(void *context);

__attribute__((swiftcall)) extern void *swift_task_getCurrent(void);
static sl_wait *wait_for_continuation;

__attribute__((constructor)) static void find(void) {
  wait_for_continuation = (sl_wait *)dlsym(RTLD_NEXT, "swift_continuation_await");
}

__attribute__((weak, disable_sanitizer_instrumentation, swiftasynccall)) void swift_continuation_await(void *context) {
  __tsan_acquire(swift_task_getCurrent());
  __attribute__((musttail)) return wait_for_continuation(context);
}

#endif

// A translation unit must not be empty.
typedef int sl_tsan;
