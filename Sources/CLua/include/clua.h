/* CLua: Lua 5.4 and the C functions between it and Swift.
 *
 * Invariants:
 * 1. longjmp never crosses a Swift frame. Lua raises errors with longjmp, so everything that can raise runs in a C
 *    function under lua_pcall.
 * 2. C calls Swift only through the function pointers of `sl_hooks`. A hook never raises; it returns a status. C raises,
 *    yields or allocates in Lua only after the hook has returned.
 * 3. Structured values cross as a tape: an array of `sl_value` in prefix order.
 *
 * Stack effects are written as in the Lua manual: [-popped, +pushed, raises]. `raises` is `-` for never, `m` for only out
 * of memory, `e` for any error, and `v` for an error that is raised on purpose.
 *
 * "Lua thread" means a coroutine or the main thread of a VM (a lua_State). "Thread" alone means a thread of the operating
 * system. */
#ifndef CLUA_H
#define CLUA_H

#include "calls.h"
#include "coroutines.h"
#include "drafts.h"
#include "hooks.h"
#include "memory.h"
#include "script_limits.h"
#include "stops.h"
#include "tapes.h"
#include "testing.h"
#include "threads.h"
#include "values.h"
#include "vm.h"
#include "watchdog.h"

#endif
