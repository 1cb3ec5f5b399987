/* A VM: its Lua state, and what C and Swift record about it. */
#ifndef CLUA_VM_H
#define CLUA_VM_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "coroutines.h"
#include "drafts.h"
#include "hooks.h"
#include "memory.h"
#include "script_limits.h"
#include "stops.h"
#include "tapes.h"
#include "testing.h"
#include "values.h"
#include "watchdog.h"

/* The metatables by which C recognises what Swift adds to Lua. core/boxes.c sets them when the VM is made; nothing
 * changes them later. An identity is the address of a metatable; the registry keeps the metatable alive. */
typedef struct sl_metatables {
  const void *run_identity, *box_identities[SL_BOX_KINDS];
  bool has_classes;            /* whether there are classes of the host (core/objects.c) */
  /* Registry references. */
  int run;                     /* the metatable of an sl_run */
  int boxes[SL_BOX_KINDS];
  int marks[SL_EMPTY_KINDS];   /* marks a plain table with the kind it has while it is empty; none for SL_EMPTY_TABLE */
} sl_metatables;

/* What C has found in Lua's own memory, where the layout differs between builds of Lua. The allocator records the first
 * blocks; core/vm.c and core/interned_names.c find the rest when the VM is made.
 *
 * Invariant: `call_name` and `call_string` do not change while scripts run, so that a signal handler may hide `__call`
 * (`sl_hide_call_name`). */
typedef struct sl_internals {
  void *state;                 /* Lua's global_State and its size in bytes */
  size_t state_size;
  void *first_stack;           /* the first stack of the main Lua thread */
  size_t stack_at;             /* the offset of the pointer `stack` in a lua_State; 0: not found */
  uintptr_t *call_name;        /* the word in the global_State that points to the string `__call`; null: not found */
  uintptr_t call_string, no_string;
  /* The bytes of the string `__mode` that Lua compares keys with; null after `sl_hide_mode`, when no script can use it. */
  char *mode_name;
} sl_internals;

/* The effects that `send` has made for paths without a payload. effects/effects.c changes it. */
typedef struct sl_sent {
  int table;                   /* registry reference: from action path to effect */
  int count;                   /* the number of entries */
} sl_sent;

/* What the library functions of the sandbox remember. The files of sandbox/ change it. */
typedef struct sl_sandbox {
  uint64_t next_identity;      /* the last number that `tostring` gave to a table or function */
  bool runs_features;          /* whether messages speak of features: their dependencies, effects and handlers */
} sl_sandbox;

/* A VM as C and Swift know it: one small record for each concern. The comment of each record names the folder whose files
 * change its fields. Files of other folders, and Swift, read the fields and call functions to change them. The records
 * that each call, each allocation or the signal handler reads come first.
 *
 * One thread at a time uses a VM. The watchdog's signal handler runs on that thread; it reads `running`, and touches
 * only those fields of `turn`, `stop`, `memory`, `body` and `internals` that their comments name. */
typedef struct sl_vm {
  lua_State *L;                /* the Lua thread on which calls from Swift run: the main one, or that of the running body */
  lua_State *volatile running; /* the Lua thread whose code runs (`sl_enter_thread`) */
  const sl_hooks *hooks;
  void *context;
  sl_turn turn;
  sl_stop_state stop;
  sl_drafts drafts;
  sl_tapes tapes;
  sl_memory memory;
  sl_limits limits;            /* `sl_set_limits` sets them; a watch replaces the time, `sl_raise_memory_limit` the memory */
  sl_running_body body;
  sl_watch_state watchdog;
  sl_metatables metatables;
  sl_sent sent;
  sl_error error;              /* of the last hook that returned SL_RAISE */
  sl_failure failure;          /* of the last protected call that failed (core/failure.c) */
  sl_sandbox sandbox;
  sl_internals internals;
  sl_testing testing;
  int descriptions;            /* registry reference: from reducer to its description; 0 before it exists */
} sl_vm;

/* A VM with the metatables of drafts and the stock libraries that the sandbox copies from; null if there is no memory.
 * `limit` is in bytes of Lua's memory, 0 for none, until `sl_set_limits` sets another. */
sl_vm *sl_vm_new(const sl_hooks *hooks, void *context, size_t limit);
void sl_vm_free(sl_vm *vm);
/* Closes the Lua state. After it only `sl_vm_free` may be called. */
void sl_vm_close(sl_vm *vm);
static inline sl_vm *sl_vm_of(lua_State *L) { return *(sl_vm **)lua_getextraspace(L); }

static inline void sl_begin_turn(sl_vm *vm) {
  if (vm->turn.depth++ == 0) sl_start_turn(vm);
}
static inline void sl_end_turn(sl_vm *vm) {
  if (--vm->turn.depth == 0) sl_finish_turn(vm);
}

/* Sets how many bytes a source text may have; 0: any number. */
static inline void sl_set_source_limit(sl_limits *limits, size_t bytes) { limits->source = bytes; }
static inline void sl_set_runs_features(sl_sandbox *sandbox, bool runs_features) { sandbox->runs_features = runs_features; }

/* Makes `text` the message of a hook that is about to return SL_RAISE. [-0, +0, -] */
void sl_set_error(sl_vm *vm, const char *bytes, size_t length);

#endif
