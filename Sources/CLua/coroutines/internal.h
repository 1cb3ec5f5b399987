/* What other folders use of coroutines/, and what its files share. */
#ifndef CLUA_COROUTINES_INTERNAL_H
#define CLUA_COROUTINES_INTERNAL_H

#include "clua.h"
#include "limits/internal.h"

/* The continuation of a wait. It returns or raises as vm->body.resumption says. The values to return are the whole stack
 * of the function. */
int sl_continue(lua_State *L, int status, lua_KContext context);
/* In the message about a wait in a message handler of `xpcall`. */
#define SL_WAITS_IN_XPCALL "cannot wait in a function that xpcall calls"
/* The name of the C function in `frame`, as in tracebacks (`sort`); null if scripts have no name for it. Borrowed (+0) from
 * the table of the library. [-0, +0, -] */
const char *sl_library_name(lua_State *L, lua_Debug *frame);

/* ---- Slices: slices.c -------------------------------------------------------------------------------------------- */

void sl_begin_slice(sl_vm *vm, lua_State *thread, int resumption);
void sl_end_slice(sl_vm *vm);
/* Called by the count hook at the end of a slice: yields if the Lua thread can. */
void sl_suspend(lua_State *L, sl_vm *vm);

/* Suspends the running body as soon as possible. A signal handler may call it, before it sets the hook. */
static inline void sl_end_slice_soon(sl_running_body *body) { body->slice.is_over = true; }
/* Called by the count hook, when the running body has run `counted` more instructions. */
static inline void sl_count_slice(sl_running_body *body, uint64_t counted) {
  if (sl_count_down(&body->slice.left, counted)) body->slice.is_over = true;
}
/* Called by the count hook. Whether the running body was cancelled while it was suspended, so that the hook has to raise
 * effect.cancelled now. */
static inline bool sl_take_cancellation(sl_running_body *body) {
  if (!body->is_cancelled) return false;
  body->is_cancelled = false;
  body->raises_in_hook = true;
  return true;
}
/* Records what the running body used in its earlier slices. */
static inline void sl_set_use(sl_running_body *body, sl_use use) { body->use = use; }

/* ---- The running Lua thread -------------------------------------------------------------------------------------- */

/* From now on code runs on `thread`. Pass the result to `sl_leave_thread`. */
static inline lua_State *sl_enter_thread(sl_vm *vm, lua_State *thread) {
  lua_State *outer = vm->running;
  vm->running = thread;
  if (vm->stop.reason) {
    sl_set_stop_hook(thread);
  } else if (vm->turn.instructions > 0 || vm->body.slice.left > 0) {
    sl_set_count_hook(thread);
  }
  return outer;
}
static inline void sl_leave_thread(sl_vm *vm, lua_State *outer) {
  vm->running = outer;
  if (vm->stop.reason) sl_set_stop_hook(outer);
}

#endif
