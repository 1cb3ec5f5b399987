/* What protected operations are made of: shared by the files that run them. */
#ifndef CLUA_PROTECT_H
#define CLUA_PROTECT_H

#include "clua.h"

/* vm->failure anew, with nothing known but the status. [-0, +0, -] */
void sl_clear_failure(sl_vm *vm, int status);
/* Notes the stack of `from`. [-0, +0, m] */
void sl_record_traceback(lua_State *L, sl_vm *vm, lua_State *from, int level);
/* Notes the error value on top of L. [-1, +0, m] */
void sl_record_value(lua_State *L, sl_vm *vm);

/* A body's `send`: send(action, payload?). Upvalue: the body's serial. */
int sl_send_action(lua_State *L);

/* Pushes the values of a tape. [-0, +count, e] */
void sl_push_all(lua_State *L, const sl_value *tape, int count);
/* The values first + 1 … top of L onto vm->tape; how many there are. [-0, +0, e] */
int sl_append_results(lua_State *L, int first, bool as_values);

#endif
