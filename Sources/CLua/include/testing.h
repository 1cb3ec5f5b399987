/* What tests of scripts need beside the sandbox. */
#ifndef CLUA_TESTING_H
#define CLUA_TESTING_H

#include "tapes.h"

typedef struct sl_vm sl_vm;

/* Adds the function `protect` to the referenced table, whose field `format` is a host function. */
int sl_add_protect(sl_vm *vm, int reference);
/* Stores in `*stock` a reference (+1) to the stock function that a referenced sandbox function replaces. */
int sl_replaced(sl_vm *vm, int reference, int *stock);
/* Gives the VM stock globals instead of the sandbox: `io`, `os`, `debug`, `package` and the others. It cannot be undone, and
 * must be called before any script runs. Adds to the referenced table `globals`, which is the stock `_G`, and functions of
 * the time. [-0, +0, -] */
int sl_open_plain(sl_vm *vm, int natives);

/* How often each line of a script has run. */
typedef struct sl_lines {
  char *script; /* the chunk name as given to `sl_load`, without `@` */
  uint32_t *counts; /* by line; [0] is unused */
  size_t count;
  struct sl_lines *next;
} sl_lines;

/* What a test framework wants to know. The files of testing/ and sandbox/text.c change it. All of it is empty in a VM that runs no
 * tests. */
typedef struct sl_testing {
  bool counts_lines;
  bool collects_output;        /* `print` writes to `output`; otherwise to standard error */
  /* After an out-of-memory error and a collection, most of the memory limit is in use: use another VM. */
  bool is_spent;
  int failure_mark;            /* registry reference: the metatable of the values that `native.failure` makes */
  sl_lines *lines;             /* how often each line of each script has run; the script used last is the first */
  sl_text output;
} sl_testing;

/* Starts collecting what `print` writes, in vm->testing.output; and ends that. The text stays until `sl_clear_output`.
 * [-0, +0, -] */
static inline void sl_begin_output(sl_testing *testing) {
  testing->output.count = 0;
  testing->collects_output = true;
}
static inline void sl_end_output(sl_testing *testing) { testing->collects_output = false; }
static inline void sl_clear_output(sl_testing *testing) { testing->output.count = 0; }

/* Starts counting how often lines of scripts run, in vm->testing.lines. Call it before any coroutine exists.
 * [-0, +0, -] */
void sl_begin_lines(sl_vm *vm);
/* Sets all counts to 0. [-0, +0, -] */
void sl_clear_lines(sl_vm *vm);

#endif
