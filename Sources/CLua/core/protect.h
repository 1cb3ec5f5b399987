/* Protected calls, and what is recorded when one fails: failure.c. */
#ifndef CLUA_PROTECT_H
#define CLUA_PROTECT_H

#include "clua.h"

/* Calls `body` protected on L, with `data` as a light userdata argument, inside a turn. A failure is in vm->failure.
 * [-0, +0, -] */
int sl_protect(sl_vm *vm, lua_State *L, lua_CFunction body, void *data);
/* The same for a `body` that pushes a value: stores a reference to the value (+1) in `*reference`, or LUA_NOREF after a
 * failure. [-0, +0, -] */
int sl_make_reference(sl_vm *vm, lua_CFunction body, void *data, int *reference);

/* Resets a failure to `status`, without further information; and changes only the status of vm->failure. [-0, +0, -] */
void sl_clear_failure(sl_failure *failure, int status);
void sl_set_failure_status(sl_vm *vm, int status);
/* Copy all that was recorded about another failure; and only where it was raised. [-0, +0, -] */
void sl_copy_failure(sl_failure *failure, const sl_failure *other);
void sl_copy_failure_location(sl_failure *failure, const sl_failure *other);
/* Sets the script, the line and the traceback of vm->failure. [-0, +0, -] */
void sl_set_failure_script(sl_vm *vm, const char *script, size_t length, int line);
void sl_set_failure_traceback(sl_vm *vm, const char *text, size_t length);
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
/* Pushes `script:line: ` of the innermost script function; an empty string if there is none. [-0, +1, m] */
void sl_where(lua_State *L);

#endif
