/* What other folders use of values/: tapes, pushing, and the constants. */
#ifndef CLUA_VALUES_INTERNAL_H
#define CLUA_VALUES_INTERNAL_H

#include "clua.h"

/* ---- From Lua to Swift: append.c --------------------------------------------------------------------------------- */

/* Begins a tape that may contain references. It first releases the references of a tape that was never finished, because
 * a value was rejected. `sl_end_tape` makes the receiver own the references. [-0, +0, -] */
void sl_begin_tape(lua_State *L);
static inline void sl_end_tape(sl_vm *vm) { vm->tapes.unclaimed.count = 0; }

/* Appends a value with this tag, and returns it for the caller to fill in. [-0, +0, e] */
sl_value *sl_append_tag(lua_State *L, sl_vm *vm, int tag);
/* Appends the value at `index` to vm->tapes.to_swift. A rejection names the path of `ref` and `key`, or `root` if `ref`
 * is null. With `as_values`, plain tables are read into the tape, otherwise referenced. [-0, +0, e] */
void sl_append(lua_State *L, int index, bool as_values, const sl_ref *ref, const sl_key *key, const char *root);
/* Raises the error about the value at `index`, whose type cannot be stored in state. It names the path as `sl_append`. */
_Noreturn void sl_reject_type(lua_State *L, int index, const sl_ref *ref, const sl_key *key, const char *root);
/* Appends that sl_run to vm->tapes.to_swift as SL_TAG_RUN. [-0, +0, e] */
void sl_append_run(lua_State *L, int index, const sl_run *run);

/* ---- The error for a value that cannot be stored in state: rejection.c -------------------------------------------- */

/* The path from the value that `sl_append` was called with to the current table. */
typedef struct sl_path_step {
  const struct sl_path_step *up;
  const void *table;
  sl_key key; /* of the entry of this table that is being read */
  int depth;
} sl_path_step;

typedef struct sl_reading {
  lua_State *L;
  sl_vm *vm;
  const sl_ref *ref; /* the destination of the value, for messages; null if there is none */
  const sl_key *key;
  const char *root;
} sl_reading;

/* Pushes the reason why the value at `index` cannot be a key in state. [-0, +2, m] */
const char *sl_push_key_reason(lua_State *L, int index);
/* Raises `<path>: <reason>`. */
_Noreturn void sl_reject(const sl_reading *in, const sl_path_step *at, const char *reason);

/* ---- From Swift to Lua: push.c ----------------------------------------------------------------------------------- */

/* Pushes the value at `*at` of a tape and moves `*at` past it. [-0, +1, m] */
void sl_push(lua_State *L, const sl_value *tape, size_t *at);
/* Pushes a scalar, string, draft, view or box. [-0, +1, m] */
void sl_push_value(lua_State *L, const sl_value *value);

/* ---- Constants: constants.c -------------------------------------------------------------------------------------- */

void sl_open_null(lua_State *L);    /* the metatable of scripted.null and all light userdata [-0, +0, m] */
void sl_push_null(lua_State *L);    /* [-0, +1, -] */
bool sl_is_null(lua_State *L, int index);
/* Pushes the value that ends a function or reducer with `effect.cancelled`. [-0, +1, -] */
void sl_push_cancelled(lua_State *L);
bool sl_is_cancelled(lua_State *L, int index);

/* ---- UTF-8: utf8.c ----------------------------------------------------------------------------------------------- */

/* Decodes the character at `at`, which is before `end`. Returns its number of bytes; 0 if it is not strict UTF-8. */
size_t sl_decode_utf8(const char *at, const char *end, uint32_t *scalar);

/* ---- The tapes of a VM: tapes.c ---------------------------------------------------------------------------------- */

void sl_free_tapes(sl_tapes *tapes);

#endif
