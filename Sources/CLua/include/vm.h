/* A VM: its Lua state, and what C and Swift record about it. */
#ifndef CLUA_VM_H
#define CLUA_VM_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "blocks.h"
#include "hooks.h"
#include "turns.h"
#include "values.h"
#include "watchdog.h"

/* A growable array of values, allocated outside Lua. */
typedef struct sl_tape {
  sl_value *items;
  size_t count, capacity;
} sl_tape;

/* Growable bytes with a zero byte at the end, allocated outside Lua. */
typedef struct sl_text {
  char *bytes;
  size_t count, capacity;
} sl_text;

/* What is recorded about a protected call that failed. */
typedef struct sl_failure {
  int status;           /* LUA_ERRRUN, LUA_ERRMEM, LUA_ERRERR, LUA_ERRSYNTAX */
  int reason;           /* SL_STOP_…: the limit that was exceeded */
  double allowed, reached; /* that limit and the value reached, in the limit's unit: seconds, bytes, a count */
  int line;             /* of the innermost script function; -1 if there is none */
  sl_text script;       /* the chunk name of that function as given to `sl_load`, without `@` */
  sl_text message;      /* empty if the error value is not a string and has no `__tostring` */
  sl_text traceback;
  bool has_value;       /* the error value is not a string: it is on `sl_vm.tape` */
  bool is_thrown;       /* the error value is the string that stands for the Swift error thrown last */
} sl_failure;

typedef struct sl_vm {
  lua_State *L;
  const sl_hooks *hooks;
  void *context;

  /* The generation of the running handler call; 0 outside of one. Drafts of another generation are dead. */
  uint64_t generation;
  /* The same for views. The functions of an effect that a handler returned may still read the views of that handler call. */
  uint64_t view_generation;
  uint64_t last_generation;    /* the highest generation so far */
  uint16_t owner;              /* the number of the feature that gets the next drafts, for messages */
  const void *ref_metatable;   /* the address of the metatable of drafts and views, to recognise them */
  /* Registry references: that metatable; the cache from arena index to userdata; the table of anchored keys. */
  int refs_metatable, refs_cache, anchors;
  int anchored;                /* the number of keys in the table of anchored keys */
  int box_metatables[SL_BOX_KINDS];
  const void *box_identities[SL_BOX_KINDS]; /* the addresses of those metatables; the registry keeps them alive */
  int run_metatable;           /* registry reference: the metatable of an sl_run */
  const void *run_identity;
  /* Registry references: the metatable that marks a plain table with the kind it has while it is empty. None for
   * SL_EMPTY_TABLE. */
  int marks[SL_EMPTY_KINDS];

  sl_blocks blocks;            /* the small blocks of Lua's memory */
  void *state;                 /* Lua's global_State and its size in bytes; `call_name` and `stack_at` were found in it */
  size_t state_size;
  void *first_stack;           /* the first stack of the main Lua thread */
  size_t stack_at;             /* the offset of the pointer `stack` in a lua_State; 0: not found */
  uintptr_t *call_name;        /* the word in the global_State that points to the string `__call`; null: not found */
  uintptr_t call_string, no_string;
  /* The bytes of the string `__mode` that Lua compares keys with; null after `sl_hide_mode`, when no script can use it. */
  char *mode_name;
  size_t used, peak;           /* bytes of Lua's memory and of what Swift stores for scripts */
  size_t temporary;                 /* the part of `used` that Swift needs only until the action or turn ends */
  /* For tests: after `fail_at` more allocations that grow, the next `fail_count` of them fail. -1: none fails. */
  long fail_at, fail_count;

  sl_tape tape;                /* Lua to Swift */
  sl_tape unclaimed;           /* references on a tape that is not finished yet; released if it never is */
  sl_tape results;             /* Swift to Lua */
  sl_text text;                /* the bytes of strings on `results` with the flag SL_FLAG_IN_TEXT */
  int yielded;                 /* the number of values on `results` when the hook `call` returned SL_YIELD */
  int resumption;              /* SL_RESUME_…: how the wait that is being resumed ends */
  lua_State *body;             /* the Lua thread of the body that is running; null outside of a body */
  bool times_slices;           /* a body is suspended at the end of its time slice */
  uint64_t slice;              /* the instructions that are left of the body's slice; 0: not counted */
  volatile bool is_over;       /* the slice has ended: the body is suspended as soon as possible */
  bool is_suspended;           /* the body was suspended at the end of its slice, in the middle of a script */
  /* The body was suspended in the middle of a script and then cancelled: its next instruction raises effect.cancelled. */
  bool is_cancelled;
  bool raises_in_hook;         /* that error was raised, from the count hook */
  int64_t slice_began;         /* `sl_now()` when the slice began; 0 if the watchdog measures it */
  sl_use use;                  /* what the running body used in its earlier slices */
  int outcome;                 /* SL_BODY_…: how the body that ended last has ended */
  lua_State *held;             /* its stack holds the functions of runs that start soon (held.c) */
  unsigned held_slots;        /* a bit for each used slot of that stack */
  int descriptions;            /* registry reference: from reducer to its description; 0 before it exists */
  /* Registry reference of the table from action path to the effect that sends it, and the number of its entries. */
  int sent, sent_count;
  sl_text error;               /* the message of the last hook that returned SL_RAISE */
  bool throws;                 /* the next string that C raises stands for a Swift error */
  sl_failure failure;

  lua_State *volatile running; /* the Lua thread whose code runs */
  sl_limits limits;
  volatile int turns;          /* the nesting depth of turns */
  bool is_guarded;             /* in a turn of a test: only what `protect` calls is stopped */
  volatile int protections;    /* the nesting depth of calls of `protect` */
  bool is_watched;             /* the watchdog's signal handler is installed for this VM */
  struct sl_thread_record *runner;    /* the watchdog's record of the thread, during a turn that is watched */
  struct sl_vm *outer;         /* the VM whose turn encloses this one on the same thread */
  size_t before;               /* `used` when the turn began */
  /* Bounds on `used`: above `soft`, scripts are stopped; above `ceiling`, nothing is granted. */
  size_t soft, ceiling;
  size_t longest;              /* the largest block that a string may have, in bytes */
  size_t node;                 /* bytes of one key in the hash part of a table, which has 2^n of them */
  size_t widest;               /* bytes of the smallest hash part that is refused */
  size_t watched;              /* bytes from which on hash parts are recorded in `hash_parts` (hash_parts.c) */
  struct sl_hash_part *hash_parts;
  size_t hash_part_count, hash_part_capacity;
  bool makes_keys;             /* the next vector is a hash part: Swift is making a table */
  size_t refused;              /* the size of the block refused last, which Lua may request once more; 0: none */
  bool lacks;                  /* Lua has raised an out-of-memory error */
  uint64_t instructions;       /* the instructions that are left of the turn; 0: not counted */
  int losses;                  /* how often the count of instructions was lost; 2 are added each time */
  /* SL_STOP_…: why scripts are being stopped. Every instruction raises, until the turn ends or the innermost `protect`
   * has caught the error. */
  volatile int stopping;
  bool has_raised;             /* at least one instruction has raised since scripts are being stopped */
  double stop_figure;          /* the figure that exceeded the limit */
  volatile bool interrupted;   /* the interruption of the current watch has already stopped this VM */
  /* Where the VM was stopped first. A message of its own may be set before. */
  sl_failure stop;
  bool owes_collection;        /* a turn ended with an out-of-memory stop; call `sl_collect_owed` later */
  bool is_full;                /* after such a stop and a collection, more than 3/4 of the memory limit is in use */
  /* In a test, after an out-of-memory error and a collection, most of the memory limit is in use: use another VM. */
  bool is_spent;
  struct sl_patterns *patterns; /* the patterns that were used last */
  int patterns_reference;      /* registry reference: keeps `patterns` alive */
  bool counts_lines;
  struct sl_lines *lines;      /* how often each line of each script has run */
  bool collects_output;        /* `print` writes to `output`; otherwise to standard error */
  sl_text output;
  int failure_mark;            /* registry reference: the metatable of the values that `native.failure` makes */
  uint64_t next_identity;      /* the last number that `tostring` gave to a table or function */
} sl_vm;

/* A VM with the metatables of drafts and the stock libraries that the sandbox copies from; null if there is no memory.
 * `limit` is in bytes of Lua's memory, 0 for none, until `sl_set_limits` sets another. */
sl_vm *sl_vm_new(const sl_hooks *hooks, void *context, size_t limit);
void sl_vm_free(sl_vm *vm);
/* Closes the Lua state. After it only `sl_vm_free` may be called. */
void sl_vm_close(sl_vm *vm);
static inline sl_vm *sl_vm_of(lua_State *L) { return *(sl_vm **)lua_getextraspace(L); }

static inline void sl_begin_turn(sl_vm *vm) {
  if (vm->turns++ == 0) sl_start_turn(vm);
}
static inline void sl_end_turn(sl_vm *vm) {
  if (--vm->turns == 0) sl_finish_turn(vm);
}
/* Whether an error that stops scripts would be caught. */
static inline bool sl_can_stop(const sl_vm *vm) { return vm->turns > 0 && (!vm->is_guarded || vm->protections > 0); }

/* Makes `text` the message of a hook that is about to return SL_RAISE. [-0, +0, -] */
void sl_set_error(sl_vm *vm, const char *bytes, size_t length);
bool sl_text_append(sl_text *text, const char *bytes, size_t length);
void sl_text_set(sl_text *text, const char *bytes, size_t length);
void sl_text_free(sl_text *text);
bool sl_tape_reserve(sl_tape *tape, size_t more);
static inline sl_value *sl_tape_add(sl_tape *tape) {
  if (tape->count == tape->capacity && !sl_tape_reserve(tape, 1)) return NULL;
  return &tape->items[tape->count++];
}

#endif
