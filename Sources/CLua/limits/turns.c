/* Turns, and the limits on the memory of a VM.
 *
 * `sl_grants` decides on an allocation. Invariants:
 * 1. Above `soft`, scripts are stopped: the next instruction raises. Up to `ceiling` the allocation is granted
 *    nevertheless, so that a stopped script can close what it has open and report its error.
 * 2. Above `ceiling`, and for a string or hash part that is too large, the allocation is refused.
 * 3. After a refusal Lua collects garbage and requests the same size once more. If that is refused too, Lua raises
 *    LUA_ERRMEM. `refused` and `lacks` follow these steps:
 *
 *                refuse                      the same size: refuse
 *  refused = 0 ----------> refused = size -------------------------> lacks = true (Lua raises)
 *       ^                     |      |
 *       +-- the same size: ---+      +-- another size: Lua has ----> lacks = true
 *           grant                        raised already
 *
 * While `refused` is not 0, `soft` is 0, so that the next allocation reaches `sl_grants`. */
#include <stdint.h>

#include "core/protect.h"

/* ---- Memory --------------------------------------------------------------------------------------------------------- */

/* The share of a limit that is reserved for stopped scripts: to make the message and traceback, and to close what they
 * have open. */
enum { RESERVED = 8, LEAST_RESERVE = 64 * 1024 };

/* The smallest block, in bytes, that is refused after the time of a turn is over. */
enum { LARGE = 64 * 1024 };

/* Outside of turns nothing can be stopped, so the whole limit is granted. */
void sl_set_bounds(sl_vm *vm) {
  const sl_limits *limits = &vm->limits;
  vm->ceiling = vm->soft = limits->memory > 0 ? limits->memory : SIZE_MAX;
  if (vm->turns == 0) return;
  if (limits->memory > 0) vm->soft -= limits->memory / RESERVED;
  if (limits->growth == 0 || vm->before >= vm->soft || limits->growth >= vm->soft - vm->before) return;
  vm->soft = vm->before + limits->growth;
  size_t reserve = limits->growth / RESERVED > LEAST_RESERVE ? limits->growth / RESERVED : LEAST_RESERVE;
  if (reserve < vm->ceiling - vm->soft) vm->ceiling = vm->soft + reserve;
}

static void begin_stop(sl_vm *vm, int reason, size_t figure) {
  if (vm->stopping != SL_STOP_NONE || !sl_can_stop(vm)) return;
  vm->stop_figure = (double)figure;
  vm->stopping = reason;
  sl_set_stop_hook(vm->running);
}

/* Growing a table rehashes it. With colliding keys that takes quadratic time without running an instruction, and every
 * script can find integers that collide. */
static bool is_wide_table(const sl_vm *vm, size_t size) {
  return size >= vm->widest && sl_can_stop(vm) && sl_is_hash_part(vm, size);
}

/* Whether the block is the stack of the running Lua thread. */
static bool is_running_stack(const sl_vm *vm, const void *block) {
  if (vm->stack_at == 0) return true; /* `find_stack` did not find the offset: assume that it is */
  return *(void *const *)((const char *)vm->running + vm->stack_at) == block;
}

/* Records where scripts are stopped, because a block is refused. Lua raises that error without a message handler, and
 * after it has left the frames that led here, so this is the last moment at which the source line can be found. Nothing
 * here allocates or raises.
 *
 * There is one exception: since Lua 5.4.5 the stack holds offsets in place of pointers while it grows, so its frames
 * cannot be read. (Before 5.4.5 a growing stack got a new block, with `moved` null.) Such a stop is recorded later, in a
 * message handler or in the hook. */
static void note_refusal(sl_vm *vm, const void *moved) {
  if (vm->stopping == SL_STOP_NONE) return;
  if (moved == NULL || !is_running_stack(vm, moved)) sl_record_stop_location(vm, vm->running);
}

bool sl_grants(sl_vm *vm, int kind, const void *moved, size_t before, size_t size) {
  bool is_string = kind == LUA_TSTRING, is_vector = kind == 0;
  if (vm->stopping == SL_STOP_TIME || vm->stopping == SL_STOP_INTERRUPT) {
    /* A chain of `__call` can make a stack grow for minutes without an instruction or a call in between. */
    if (size < LARGE && vm->used + (size - before) <= vm->ceiling) return true;
    note_refusal(vm, moved);
    return false;
  }
  bool is_again = vm->refused == size;
  if (vm->refused != 0) {
    vm->refused = 0;
    sl_set_bounds(vm);
    if (!is_again) vm->lacks = true;
  }
  size_t used = vm->used + (size - before);
  bool is_long = is_string && size > vm->longest;
  bool is_wide = is_vector && is_wide_table(vm, size);
  if (!is_long && !is_wide && used <= vm->soft) return true;
  bool is_growth = vm->limits.growth > 0 && vm->soft - vm->before == vm->limits.growth;
  if (is_long) {
    begin_stop(vm, SL_STOP_STRING, size);
  } else if (is_wide) {
    begin_stop(vm, SL_STOP_KEYS, size / vm->node / 2 + 1);
  } else {
    begin_stop(vm, is_growth ? SL_STOP_GROWTH : SL_STOP_MEMORY, used);
  }
  if (!is_long && !is_wide && used <= vm->ceiling) return true;
  if (is_again) {
    vm->lacks = true;
  } else {
    vm->refused = size;
    vm->soft = 0; /* the next allocation comes here */
  }
  note_refusal(vm, moved);
  return false;
}

void sl_add_temporary_memory(sl_vm *vm, size_t bytes) {
  vm->temporary += bytes;
  vm->used += bytes;
  if (vm->used > vm->peak) vm->peak = vm->used;
}

void sl_make_memory_lasting(sl_vm *vm, size_t bytes) {
  if (bytes > vm->temporary) sl_add_temporary_memory(vm, bytes - vm->temporary);
  vm->temporary -= bytes;
}

void sl_subtract_lasting_memory(sl_vm *vm, size_t bytes) { vm->used -= bytes; }

void sl_subtract_temporary_memory(sl_vm *vm, size_t down_to) {
  if (vm->temporary <= down_to) return;
  vm->used -= vm->temporary - down_to;
  vm->temporary = down_to;
}

bool sl_has_room(const sl_vm *vm, size_t bytes) { return vm->used <= vm->soft && bytes <= vm->soft - vm->used; }

bool sl_fits(const sl_vm *vm, size_t bytes) {
  size_t most = vm->limits.growth > 0 ? vm->limits.growth : vm->limits.memory;
  return most == 0 || bytes <= most;
}

bool sl_finds_room(lua_State *L, sl_vm *vm) {
  if (vm->lacks || vm->refused != 0) return false;
  lua_gc(L, LUA_GCCOLLECT);
  /* With little free memory, the next collection would come too soon. */
  size_t range = vm->stopping == SL_STOP_GROWTH ? vm->limits.growth : vm->limits.memory;
  return vm->used <= vm->soft - range / 16;
}

/* ---- Turns ---------------------------------------------------------------------------------------------------------- */

static void set_widest(sl_vm *vm) {
  vm->widest = vm->watched = SIZE_MAX;
  vm->makes_keys = false;
  if (vm->limits.keys == 0) return;
  size_t nodes = 1;
  while (nodes < vm->limits.keys && nodes <= SIZE_MAX / 4 / vm->node) nodes *= 2;
  vm->widest = 2 * nodes * vm->node;
  vm->watched = vm->widest / SL_WATCHED;
}

bool sl_set_limits(sl_vm *vm, const sl_limits *limits) {
  vm->limits = *limits;
  vm->longest = limits->string > 0 ? limits->string + sizeof(void *) * 4 : SIZE_MAX;
  set_widest(vm);
  if (limits->forbids_weak_tables) sl_hide_mode(vm);
  sl_set_bounds(vm);
  return limits->time == 0 || sl_watch_vm(vm);
}

void sl_start_turn(sl_vm *vm) {
  vm->before = vm->used;
  vm->losses = 0;
  set_widest(vm);
  vm->use = (sl_use){.time = 0};
  if (vm->limits.memory > 0 || vm->limits.growth > 0) sl_set_bounds(vm);
  if (vm->limits.instructions > 0) {
    vm->instructions = vm->limits.instructions;
    sl_set_count_hook(vm->running);
  }
  if (vm->limits.time > 0) sl_watch_turn(vm);
}

void sl_finish_turn(sl_vm *vm) {
  sl_subtract_temporary_memory(vm, 0);
  if (vm->runner != NULL) sl_unwatch_turn(vm);
  sl_set_bounds(vm);
  if (vm->instructions > 0 || vm->limits.instructions > 0) {
    vm->instructions = 0;
    sl_set_count_hook(vm->running);
  }
  if (vm->stopping == SL_STOP_NONE) return;
  /* The collection must wait: the tape borrows strings that may have no other reference. */
  if (vm->stopping == SL_STOP_MEMORY) vm->owes_collection = true;
  sl_end_stop(vm->running);
}

void sl_collect_owed(sl_vm *vm) {
  if (!vm->owes_collection || vm->L == NULL) return;
  vm->owes_collection = false;
  lua_gc(vm->running, LUA_GCCOLLECT);
}

void sl_update_is_full(sl_vm *vm) { vm->is_full = vm->used > vm->limits.memory / 4 * 3; }
