/* The error for a value that cannot be stored in state. It names the value by its path. */
#ifndef CLUA_REJECTION_H
#define CLUA_REJECTION_H

#include "clua.h"

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

/* Raises `<path>: <reason>`. */
_Noreturn void sl_reject(const sl_reading *in, const sl_path_step *at, const char *reason);

#endif
