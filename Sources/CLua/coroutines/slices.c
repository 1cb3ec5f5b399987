/* Slices: a body that computes for long is suspended, so that other work of the VM has a turn, and is resumed later.
 *
 * A body is suspended only between two of its own instructions, from the count hook, which may yield. It is never
 * suspended while a C function without a continuation is on its stack, so never across a Swift frame. */
#include "core/protect.h"

/* Whether a Lua thread is suspended in the middle of a script, rather than in a C function that waits. */
static bool is_in_script(lua_State *thread) {
  lua_Debug frame;
  if (!lua_getstack(thread, 0, &frame)) return false;
  lua_getinfo(thread, "S", &frame);
  return frame.what[0] != 'C';
}

void sl_begin_slice(sl_vm *vm, lua_State *thread, int resumption) {
  vm->body = thread;
  vm->slice = vm->limits.slice_instructions;
  vm->is_over = vm->is_suspended = vm->raises_in_hook = false;
  vm->is_cancelled = resumption == SL_RESUME_CANCELLED && is_in_script(thread);
  /* Without a count of instructions and without earlier slices, the watchdog measures the time. That saves reading a
   * clock for each resumption. */
  vm->slice_began = vm->slice > 0 || vm->use.time > 0 ? sl_now() : 0;
  if (vm->times_slices && vm->limits.slice > 0) sl_watch_slice(vm, vm->limits.slice);
}

void sl_end_slice(sl_vm *vm) {
  vm->body = NULL;
  vm->slice = 0;
  vm->is_cancelled = false;
  if (vm->runner != NULL) sl_watch_slice(vm, 0);
}

static void note_use(sl_vm *vm) {
  sl_use *use = &vm->use;
  use->time += vm->slice_began > 0 ? sl_now() - vm->slice_began : sl_watched_time(vm);
  use->growth = vm->used > vm->before ? vm->used - vm->before : 0;
  use->instructions = vm->limits.instructions - vm->instructions;
}

void sl_suspend(lua_State *L, sl_vm *vm) {
  vm->is_over = false;
  vm->slice = vm->limits.slice_instructions;
  sl_set_count_hook(L);
  /* A library function has called the running function, so the body cannot be suspended here. The end of the next slice
   * may find it elsewhere. */
  if (!lua_isyieldable(L)) return;
  vm->is_suspended = true;
  note_use(vm);
  lua_yield(L, 0);
}

void sl_charge_turn(sl_vm *vm, const sl_use *use) {
  if (vm->turns != 1) return; /* the earlier slices were parts of the same turn */
  const sl_limits *limits = &vm->limits;
  vm->use = *use;
  vm->before = vm->used > use->growth ? vm->used - use->growth : 0;
  sl_set_bounds(vm);
  if (limits->instructions > 0) {
    vm->instructions = limits->instructions > use->instructions ? limits->instructions - use->instructions : 1;
    sl_set_count_hook(vm->running);
  }
  if (limits->time > 0) sl_shorten_turn(vm, use->time);
}
