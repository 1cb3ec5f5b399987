/* What other folders use of core/: protected calls, boxes, references, errors of Swift, names of metamethods, compiling. Call
 * the functions from boxes.c on only inside a protected call. */
#ifndef CLUA_CORE_INTERNAL_H
#define CLUA_CORE_INTERNAL_H

#include "clua.h"

/* ---- Protected calls, and what is recorded when one fails: failure.c --------------------------------------------- */

/* Calls `body` protected on L, with `data` as a light userdata argument, inside a turn. A failure is in vm->failure.
 * [-0, +0, -] */
int sl_protect(sl_vm *vm, lua_State *L, lua_CFunction body, void *data);
/* The same for a `body` that pushes a value: stores a reference to the value (+1) in `*reference`, or LUA_NOREF after a
 * failure. [-0, +0, -] */
int sl_make_reference(sl_vm *vm, lua_CFunction body, void *data, int *reference);

/* Resets a failure to one of which nothing is known. [-0, +0, -] */
void sl_clear_failure(sl_failure *failure);
/* Copy all that was recorded about another failure; and only where it was raised. [-0, +0, -] */
void sl_copy_failure(sl_failure *failure, const sl_failure *other);
void sl_copy_failure_location(sl_failure *failure, const sl_failure *other);
/* Sets the script, the line and the traceback of vm->failure to the values on top of L. [-3, +0, -] */
void sl_take_failure_location(lua_State *L, sl_vm *vm);
/* Records the traceback of `from` in vm->failure. [-0, +0, m] */
void sl_record_traceback(lua_State *L, sl_vm *vm, lua_State *from, int level);
/* Records the error value on top of L in vm->failure. [-1, +0, m] */
void sl_record_value(lua_State *L, sl_vm *vm);
/* Frees the texts of a failure. [-0, +0, -] */
void sl_free_failure(sl_failure *failure);

/* Writes the same text as luaL_traceback without allocating in Lua, for when there is no memory. [-0, +0, -] */
void sl_trace(lua_State *from, sl_text *text);
/* Whether the error value has `__tostring`; if so, pushes its text. `__tostring` runs in a protected call. If it fails,
 * the text says what it raised, and a stop may have begun. [-0, +(0|1), m] */
bool sl_push_error_text(lua_State *L, int index);
/* The number of functions on a stack: the lowest level that does not exist. O(levels × log levels). [-0, +0, -] */
int sl_count_levels(lua_State *L);
/* A walk over the functions on a stack, from a level outwards. In a deep recursion it leaves out those in the middle: reaching a
 * level costs its number, so that a visit of all would cost the square of the depth. */
typedef struct sl_levels {
  int next;
  int skip; /* the level at which the walk goes on near the outermost ones; 0 after that */
} sl_levels;
sl_levels sl_levels_from(int level); /* [-0, +0, -] */
/* Fills `frame` for the next function. Returns false if there is none. [-0, +0, -] */
bool sl_next_level(lua_State *from, sl_levels *levels, lua_Debug *frame);
/* The chunk name of the innermost script function on the stack of `from`, from `level` on, and its frame (source and line
 * filled in); null if there is none. C functions are skipped, and chunks of the prelude and the host, whose names begin
 * with `=`. [-0, +0, -] */
const char *sl_find_script(lua_State *from, int level, lua_Debug *frame);
/* Puts `script:line: ` of the innermost script function, if there is one, in front of the text on top of the stack. [-1, +1, m] */
void sl_add_position(lua_State *L);

/* ---- Boxes and the other userdata of ours: boxes.c --------------------------------------------------------------- */

/* Gives the metatable on top of the stack the name that messages use (null: none), and hides it from scripts. [-0, +0, m] */
void sl_lock_metatable(lua_State *L, const char *name);
void sl_open_boxes(lua_State *L); /* the metatables of boxes and of marked tables [-0, +0, m] */
/* The Swift object in the box at `index`, borrowed (+0), and its kind; null for anything else. [-0, +0, -] */
void *sl_to_box(lua_State *L, int index, int *kind);
void sl_push_box(lua_State *L, void *object, int kind); /* retains `object` [-0, +1, m] */
void **sl_push_empty_box(lua_State *L, int kind);       /* the caller stores an owned (+1) object in it [-0, +1, m] */
/* The same with a referenced metatable, which `sl_push_box_metatable` has made. [-0, +1, m] */
void sl_push_box_of(lua_State *L, void *object, int metatable);
/* Pushes a new metatable for boxes that messages call `name`. Returns its address. [-0, +1, m] */
const void *sl_push_box_metatable(lua_State *L, const char *name);
/* The sl_run at `index`; null for anything else, and for one that has a box. [-0, +0, -] */
sl_run *sl_to_run(lua_State *L, int index);
int sl_native_array(lua_State *L); /* scripted.array, scripted.object: mark a plain table [-1, +1, e] */
int sl_native_object(lua_State *L);

/* ---- Objects with methods and fields: objects.c ------------------------------------------------------------------ */

/* The kind of box that the userdata at `index` is, if it is an object of a class; -1 for anything else. [-0, +0, -] */
int sl_class_kind(lua_State *L, int index);
/* Pushes the box of an object, whose class has the referenced metatable. Retains the object if Lua does not hold it yet.
 * [-0, +1, m] */
void sl_push_object(lua_State *L, void *object, int metatable);

/* ---- Errors of hooks and of Swift: boxes.c ----------------------------------------------------------------------- */

/* Raises the message that the last hook stored. [-0, +0, e] */
int sl_raise(lua_State *L);
/* Whether the string that is about to be raised stands for a Swift error. If so, forgets the string of the previous Swift
 * error. [-0, +0, -] */
bool sl_begin_throw(lua_State *L);
/* Raises the value on top of the stack. With `throws`, records it as the string of the last Swift error. [-1, +0, v] */
int sl_throw(lua_State *L, bool throws);
/* Whether the value on top of the stack is the string of the last Swift error. [-0, +0, -] */
bool sl_is_thrown(lua_State *L);
/* Whether the value at `index` is a function of the host. [-0, +0, -] */
bool sl_is_host_function(lua_State *L, int index);

/* ---- Names of metamethods: interned_names.c ---------------------------------------------------------------------- */

/* Finds the strings `__mode` and `__call` in Lua's memory. [-0, +0, m] */
void sl_open_names(lua_State *L);
/* Makes it impossible for scripts to have weak tables. [-0, +0, -] */
void sl_hide_mode(sl_vm *vm);
/* Pushes an empty table with weak keys. [-0, +1, m] */
void sl_push_weak_keys(lua_State *L);
/* Pushes an empty table with weak values. [-0, +1, m] */
void sl_push_weak_values(lua_State *L);
int sl_native_weak_keys(lua_State *L); /* weakKeys() [-0, +1, m] */
/* Hide the string `__call` from Lua, and restore it. It is hidden while scripts are stopped because of time or an
 * interruption: Lua follows `__call` from value to value without running an instruction. `sl_hide_call_name` may be called in
 * a signal handler. */
static inline void sl_hide_call_name(sl_vm *vm) {
  const sl_internals *internals = &vm->internals;
  if (internals->call_name != NULL) *(volatile uintptr_t *)internals->call_name = internals->no_string;
}
static inline void sl_restore_call_name(sl_vm *vm) {
  const sl_internals *internals = &vm->internals;
  if (internals->call_name != NULL) *(volatile uintptr_t *)internals->call_name = internals->call_string;
}

/* ---- The first blocks of Lua's memory, for the allocator --------------------------------------------------------- */

/* The first block is the global_State, the second one the stack of the main Lua thread. */
static inline void sl_record_block(sl_internals *internals, void *block, size_t size) {
  if (internals->state == NULL) {
    internals->state = block;
    internals->state_size = size;
  } else if (internals->first_stack == NULL) {
    internals->first_stack = block;
  }
}

/* ---- Calls and compiling: calls.c, compile.c, upvalue_hashes.c --------------------------------------------------- */

/* A lua_Writer that appends to an sl_text. */
int sl_append_bytes(lua_State *L, const void *bytes, size_t length, void *text);
/* Pushes the first `count` values of a tape. [-0, +count, e] */
void sl_push_all(lua_State *L, const sl_value *tape, int count);
/* Writes the values from `first` to the top of L onto vm->tapes.to_swift. [-0, +0, e] */
void sl_append_results(lua_State *L, int first, bool as_values);
/* Compiles like luaL_loadbufferx. Pushes the function or the message. [-0, +1, v] */
int sl_compile(lua_State *L, const char *source, size_t length, const char *name, const char *mode);
/* The `load` of a module. Upvalue 2: the module's environment. */
int sl_load_text(lua_State *L);
int sl_native_keep_descriptions(lua_State *L); /* keepDescriptions(table) [-1, +0, m] */

#endif
