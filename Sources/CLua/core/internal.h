/* What the C files share with each other, and Swift does not see. Call these functions only inside a protected call. */
#ifndef CLUA_INTERNAL_H
#define CLUA_INTERNAL_H

#include "clua.h"

/* Pushes the value that ends a function or reducer with `effect.cancelled`. [-0, +1, -] */
void sl_push_cancelled(lua_State *L);
bool sl_is_cancelled(lua_State *L, int index);
/* The continuation of a wait. It returns or raises as vm->resumption says. The values to return are the whole stack of
 * the function. */
int sl_continue(lua_State *L, int status, lua_KContext context);

/* Calls `body` protected on L, with `data` as a light userdata argument, inside a turn. A failure is in vm->failure.
 * [-0, +0, -] */
int sl_protect(sl_vm *vm, lua_State *L, lua_CFunction body, void *data);
/* The Swift object in the box at `index`, borrowed (+0), and its kind; null for anything else. [-0, +0, -] */
void *sl_to_box(lua_State *L, int index, int *kind);
void sl_push_box(lua_State *L, void *object, int kind); /* retains `object` [-0, +1, m] */
void **sl_push_empty_box(lua_State *L, int kind);       /* the caller stores an owned (+1) object in it [-0, +1, m] */

/* The sl_run at `index`; null for anything else, and for one that has a box. [-0, +0, -] */
sl_run *sl_to_run(lua_State *L, int index);
/* Appends that sl_run to vm->tape as SL_TAG_RUN. With `holds`, its functions are referenced with `sl_hold`. [-0, +0, e] */
void sl_append_run(lua_State *L, int index, const sl_run *run, bool holds);

/* Makes a short-lived reference to the function on top of the stack: a registry reference, or a number below LUA_NOREF
 * (held.c). Only the functions below and the code that runs bodies accept the latter. [-1, +0, m] */
int sl_hold(lua_State *L);
/* Pushes the value of a reference; nil for LUA_NOREF. [-0, +1, -] */
void sl_push_reference(lua_State *L, int reference);
/* Releases a reference. [-0, +0, -] */
void sl_unref(lua_State *L, int reference);
/* Makes a box for the sl_run, which is used as that effect from now on. Returns its object, borrowed (+0). [-0, +0, e] */
void *sl_box_run(lua_State *L, int index, sl_run *run);

/* Whether the value at `index` is a record of `sl_new_sealed`: the only userdata that is no box and has a box in its
 * first user value. [-0, +0, -] */
bool sl_is_sealed(lua_State *L, int index);

/* The draft or view at `index`; null for anything else. It may be dead. [-0, +0, -] */
sl_ref *sl_to_ref(lua_State *L, int index);
/* The same, but raises if the value is no draft or view, or if it is dead. [-0, +0, e] */
sl_ref *sl_check_ref(lua_State *L, int index);
/* The chunk name of the innermost script function on the stack of `from`, from `level` on, and its frame (source and line
 * filled in); null if there is none. C functions are skipped, and chunks of the prelude and the host, whose names begin
 * with `=`. [-0, +0, -] */
const char *sl_find_script(lua_State *from, int level, lua_Debug *frame);
/* Pushes `script:line: ` of the innermost script function; an empty string if there is none. [-0, +1, m] */
void sl_where(lua_State *L);
/* Raises the message that the last hook stored. [-0, +0, e] */
int sl_raise(lua_State *L);
/* Whether the string that is about to be raised stands for a Swift error. If so, forgets the string of the previous Swift
 * error. [-0, +0, -] */
bool sl_begin_throw(lua_State *L);
/* Raises the value on top of the stack. With `throws`, records it as the string of the last Swift error. [-1, +0, v] */
int sl_throw(lua_State *L, bool throws);
/* Whether the value on top of the stack is the string of the last Swift error. [-0, +0, -] */
bool sl_is_thrown(lua_State *L);
/* Begins a tape that may contain references. It first releases the references of a tape that was never finished, because
 * a value was rejected. `sl_end_tape` makes the receiver own the references. [-0, +0, -] */
void sl_begin_tape(lua_State *L);
static inline void sl_end_tape(sl_vm *vm) { vm->unclaimed.count = 0; }
/* Appends the value at `index` to vm->tape. A rejection names the path of `ref` and `key`, or `root` if `ref` is null.
 * With `as_values`, plain tables are read into the tape, otherwise referenced. [-0, +0, e] */
void sl_append(lua_State *L, int index, bool as_values, const sl_ref *ref, const sl_key *key, const char *root);
bool sl_is_utf8(const char *text, size_t length); /* strict UTF-8 [-0, +0, -] */
/* Pushes the value at `*at` of a tape and moves `*at` past it. [-0, +1, m] */
void sl_push(lua_State *L, const sl_value *tape, size_t *at);
/* Pushes a scalar, string, draft, view or box. [-0, +1, m] */
void sl_push_value(lua_State *L, const sl_value *value);
/* Makes a key from the Lua value at `index`; false if no table of the state can have that key. [-0, +0, -] */
bool sl_to_key(lua_State *L, int index, sl_key *key);
/* Pushes ref[key]: what `__index` of a draft does. [-0, +1, e] */
void sl_ref_get(lua_State *L, const sl_ref *ref, int key_index);
/* ref[key] = value. [-0, +0, e] */
void sl_ref_set(lua_State *L, const sl_ref *ref, int key_index, int value_index);
lua_Integer sl_ref_length(lua_State *L, const sl_ref *ref);
/* `next` of a draft or view after the key at `key_index` (nil: the first entry): pushes key and value, or nil.
 * [-0, +1|2, e] */
int sl_ref_next(lua_State *L, const sl_ref *ref, int64_t cursor, int key_index);
/* `pairs` of a draft or view: pushes an iterator, the draft or view, and nil. [-0, +3, e] */
int sl_ref_pairs(lua_State *L);
void sl_open_drafts(lua_State *L);  /* the metatable of drafts and views, and the caches [-0, +0, m] */
void sl_open_boxes(lua_State *L);   /* the metatables of boxes and of marked tables [-0, +0, m] */
int sl_native_array(lua_State *L);  /* scripted.array, scripted.object: mark a plain table [-1, +1, e] */
int sl_native_object(lua_State *L);
int sl_native_weak_keys(lua_State *L);         /* weakKeys() [-0, +1, m] */
int sl_native_keep_descriptions(lua_State *L); /* keepDescriptions(table) [-1, +0, m] */
int sl_native_replace(lua_State *L);   /* scripted.replace(state, value) [-2, +0, e] */
int sl_native_draft(lua_State *L);     /* draft(table of the state): its index in the arena [-0, +1, e] */
int sl_native_find(lua_State *L);      /* find(list, id, idKey): position or nil */
int sl_native_rearrange(lua_State *L); /* rearrange(list, elements) */
void sl_open_null(lua_State *L);    /* the metatable of scripted.null and all light userdata [-0, +0, m] */
void sl_push_null(lua_State *L);    /* [-0, +1, -] */
bool sl_is_null(lua_State *L, int index);
/* Finds the strings `__mode` and `__call` in Lua's memory (interned_names.c). [-0, +0, m] */
void sl_open_names(lua_State *L);
/* Makes it impossible for scripts to have weak tables. [-0, +0, -] */
void sl_hide_mode(sl_vm *vm);
/* Pushes an empty table with weak keys. [-0, +1, m] */
void sl_push_weak_keys(lua_State *L);
/* The next three set up what bodies, `sl_hold` and patterns need in the registry. [-0, +0, m] */
void sl_open_bodies(lua_State *L);
void sl_open_held(lua_State *L);
void sl_open_patterns(lua_State *L);
/* Adds the functions that make effects to the table on top of the stack. [-0, +0, m] */
void sl_open_effects(lua_State *L);
/* Adds `failure`, `isFailure` and `errorText` to the table on top of the stack. [-0, +0, m] */
void sl_open_failures(lua_State *L);
/* The sandbox (sandbox.c). `sl_open_sandbox` sets up the parts that all environments of a VM share. `sl_push_environment`
 * pushes a new environment with its own copies of the allowed globals and library tables. [-0, +0, m] and [-0, +1, m] */
void sl_open_sandbox(lua_State *L);
void sl_push_environment(lua_State *L);

/* Hooks of Lua: interrupt.c and line_counts.c. [-0, +0, -] */
void sl_set_stop_hook(lua_State *L);  /* the next instruction raises */
/* Hide the string `__call` from Lua, and restore it. It is hidden while scripts are stopped because of time or an
 * interruption: Lua follows `__call` from value to value without running an instruction. `sl_hide_call_name` may be called in
 * a signal handler. */
static inline void sl_hide_call_name(sl_vm *vm) {
  if (vm->call_name != NULL) *(volatile uintptr_t *)vm->call_name = vm->no_string;
}
static inline void sl_restore_call_name(sl_vm *vm) {
  if (vm->call_name != NULL) *(volatile uintptr_t *)vm->call_name = vm->call_string;
}
void sl_set_count_hook(lua_State *L); /* installs the hooks for scripts that are not being stopped */
void sl_count_line(lua_State *L, lua_Debug *activation);
void sl_begin_protection(sl_vm *vm);
void sl_end_stop(lua_State *L); /* ends a stop, after its error has been caught */
/* Records in vm->stop where scripts are stopped, unless that is already recorded. */
void sl_record_stop_location(sl_vm *vm, lua_State *L);
int sl_copy_stop_to_failure(sl_vm *vm); /* copies vm->stop to vm->failure and returns its status */
void sl_push_stop(lua_State *L, sl_vm *vm); /* pushes the message of the stop [-0, +1, m] */

/* Memory: turns.c. [-0, +0, -] */
/* Sets `soft` and `ceiling` for the current turn, or for the time outside of turns. */
void sl_set_bounds(sl_vm *vm);
/* Decides on an allocation that the quick check in vm.c did not grant: whether a block may grow from `before` to `size`
 * bytes. `kind` is LUA_T… or 0 (a vector) for a new block. `moved` is the block that grows; null for a new one. */
bool sl_grants(sl_vm *vm, int kind, const void *moved, size_t before, size_t size);

/* vm->watched is vm->widest divided by this. */
enum { SL_WATCHED = 16 };
/* Whether a new vector of at least vm->watched bytes is treated as the hash part of a table. [-0, +0, -] */
bool sl_is_hash_part(const sl_vm *vm, size_t size);
/* `sl_add_hash_part` adds a new block to vm->hash_parts if it is treated as a hash part; `sl_remove_hash_part` removes one that is
 * freed or moved. */
void sl_add_hash_part(sl_vm *vm, const void *block, size_t size);
void sl_remove_hash_part(sl_vm *vm, const void *block);
void sl_free_hash_parts(sl_vm *vm);
/* Collects garbage. Whether there is then enough memory for scripts to go on. */
bool sl_finds_room(lua_State *L, sl_vm *vm);

/* How the watchdog watches turns: watchdog.c. [-0, +0, -] */
/* Installs the handler of the watchdog's signal until no VM needs it any more. False if the watchdog thread cannot be
 * started. */
bool sl_watch_vm(sl_vm *vm);
void sl_unwatch_vm(sl_vm *vm);
void sl_watch_turn(sl_vm *vm);
void sl_unwatch_turn(sl_vm *vm);
void sl_restart_turn(sl_vm *vm);
void sl_watch_slice(sl_vm *vm, int64_t slice); /* 0: the slice has ended */
int64_t sl_watched_time(const sl_vm *vm);      /* nanoseconds that the turn had taken when its slice ended */
void sl_shorten_turn(sl_vm *vm, int64_t used);

/* Slices: slices.c. [-0, +0, -] */
void sl_begin_slice(sl_vm *vm, lua_State *thread, int resumption);
void sl_end_slice(sl_vm *vm);
/* Called by the count hook at the end of a slice: yields if the Lua thread can. */
void sl_suspend(lua_State *L, sl_vm *vm);

/* From now on code runs on `thread`. Pass the result to `sl_leave_thread`. */
static inline lua_State *sl_enter_thread(sl_vm *vm, lua_State *thread) {
  lua_State *outer = vm->running;
  vm->running = thread;
  if (vm->stopping) {
    sl_set_stop_hook(thread);
  } else if (vm->instructions > 0 || vm->slice > 0) {
    sl_set_count_hook(thread);
  }
  return outer;
}
static inline void sl_leave_thread(sl_vm *vm, lua_State *outer) {
  vm->running = outer;
  if (vm->stopping) sl_set_stop_hook(outer);
}

#endif
