/* What tests of scripts need beside the sandbox. */
#ifndef CLUA_TESTING_H
#define CLUA_TESTING_H

#include "vm.h"

/* Adds the function `protect` to the referenced table, whose field `format` is a host function. */
int sl_add_protect(sl_vm *vm, int reference);
/* Environments made from now on also have the fields of the referenced table. */
int sl_share_globals(sl_vm *vm, int reference);
/* Lets scripts of the referenced environment declare globals, and gives it the field `_G`. */
int sl_allow_globals(sl_vm *vm, int reference);
/* Stores in `*stock` a reference (+1) to the stock function that a referenced sandbox function replaces. */
int sl_replaced(sl_vm *vm, int reference, int *stock);
/* Stops what runs: the next instruction raises `message`, and so does each one after it, until `protect` has caught the
 * error. [-0, +0, -] */
void sl_stop(sl_vm *vm, int reason, const char *message, size_t length);

/* For each upvalue of the functions of `script` that can be reached from the referenced value: its name and a hash of its
 * value on vm->tape, if that is a scalar or a table. The hash of a table covers the scalars in it. [-0, +0, -] */
int sl_upvalue_hashes(sl_vm *vm, int reference, const char *script);

/* How often each line of a script has run. */
typedef struct sl_lines {
  char *script; /* the chunk name as given to `sl_load`, without `@` */
  uint32_t *counts; /* by line; [0] is unused */
  size_t count;
  struct sl_lines *next;
} sl_lines;

/* Starts counting how often lines of scripts run, in vm->lines. Call it before any coroutine exists. [-0, +0, -] */
void sl_begin_lines(sl_vm *vm);
/* Sets all counts to 0. [-0, +0, -] */
void sl_clear_lines(sl_vm *vm);
void sl_free_lines(sl_vm *vm);

#endif
