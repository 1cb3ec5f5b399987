/* The parts of protected operations, shared by the C files that run them. */
#ifndef CLUA_PROTECT_H
#define CLUA_PROTECT_H

#include "core/internal.h"

/* Resets vm->failure to `status`, without further information. [-0, +0, -] */
void sl_clear_failure(sl_vm *vm, int status);
/* Records the traceback of `from` in vm->failure. [-0, +0, m] */
void sl_record_traceback(lua_State *L, sl_vm *vm, lua_State *from, int level);
/* Writes the same text as luaL_traceback without allocating in Lua, for when there is no memory. [-0, +0, -] */
void sl_trace(lua_State *from, sl_text *text);
/* Ends an out-of-memory stop without restarting the time of the turn. For code that needed the memory only for a message.
 * [-0, +0, -] */
void sl_end_memory_stop(lua_State *L);
/* Whether the error value has `__tostring`; if so, pushes its text. `__tostring` runs in a protected call. If it fails,
 * the text says what it raised, and a stop may have begun. [-0, +(0|1), m] */
bool sl_push_error_text(lua_State *L, int index);
/* Frees the texts of a failure. [-0, +0, -] */
void sl_free_failure(sl_failure *failure);
/* Records the error value on top of L in vm->failure. [-1, +0, m] */
void sl_record_value(lua_State *L, sl_vm *vm);

/* Compiles like luaL_loadbufferx. Pushes the function or the message. [-0, +1, v] */
int sl_compile(lua_State *L, const char *source, size_t length, const char *name, const char *mode);

/* A body's send(action, payload?). Upvalue: the serial number of the body. */
int sl_send_action(lua_State *L);

/* Pushes the first `count` values of a tape. [-0, +count, e] */
void sl_push_all(lua_State *L, const sl_value *tape, int count);
/* Writes the values first + 1 … top of L onto vm->tape and returns their number. [-0, +0, e] */
int sl_append_results(lua_State *L, int first, bool as_values);

#endif
