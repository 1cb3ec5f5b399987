// ThreadSanitizer follows longjmp, but not the checked kind that a Lua built with _FORTIFY_SOURCE calls. It
// would believe that the frames which an error left are still there, for ever: its stacks would grow
// with each error, and the tests get slower and slower.
#if defined(__has_feature) && defined(__linux__)
#if __has_feature(thread_sanitizer)

#include <setjmp.h>

_Noreturn void __longjmp_chk(struct __jmp_buf_tag *place, int value);

_Noreturn void __longjmp_chk(struct __jmp_buf_tag *place, int value) { longjmp(place, value); }

#endif
#endif

// A translation unit is not empty.
typedef int sl_tsan;
