/* The memory of a VM: the allocator of its Lua state, and the bounds on what scripts may use.
 *
 * `grants` decides on an allocation. Invariants:
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
 * While `refused` is not 0, `soft` is 0, so that the next allocation reaches `grants`. */
#include <stdint.h>

#include "core/internal.h"
#include "limits/internal.h"

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

/* The share of a limit that is reserved for stopped scripts: to make the message and traceback, and to close what they
 * have open. */
enum { RESERVED = 8, LEAST_RESERVE = 64 * 1024 };

/* The smallest block, in bytes, that is refused after the time of a turn is over. */
enum { LARGE = 64 * 1024 };

/* Outside of turns nothing can be stopped, so the whole limit is granted. */
void sl_set_bounds(sl_vm *vm) {
  const sl_limits *limits = &vm->limits;
  sl_memory *memory = &vm->memory;
  memory->ceiling = memory->soft = limits->memory > 0 ? limits->memory : SIZE_MAX;
  memory->blocks.most = limits->memory < SIZE_MAX / 2 ? 2 * limits->memory : 0;
  if (vm->turn.depth == 0) return;
  if (limits->memory > 0) memory->soft -= limits->memory / RESERVED;
  if (limits->growth == 0 || vm->turn.before >= memory->soft || limits->growth >= memory->soft - vm->turn.before) return;
  memory->soft = vm->turn.before + limits->growth;
  size_t reserve = limits->growth / RESERVED > LEAST_RESERVE ? limits->growth / RESERVED : LEAST_RESERVE;
  if (reserve < memory->ceiling - memory->soft) memory->ceiling = memory->soft + reserve;
}

void sl_raise_memory_limit(sl_vm *vm, size_t memory) {
  vm->limits.memory = memory;
  sl_set_bounds(vm);
}

/* ---- Allocations that need a decision ---------------------------------------------------------------------------- */

static void stop_at(sl_vm *vm, sl_stop_reason reason, size_t figure) {
  if (vm->stop.reason != SL_STOP_NONE || !sl_can_stop(&vm->turn)) return;
  vm->stop.figure = (double)figure;
  vm->stop.reason = reason;
  sl_set_stop_hook(vm->running);
}

/* Stops scripts because the VM would use `used` bytes: more than the turn or the VM may. */
static void stop_at_memory(sl_vm *vm, size_t used) {
  bool is_growth = vm->limits.growth > 0 && vm->memory.soft - vm->turn.before == vm->limits.growth;
  stop_at(vm, is_growth ? SL_STOP_GROWTH : SL_STOP_MEMORY, is_growth ? used - vm->turn.before : used);
}

/* Growing a table rehashes it. With colliding keys that takes quadratic time without running an instruction, and every
 * script can find integers that collide. */
static bool is_wide_table(const sl_vm *vm, size_t size) {
  return size >= vm->memory.hash_parts.widest && sl_can_stop(&vm->turn) && sl_is_hash_part(&vm->memory.hash_parts, size);
}

/* Whether the block is the stack of the running Lua thread. */
static bool is_running_stack(const sl_vm *vm, const void *block) {
  if (vm->internals.stack_at == 0) return true; /* `find_stack` did not find the offset: assume that it is */
  return *(void *const *)((const char *)vm->running + vm->internals.stack_at) == block;
}

/* Records where scripts are stopped, because a block is refused. Lua raises that error without a message handler, and
 * after it has left the frames that led here, so this is the last moment at which the source line can be found. Nothing
 * here allocates or raises.
 *
 * There is one exception: since Lua 5.4.5 the stack holds offsets in place of pointers while it grows, so its frames
 * cannot be read. (Before 5.4.5 a growing stack got a new block, with `moved` null.) Such a stop is recorded later, in a
 * message handler or in the hook. */
static void note_refusal(sl_vm *vm, const void *moved) {
  if (vm->stop.reason == SL_STOP_NONE) return;
  if (moved == NULL || !is_running_stack(vm, moved)) sl_record_stop_location(vm, vm->running);
}

/* Whether the block is the running stack, which grows for something else than a chain of `__call`, because the name is hidden.
 * If such a block were refused, the source line could not be found (see `note_refusal`). */
static bool is_stack_without_chain(const sl_vm *vm, const void *moved) {
  bool is_known = vm->internals.stack_at != 0 && vm->internals.call_name != NULL;
  return is_known && moved != NULL && is_running_stack(vm, moved);
}

/* Decides on an allocation that the quick check in `sl_allocate` did not grant: whether a block may grow from `before`
 * to `size` bytes. `kind` is LUA_T… or 0 (a vector) for a new block. `moved` is the block that grows; null for a new
 * one. Not inlined, so that the quick path stays short. */
static __attribute__((noinline)) bool grants(sl_vm *vm, int kind, const void *moved, size_t before, size_t size) {
  sl_memory *memory = &vm->memory;
  bool is_string = kind == LUA_TSTRING, is_vector = kind == 0;
  if (vm->stop.reason == SL_STOP_TIME || vm->stop.reason == SL_STOP_INTERRUPT) {
    /* A chain of `__call` can make a stack grow for minutes without an instruction or a call in between. */
    bool is_harmless = size < LARGE || is_stack_without_chain(vm, moved);
    if (is_harmless && memory->used + (size - before) <= memory->ceiling) return true;
    note_refusal(vm, moved);
    return false;
  }
  bool is_again = memory->refused == size;
  if (memory->refused != 0) {
    memory->refused = 0;
    sl_set_bounds(vm);
    if (!is_again) memory->lacks = true;
  }
  size_t used = memory->used + (size - before);
  bool is_long = is_string && size > memory->longest;
  bool is_wide = is_vector && is_wide_table(vm, size);
  if (!is_long && !is_wide && used <= memory->soft) return true;
  if (is_long) {
    stop_at(vm, SL_STOP_STRING, size);
  } else if (is_wide) {
    stop_at(vm, SL_STOP_KEYS, size / memory->hash_parts.node / 2 + 1);
  } else {
    stop_at_memory(vm, used);
  }
  if (!is_long && !is_wide && used <= memory->ceiling) return true;
  if (is_again) {
    memory->lacks = true;
  } else {
    memory->refused = size;
    memory->soft = 0; /* the next allocation comes here */
  }
  note_refusal(vm, moved);
  return false;
}

void sl_stop_over(sl_vm *vm) {
  if (vm->memory.refused != 0 || vm->memory.soft == 0) return; /* the next allocation decides */
  stop_at_memory(vm, vm->memory.used);
}

/* ---- The allocator ----------------------------------------------------------------------------------------------- */

/* Counts bytes, and refuses blocks that exceed a limit or that a test wants to fail. It never refuses to
 * shrink a block, as Lua requires. */
void *sl_allocate(void *user, void *pointer, size_t old_size, size_t size) {
  sl_vm *vm = user;
  sl_memory *memory = &vm->memory;
  size_t before = pointer ? old_size : 0;
  if (before >= memory->hash_parts.watched) sl_remove_hash_part(&memory->hash_parts, pointer);
  if (size == 0) {
    sl_block_free(&memory->blocks, pointer, before);
    memory->used -= before;
    return NULL;
  }
  /* The kind of a new block: LUA_TSTRING for a string, 0 for a vector, and so on; -1 for a block that is resized. */
  int kind = pointer == NULL ? (int)old_size : -1;
  if (size > before) {
    if (memory->fail_at == 0) {
      if (memory->fail_count > 0) {
        memory->fail_count--;
        return NULL;
      }
    } else if (memory->fail_at > 0) {
      memory->fail_at--;
    }
    bool is_plain = memory->used + (size - before) <= memory->soft && size <= memory->longest && size < memory->hash_parts.watched;
    if (!is_plain && !grants(vm, kind, pointer, before, size)) return NULL;
  }
  void *moved = sl_block_resize(&memory->blocks, pointer, before, size);
  if (moved == NULL) return NULL;
  sl_record_block(&vm->internals, moved, size);
  memory->used = memory->used - before + size;
  if (memory->used > memory->peak) memory->peak = memory->used;
  if (kind == 0 && size >= memory->hash_parts.watched) sl_add_hash_part(&memory->hash_parts, moved, size);
  return moved;
}

void sl_open_memory(sl_vm *vm, size_t limit) {
  vm->memory.hash_parts.node = 3 * sizeof(void *); /* until `sl_measure_hash_parts` has run */
  sl_set_limits(vm, &(sl_limits){.memory = limit});
  sl_fail_allocations(&vm->memory, -1, 0);
}

void sl_free_memory(sl_vm *vm) {
  sl_blocks_end(&vm->memory.blocks);
  sl_free_hash_parts(&vm->memory.hash_parts);
}

/* ---- Memory of Swift --------------------------------------------------------------------------------------------- */

void sl_add_temporary_memory(sl_vm *vm, size_t bytes) {
  vm->memory.temporary += bytes;
  vm->memory.used += bytes;
  if (vm->memory.used > vm->memory.peak) vm->memory.peak = vm->memory.used;
}

void sl_make_memory_lasting(sl_vm *vm, size_t bytes) {
  if (bytes > vm->memory.temporary) sl_add_temporary_memory(vm, bytes - vm->memory.temporary);
  vm->memory.temporary -= bytes;
}

void sl_subtract_lasting_memory(sl_vm *vm, size_t bytes) { vm->memory.used -= bytes; }

void sl_subtract_temporary_memory(sl_vm *vm, size_t down_to) {
  if (vm->memory.temporary <= down_to) return;
  vm->memory.used -= vm->memory.temporary - down_to;
  vm->memory.temporary = down_to;
}

bool sl_has_room(const sl_vm *vm, size_t bytes) {
  const sl_memory *memory = &vm->memory;
  return memory->used <= memory->soft && bytes <= memory->soft - memory->used;
}

bool sl_fits(const sl_vm *vm, size_t bytes) {
  size_t most = vm->limits.growth > 0 ? vm->limits.growth : vm->limits.memory;
  return most == 0 || bytes <= most;
}

/* ---- Collecting -------------------------------------------------------------------------------------------------- */

bool sl_finds_room(lua_State *L, sl_vm *vm) {
  if (vm->memory.lacks || vm->memory.refused != 0) return false;
  lua_gc(L, LUA_GCCOLLECT);
  /* With little free memory, the next collection would come too soon. */
  size_t range = vm->stop.reason == SL_STOP_GROWTH ? vm->limits.growth : vm->limits.memory;
  return vm->memory.used <= vm->memory.soft - range / 16;
}

void sl_collect(sl_vm *vm, bool full) {
  if (vm->L == NULL) return;
  if (full) {
    lua_gc(vm->L, LUA_GCCOLLECT);
  } else {
    lua_gc(vm->L, LUA_GCSTEP, 0);
  }
}

void sl_collect_owed(sl_vm *vm) {
  if (!vm->memory.owes_collection || vm->L == NULL) return;
  vm->memory.owes_collection = false;
  lua_gc(vm->running, LUA_GCCOLLECT);
}

void sl_update_is_full(sl_vm *vm) { vm->memory.is_full = vm->memory.used > vm->limits.memory / 4 * 3; }
