/* Slices: a body that computes for long is suspended, so that other work of the VM has a turn, and is resumed later.
 *
 * A body is suspended only between two of its own instructions, from the count hook, which may yield. It is never
 * suspended while a C function without a continuation is on its stack, so never across a Swift frame. */
#include "coroutines/internal.h"

/* Whether a Lua thread is suspended in the middle of a script, rather than in a C function that waits. */
static bool is_in_script(lua_State *thread) {
  lua_Debug frame;
  if (!lua_getstack(thread, 0, &frame)) return false;
  lua_getinfo(thread, "S", &frame);
  return frame.what[0] != 'C';
}

void sl_begin_slice(sl_vm *vm, lua_State *thread, int resumption) {
  vm->body.thread = thread;
  vm->body.slice.left = vm->limits.slice_instructions;
  vm->body.slice.is_over = vm->body.slice.is_suspended = vm->body.raises_in_hook = false;
  vm->body.is_cancelled = resumption == SL_RESUME_CANCELLED && is_in_script(thread);
  /* Without a count of instructions and without earlier slices, the watchdog measures the time. That saves reading a
   * clock for each resumption. */
  vm->body.slice.began = vm->body.slice.left > 0 || vm->body.use.time > 0 ? sl_now() : 0;
  if (vm->body.slice.is_timed && vm->limits.slice > 0) sl_watch_slice(vm, vm->limits.slice);
}

void sl_end_slice(sl_vm *vm) {
  vm->body.thread = NULL;
  vm->body.slice.left = 0;
  vm->body.is_cancelled = false;
  if (vm->watchdog.record != NULL) sl_watch_slice(vm, 0);
}

static void note_use(sl_vm *vm) {
  sl_use *use = &vm->body.use;
  use->time += vm->body.slice.began > 0 ? sl_now() - vm->body.slice.began : sl_watched_time(vm);
  use->growth = vm->memory.used > vm->turn.before ? vm->memory.used - vm->turn.before : 0;
  use->instructions = vm->limits.instructions - vm->turn.instructions;
}

void sl_suspend(lua_State *L, sl_vm *vm) {
  vm->body.slice.is_over = false;
  vm->body.slice.left = vm->limits.slice_instructions;
  sl_set_count_hook(L);
  /* A library function has called the running function, so the body cannot be suspended here. The end of the next slice
   * may find it elsewhere. */
  if (!lua_isyieldable(L)) return;
  vm->body.slice.is_suspended = true;
  note_use(vm);
  lua_yield(L, 0);
}
