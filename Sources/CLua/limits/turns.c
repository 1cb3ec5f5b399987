/* Turns, and the limits that count for them. */
#include <stdint.h>

#include "core/internal.h"
#include "coroutines/internal.h"
#include "limits/internal.h"

bool sl_set_limits(sl_vm *vm, const sl_limits *limits) {
  vm->limits = *limits;
  vm->memory.longest = limits->string > 0 ? limits->string + sizeof(void *) * 4 : SIZE_MAX;
  sl_set_widest(vm);
  if (limits->forbids_weak_tables) sl_hide_mode(vm);
  sl_set_bounds(vm);
  return limits->time == 0 || sl_watch_vm(vm);
}

void sl_start_turn(sl_vm *vm) {
  vm->turn.before = vm->memory.used;
  vm->turn.losses = 0;
  sl_set_widest(vm);
  sl_set_use(&vm->body, (sl_use){.time = 0});
  if (vm->limits.memory > 0 || vm->limits.growth > 0) sl_set_bounds(vm);
  if (vm->limits.instructions > 0) {
    vm->turn.instructions = vm->limits.instructions;
    sl_set_count_hook(vm->running);
  }
  if (vm->limits.time > 0) sl_watch_turn(vm);
  if (vm->watchdog.interrupt != NULL) sl_begin_interruptible(vm);
}

void sl_finish_turn(sl_vm *vm) {
  sl_subtract_temporary_memory(vm, 0);
  if (vm->watchdog.interrupt != NULL) sl_end_interruptible(vm);
  if (vm->watchdog.runner != NULL) sl_unwatch_turn(vm);
  sl_set_bounds(vm);
  if (vm->turn.instructions > 0 || vm->limits.instructions > 0) {
    vm->turn.instructions = 0;
    sl_set_count_hook(vm->running);
  }
  if (vm->stop.reason == SL_STOP_NONE) return;
  /* The collection must wait: the tape borrows strings that may have no other reference. */
  if (vm->stop.reason == SL_STOP_MEMORY) vm->memory.owes_collection = true;
  sl_end_stop(vm->running);
}

void sl_charge_turn(sl_vm *vm, const sl_use *use) {
  if (vm->turn.depth != 1) return; /* the earlier slices were parts of the same turn */
  const sl_limits *limits = &vm->limits;
  sl_set_use(&vm->body, *use);
  vm->turn.before = vm->memory.used > use->growth ? vm->memory.used - use->growth : 0;
  sl_set_bounds(vm);
  if (limits->instructions > 0) {
    vm->turn.instructions = limits->instructions > use->instructions ? limits->instructions - use->instructions : 1;
    sl_set_count_hook(vm->running);
  }
  if (limits->time > 0) sl_shorten_turn(vm, use->time);
}
