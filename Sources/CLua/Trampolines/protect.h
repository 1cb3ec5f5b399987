/* What protected operations are made of: shared by the files that run them. */
#ifndef CLUA_PROTECT_H
#define CLUA_PROTECT_H

#include "clua.h"

/* vm->failure anew, with nothing known but the status. [-0, +0, -] */
void sl_clear_failure(sl_vm *vm, int status);
/* Notes the stack of `from`. [-0, +0, m] */
void sl_record_traceback(lua_State *L, sl_vm *vm, lua_State *from, int level);
/* The same as Lua's traceback, without memory of Lua's: for when there is none. [-0, +0, -] */
void sl_trace(lua_State *from, sl_text *text);
/* Ends a stop for want of memory, without more time: what was wanted was only for a message. [-0, +0, -] */
void sl_forget_lack(lua_State *L);
/* Pushes the text of an error value that has `__tostring`, and says so. That is called protected: where it fails, the text says what it
 * raised, and scripts may be stopping. [-0, +(0|1), m] */
bool sl_push_error_text(lua_State *L, int index);
/* Frees what a failure holds. [-0, +0, -] */
void sl_free_failure(sl_failure *failure);
/* Notes the error value on top of L. [-1, +0, m] */
void sl_record_value(lua_State *L, sl_vm *vm);

/* Compiles as luaL_loadbufferx; the function or the message is on top of the stack. [-0, +1, v] */
int sl_compile(lua_State *L, const char *source, size_t length, const char *name, const char *mode);

/* A body's `send`: send(action, payload?). Upvalue: the body's serial. */
int sl_send_action(lua_State *L);

/* Pushes the values of a tape. [-0, +count, e] */
void sl_push_all(lua_State *L, const sl_value *tape, int count);
/* The values first + 1 … top of L onto vm->tape; how many there are. [-0, +0, e] */
int sl_append_results(lua_State *L, int first, bool as_values);

#endif
