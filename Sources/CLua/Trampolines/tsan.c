// What ThreadSanitizer would get wrong, as it happens in libraries that are not built for it.
#include "tsan.h"

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

// It follows longjmp, but not the checked kind that a Lua built with _FORTIFY_SOURCE calls. It would believe
// that the frames which an error left are still there, for ever: its stacks would grow with each error, and the
// tests get slower and slower.
_Noreturn void __longjmp_chk(struct __jmp_buf_tag *place, int value);

_Noreturn void __longjmp_chk(struct __jmp_buf_tag *place, int value) { longjmp(place, value); }

// It sees how Swift's Mutex is taken and given while nobody else wants it, which is a part of whoever does so. The
// rest is these two of the standard library's functions: without them whatever several threads change under one
// Mutex would be a race as soon as one of them has waited. Weak, as a runtime that is linked statically has them.
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

// Swift's runtime tells it of all that passes from task to task but one: what a continuation is resumed with before
// the task waits for it.
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

// A translation unit is not empty.
typedef int sl_tsan;
