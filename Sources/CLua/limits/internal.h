/* What other folders use of limits/, and what its files share. No function here allocates in Lua, unless it says so. */
#ifndef CLUA_LIMITS_INTERNAL_H
#define CLUA_LIMITS_INTERNAL_H

#include "clua.h"
#include "core/internal.h"

enum { NANOSECONDS = 1000000000 }; /* of a second */

/* ---- Stops and the debug hook: stop_hook.c ----------------------------------------------------------------------- */

/* Install the hooks: for scripts that are being stopped, so that the next instruction raises; and for all others. A
 * signal handler may call both. [-0, +0, -] */
void sl_set_stop_hook(lua_State *L);
void sl_set_count_hook(lua_State *L);

/* Begins a stop because of time or an interruption: hides `__call`, and makes the allocator check every block that
 * grows. The caller sets the hook. A signal handler may call it. */
static inline void sl_begin_stop(sl_vm *vm, sl_stop_reason reason) {
  vm->stop.reason = reason;
  sl_hide_call_name(vm);
  vm->memory.soft = 0;
}

void sl_end_stop(lua_State *L); /* ends a stop, after its error has been caught [-0, +0, -] */
/* Ends an out-of-memory stop without restarting the time of the turn. For code that needed the memory only for a message.
 * [-0, +0, -] */
void sl_end_memory_stop(lua_State *L);
/* Records in vm->stop.failure where scripts are stopped, unless that is already recorded. [-0, +0, -] */
void sl_record_stop_location(sl_vm *vm, lua_State *L);
/* A stop that began while Lua left the frames of an error, which takes long where there are a million, has the place of that
 * error, which the message handler has recorded in vm->failure. [-0, +0, -] */
void sl_take_stop_location(sl_vm *vm);
int sl_copy_stop_to_failure(sl_vm *vm); /* copies vm->stop.failure to vm->failure and returns its status [-0, +0, -] */
void sl_push_stop(lua_State *L, sl_vm *vm); /* pushes the message of the stop [-0, +1, m] */

/* ---- Memory: memory.c -------------------------------------------------------------------------------------------- */

/* The first values of vm->memory, for a limit of `limit` bytes. */
void sl_open_memory(sl_vm *vm, size_t limit);
void sl_free_memory(sl_vm *vm);
/* The allocator of the Lua state; `user` is the VM. */
void *sl_allocate(void *user, void *pointer, size_t old_size, size_t size);
/* Sets `soft` and `ceiling` for the current turn, or for the time outside of turns. */
void sl_set_bounds(sl_vm *vm);
/* For a test whose VM is spent: raises the limit on the memory of the VM. */
void sl_raise_memory_limit(sl_vm *vm, size_t memory);
/* Collects garbage. Whether there is then enough memory for scripts to go on. */
bool sl_finds_room(lua_State *L, sl_vm *vm);

/* ---- Hash parts of large tables: hash_parts.c -------------------------------------------------------------------- */

/* Measures the bytes of a key, with two tables. [-0, +0, m] */
void sl_measure_hash_parts(lua_State *L, sl_vm *vm);
/* Sets the sizes from which on hash parts are watched and refused, as vm->limits says. */
void sl_set_widest(sl_vm *vm);
/* Whether a new vector of at least `watched` bytes is treated as the hash part of a table. */
bool sl_is_hash_part(const sl_hash_parts *parts, size_t size);
/* `sl_add_hash_part` records a new block if it is treated as a hash part; `sl_remove_hash_part` removes one that is
 * freed or moved. */
void sl_add_hash_part(sl_hash_parts *parts, const void *block, size_t size);
void sl_remove_hash_part(sl_hash_parts *parts, const void *block);
void sl_free_hash_parts(sl_hash_parts *parts);

/* The next hash part is that of a table which scripts do not make, or whose keys they do not choose: it is recorded, and not
 * refused, however large it is. Pass the result to `sl_end_hash_part`. If making the table raises, that function is not called, and the
 * next turn resets both fields. */
static inline size_t sl_expect_hash_part(sl_hash_parts *parts) {
  size_t widest = parts->widest;
  parts->widest = SIZE_MAX;
  parts->is_expected = true;
  return widest;
}
static inline void sl_end_hash_part(sl_hash_parts *parts, size_t widest) {
  parts->is_expected = false;
  parts->widest = widest;
}
/* `lua_rawset` for a table of the VM's own, to which the limit on keys does not apply. [-2, +0, m] */
static inline void sl_set_own(lua_State *L, sl_vm *vm, int index) {
  size_t widest = sl_expect_hash_part(&vm->memory.hash_parts);
  lua_rawset(L, index);
  sl_end_hash_part(&vm->memory.hash_parts, widest);
}

/* Begins to stop scripts that use too much memory, because Swift has made `used` larger. The allocator does the same, but
 * scripts may write to the state for long without a block of Lua's. [-0, +0, -] */
void sl_stop_over(sl_vm *vm);
static inline void sl_stop_if_over(sl_vm *vm) {
  if (vm->memory.used > vm->memory.soft) sl_stop_over(vm);
}

/* ---- The watchdog's view of a VM: clock_thread.c, turns.c, cancel.c ---------------------------------------------- */

/* Installs the handler of the watchdog's signal until no VM needs it any more. False if the watchdog thread cannot be
 * started. */
bool sl_watch_vm(sl_vm *vm);
void sl_unwatch_vm(sl_vm *vm);
void sl_watch_turn(sl_vm *vm);
void sl_unwatch_turn(sl_vm *vm);
void sl_restart_turn(sl_vm *vm);
/* Surround a turn of a VM that has an sl_cancel, inside `sl_watch_turn` and `sl_unwatch_turn`. */
void sl_begin_cancellable(sl_vm *vm);
void sl_end_cancellable(sl_vm *vm);
void sl_watch_slice(sl_vm *vm, int64_t slice); /* 0: the slice has ended */
int64_t sl_watched_time(const sl_vm *vm);      /* nanoseconds that the turn had taken when its slice ended */
void sl_shorten_turn(sl_vm *vm, int64_t used);
/* Surround what a call of `protect` protects. */
void sl_begin_protection(sl_vm *vm);
void sl_end_protection(sl_vm *vm);

#endif
