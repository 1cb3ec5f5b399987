/* CLua: Lua 5.4 and the C functions between it and Swift.
 *
 * Invariants:
 * 1. longjmp never crosses a Swift frame. Lua raises errors with longjmp, so everything that can raise runs in a C
 *    function under lua_pcall.
 * 2. C calls Swift only through the function pointers of `sl_hooks`. A hook never raises; it returns a status. C raises,
 *    yields or allocates in Lua only after the hook has returned.
 * 3. Structured values cross as a tape: an array of `sl_value` in prefix order.
 *
 * Stack effects are written as in the Lua manual: [-popped, +pushed, raises]. `raises` is `-` for never, `m` for only out
 * of memory, `e` for any error, and `v` for an error that is raised on purpose.
 *
 * "Lua thread" means a coroutine or the main thread of a VM (a lua_State). "Thread" alone means a thread of the operating
 * system. */
#ifndef CLUA_H
#define CLUA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "blocks.h"
#include "inside.h"
#include "start.h"
#include "turns.h"
#include "watch.h"

/* ---- Values that cross between Lua and Swift ------------------------------------------------------------------------- */

/* The first ten are the cases of Swift's `Tag`. The others exist only on tapes. (Macros, because Swift imports them as
 * Int32.) */
#define SL_TAG_ABSENT 0         /* nil */
#define SL_TAG_NULL 1
#define SL_TAG_BOOLEAN 2
#define SL_TAG_INTEGER 3
#define SL_TAG_FLOAT 4
#define SL_TAG_STRING 5         /* as.bytes, length */
#define SL_TAG_LIST 6           /* as.bits is a node of a state tree */
#define SL_TAG_OBJECT 7         /* as.bits is a node of a state tree */
#define SL_TAG_EMPTY 8          /* as.bits is the kind of empty table, SL_EMPTY_… */
#define SL_TAG_DICTIONARY 9     /* as.bits is a node of a state tree */

#define SL_TAG_DRAFT 16         /* slot = index in the draft arena, length = generation */
#define SL_TAG_VIEW 17          /* flag = the tag of the value, as.bits = its bits, length = generation */
#define SL_TAG_SEQUENCE 18      /* a plain table with the keys 1 … slot; its elements follow */
#define SL_TAG_RECORD 19        /* a plain table with `slot` string keys; key, value, key, value… follow */
/* A registry reference, in `slot`, as in SL_TAG_TABLE and SL_TAG_OTHER. To Swift: owned by Swift (+1). To Lua:
 * borrowed (+0). */
#define SL_TAG_FUNCTION 20
#define SL_TAG_TABLE 21
/* A Swift object: slot = SL_BOX_…, as.object is borrowed (+0) in both directions, and C retains what it stores. Only the
 * result of `sl_handle` is owned by Swift (+1). */
#define SL_TAG_BOX 22
#define SL_TAG_OTHER 23         /* a Lua thread, or a userdata that is not ours: slot = registry reference */
#define SL_TAG_CANCELLED 24     /* effect.cancelled; only from Swift to Lua */
/* An `sl_run` that a handler returned: flag = cancelInFlight. The function, the `catch` function or absent, and the id or
 * absent follow. */
#define SL_TAG_RUN 25

/* One entry of a tape. The bytes of a string are borrowed (+0): on a tape to Swift from Lua, whose table or stack keeps
 * the string alive; on a tape to Lua from the state tree or from `sl_vm.text`. */
typedef struct sl_value {
  uint8_t tag;
  uint8_t flag;
  uint16_t reserved;
  uint32_t slot;
  uint64_t length;
  union {
    int64_t integer;
    double number;
    const char *bytes;
    void *object;
    uint64_t bits;
  } as;
} sl_value;

/* Swift's `EmptyKind`: how an empty table is encoded, and whether its first write makes it an array or an object. */
#define SL_EMPTY_TABLE 0
#define SL_EMPTY_FORMER_OBJECT 1 /* `{}` in JSON, or an object whose keys were all removed; it accepts either kind of key */
#define SL_EMPTY_ARRAY 2         /* scripted.array */
#define SL_EMPTY_OBJECT 3        /* scripted.object */
#define SL_EMPTY_KINDS 4

/* The kind of object in a box. It determines the metatable of the box. */
#define SL_BOX_HOST 0
#define SL_BOX_EFFECT 1
#define SL_BOX_KINDS 2

/* A flag of a string on `sl_vm.results`: as.integer is an offset into `sl_vm.text`. */
#define SL_FLAG_IN_TEXT 1
/* A flag of a draft: no other path in this call leads to it, so it needs no entry in the cache of userdata. */
#define SL_FLAG_SOLE 2

/* The payload of the userdata of a draft or view. */
typedef struct sl_ref {
  uint64_t generation; /* of the handler call that made it; the reference is dead when that generation is no longer valid */
  uint64_t bits;       /* of a view: its node, or its kind of empty table */
  uint32_t slot;       /* of a draft: its index in the arena */
  uint8_t kind;        /* SL_TAG_DRAFT or SL_TAG_VIEW */
  uint8_t tag;         /* of a view: the tag of its value */
  uint16_t owner;      /* `sl_vm.owner` when it was made: the feature that the message about a dead reference names */
} sl_ref;

/* The payload of the userdata that `effect.run` makes, also after `:cancellable` with a scalar id. Its user values
 * (SL_RUN_…) hold everything that Swift needs, so it needs no Swift object and no finalizer. If it becomes part of
 * another effect, or leaves the scripts in another way, it gets a box, which it then stores. */
typedef struct sl_run {
  bool catches;
  bool has_id;
  bool replaces; /* the option `cancelInFlight` */
  bool is_boxed; /* user value SL_RUN_BOX holds the effect; the other user values are no longer read */
} sl_run;

/* The indices of the user values. A box replaces the function. A run without `catch` or id has fewer user values. */
#define SL_RUN_FUNCTION 1
#define SL_RUN_BOX 1
#define SL_RUN_ID 2
#define SL_RUN_CATCH 3

/* A key: a string, or an integer if `bytes` is null. Lua interns strings of at most 40 bytes, so an equal key has an
 * equal address within one VM. */
typedef struct sl_key {
  const char *bytes;
  size_t length;
  int64_t integer;
} sl_key;

/* ---- Hooks: what C calls in Swift ------------------------------------------------------------------------------------ */

#define SL_OK 0
#define SL_ANCHOR 1 /* success; and C must anchor the key, then call `remember` */
#define SL_RAISE (-1)
#define SL_YIELD (-2)

struct sl_vm;

/* What C calls in Swift. Each hook gets `sl_vm.context`, and none raises. A hook that returns a status may return
 * SL_RAISE after it has stored a message with `sl_set_error`. A tape needs no length, because each entry says how many
 * entries belong to it. */
typedef struct sl_hooks {
  /* Drafts and views. `get` always succeeds. `get` and `set` may return SL_ANCHOR: Swift wants to cache the position of
   * this key by the address of its bytes, so C anchors the key and then calls `remember`. `forget` empties that cache. */
  int (*get)(void *context, const sl_ref *ref, const sl_key *key, sl_value *out);
  int (*set)(void *context, const sl_ref *ref, const sl_key *key, const sl_value *tape);
  void (*remember)(void *context);
  void (*forget)(void *context);
  int64_t (*length)(void *context, const sl_ref *ref);
  /* The entry after `key` (null: the first entry) in the order of `cursor` (-1: the current order). `out_key` is absent
   * after the last one. */
  int (*next)(void *context, const sl_ref *ref, int64_t cursor, const sl_key *key, sl_value *out_key, sl_value *out);
  int64_t (*open_cursor)(void *context, const sl_ref *ref);
  /* table.insert, table.remove and a new order of a list. Positions start at 1. */
  int (*insert)(void *context, const sl_ref *ref, int64_t position, const sl_value *tape);
  int (*remove)(void *context, const sl_ref *ref, int64_t position, sl_value *out);
  int (*rearrange)(void *context, const sl_ref *ref, const sl_value *tape);
  /* The position of the element whose `id_key` equals the value on the tape; 0 if there is none. */
  int (*find)(void *context, const sl_ref *ref, const sl_key *id_key, const sl_value *tape, int64_t *out);
  int (*replace)(void *context, const sl_ref *ref, const sl_value *tape);
  /* Stores the path of `ref` (`state.todos[3]`) in `sl_vm.error`, with `.key` or `[key]` appended if `key` is not null. */
  void (*describe)(void *context, const sl_ref *ref, const sl_key *key);
  /* Stores the message about a dead `ref` in `sl_vm.error`. */
  void (*describe_dead)(void *context, const sl_ref *ref);

  /* Calls a host function: arguments on the tape, results in `sl_vm.results`. Returns the number of results, SL_RAISE or
   * SL_YIELD. After SL_RAISE, C raises the one value in `results`; if there is none, it raises the text of
   * `sl_set_error`. */
  int (*call)(void *context, void *function, const sl_value *tape, int arguments);
  void (*retain)(void *object);
  /* Transfers a reference to `object` (+1) to Swift. It is called during a garbage collection, perhaps while a tape is
   * being read, so Swift releases the object later. */
  void (*release)(void *context, void *object);

  /* Makes an effect by `operation` (SL_EFFECT_…) from the values on the tape. Swift owns the references on the tape.
   * `out` receives the effect, owned (+1). */
  int (*effect)(void *context, int operation, const sl_value *tape, int arguments, void **out);
  /* `send` of the body with the serial number `body`. `effect` (borrowed, +0) is an SL_EFFECT_SEND effect with the same
   * path, or null if the arguments are on the tape. */
  int (*send)(void *context, uint64_t body, void *effect, const sl_value *tape, int arguments);
  /* Starts a wait of the running body on the clock in the box `clock` (null: the store's clock), for `seconds`, or with
   * `until` to that time. SL_YIELD, or SL_RAISE if the body was cancelled. */
  int (*sleep)(void *context, void *clock, double seconds, bool until);
} sl_hooks;

/* The operations that make effects, and the values on the tape of each. */
#define SL_EFFECT_SEND 0        /* action, payload */
#define SL_EFFECT_RUN 1         /* SL_TAG_RUN and the values that follow it */
#define SL_EFFECT_CANCELLABLE 2 /* effect, id, cancelInFlight */
#define SL_EFFECT_CANCEL 3      /* id, path or absent */
#define SL_EFFECT_DEBOUNCE 4    /* effect, id, seconds */
#define SL_EFFECT_THROTTLE 5    /* effect, id, seconds, latest */
#define SL_EFFECT_MAP 6         /* effect, function */
#define SL_EFFECT_TRANSACTION 7 /* effect, value */
#define SL_EFFECT_ANIMATION 8   /* effect, value */
#define SL_EFFECT_DISMISS 9

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
  size_t lent;                 /* the part of `used` that Swift needs only until the action or turn ends */
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
  unsigned held_places;        /* a bit for each used slot of that stack */
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
  struct sl_runner *runner;    /* the watchdog's record of the thread, during a turn that is watched */
  struct sl_vm *outer;         /* the VM whose turn encloses this one on the same thread */
  size_t before;               /* `used` when the turn began */
  /* Bounds on `used`: above `soft`, scripts are stopped; above `ceiling`, nothing is granted. */
  size_t soft, ceiling;
  size_t longest;              /* the largest block that a string may have, in bytes */
  size_t node;                 /* bytes of one key in the hash part of a table, which has 2^n of them */
  size_t widest;               /* bytes of the smallest hash part that is refused */
  size_t watched;              /* bytes from which on hash parts are recorded in `key_blocks` (keys.c) */
  struct sl_key_block *key_blocks;
  size_t key_block_count, key_block_capacity;
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

/* ---- VM ------------------------------------------------------------------------------------------------------------ */

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

/* ---- Protected operations -------------------------------------------------------------------------------------------- */

/* All functions of this section return a Lua status, and fill vm->failure if it is not LUA_OK. [-0, +0, -]
 *
 * Compiles source text and stores a reference to the function (+1) in `*reference`. `environment` is the registry
 * reference of its _ENV, or LUA_NOREF for the globals. */
int sl_load(sl_vm *vm, const char *source, size_t length, const char *name, int environment, int *reference);
/* Stores the bytecode of a referenced function, with debug information, in `bytecode`, as `string.dump` makes it. */
int sl_dump(sl_vm *vm, int reference, sl_text *bytecode);
/* Loads bytecode that `sl_dump` made in this process. Other bytecode can break memory safety. */
int sl_undump(sl_vm *vm, const void *bytecode, size_t length, int environment, int *reference);
/* Calls a referenced function with `arguments` values of `tape` on the Lua thread `L`. Stores its results on vm->tape and
 * their number in `*results`. With `as_values`, plain tables among the results become sequences and records, otherwise
 * references. */
int sl_call(sl_vm *vm, lua_State *L, int reference, const sl_value *tape, int arguments, bool as_values, int *results);
/* The most frequent call: at least once per action. Calls a handler with `count` scalars, drafts and views. `*result` is
 * absent for nil; a box, owned (+1); SL_TAG_RUN, with the run on vm->tape; or SL_TAG_OTHER for anything else, with its
 * type name in as.bytes. */
int sl_handle(sl_vm *vm, lua_State *L, int reference, const sl_value *arguments, int count, sl_value *result);
/* A field of a referenced table: `sl_get_field` respects metamethods and stores the value on vm->tape; `sl_set_field` is
 * a raw assignment. */
int sl_get_field(sl_vm *vm, int reference, const sl_value *key, bool as_value);
int sl_set_field(sl_vm *vm, int reference, const sl_value *key, const sl_value *tape);
/* Stores all entries of a referenced table on vm->tape: key, value, key, value…, tables as references, in the order of
 * `next`. */
int sl_entries(sl_vm *vm, int reference, int *entries);
/* Stores the table on vm->tape as a value of state: sequences and records. Rejects what cannot be stored in state; `what`
 * names the table in that error. */
int sl_to_tape(sl_vm *vm, int reference, const char *what);
/* Makes a reference (+1) to the first value of a tape. */
int sl_new_reference(sl_vm *vm, const sl_value *tape, int *reference);
/* Make a new table or environment and store a reference to it (+1) in `*reference`. */
int sl_new_table(sl_vm *vm, int *reference);
int sl_new_environment(sl_vm *vm, int *reference);
/* Makes the table of C functions and constants that the prelude builds `scripted` on. */
int sl_new_natives(sl_vm *vm, int *reference);
/* Makes a record that scripts can only read. `name` names it in messages. `resolver` references a function of the table
 * of fields and a key; it is called for each field that is not in that table. `object` is a Swift object that the record
 * retains. */
int sl_new_sealed(sl_vm *vm, const char *name, int resolver, void *object, int *reference);
/* The object of a referenced sealed record, borrowed (+0); null for anything else. [-0, +0, -] */
void *sl_sealed_object(sl_vm *vm, int reference);
/* Whether a referenced table or userdata has `__call`. [-0, +0, -] */
bool sl_is_callable(sl_vm *vm, int reference);
/* Makes a function that calls the hook `call` with `object`, which the function retains. With `as_values`, plain tables
 * among its arguments become sequences and records. */
int sl_new_function(sl_vm *vm, void *object, const char *name, bool as_values, int *reference);
/* Records in vm->failure the script and line of the innermost script function on the stack of `from`, from `level` on;
 * line -1 if there is none. [-0, +0, -] */
void sl_locate(sl_vm *vm, lua_State *from, int level);
/* The number of parameters that a referenced script function declares; -1 for a variadic one, 255 for a C function.
 * `*script` is borrowed (+0) from the function. [-0, +0, -] */
int sl_parameters(sl_vm *vm, int reference, int *line, const char **script);
/* Makes another reference (+1) to the same value. */
int sl_copy_reference(sl_vm *vm, int reference, int *copy);
void sl_release(sl_vm *vm, int reference);
void sl_collect(sl_vm *vm, bool full);
/* If a turn ended with an out-of-memory stop, runs the garbage collection that it left. Call it when the strings on
 * vm->tape are no longer needed. [-0, +0, -] */
void sl_collect_owed(sl_vm *vm);
/* Sets vm->is_full. Call it after `sl_collect_owed`, when Swift has released the collected objects. [-0, +0, -] */
void sl_note_fullness(sl_vm *vm);
/* Empties the cache of draft userdata, which grows to the number of drafts of the largest action. */
void sl_forget_drafts(sl_vm *vm);

/* ---- Coroutines ---------------------------------------------------------------------------------------------------- */

/* Makes a Lua thread that will run the referenced function. `*reference` anchors it; `*thread` is the thread itself. */
int sl_thread_new(sl_vm *vm, int function, int *reference, lua_State **thread);
/* Starts or resumes it. LUA_OK: it has finished; LUA_YIELD: it waits; both with `*results` values on vm->tape. Otherwise
 * see vm->failure. */
int sl_resume(sl_vm *vm, lua_State *thread, const sl_value *tape, int arguments, int *results);
/* Ends a waiting Lua thread and closes its `<close>` variables. */
int sl_thread_close(sl_vm *vm, lua_State *thread);

/* ---- Bodies of effects --------------------------------------------------------------------------------------------- */

/* How a wait ends. */
#define SL_RESUME_VALUES 0
#define SL_RESUME_ERROR 1     /* raises the message of `sl_set_error`, preceded by the position in the script */
#define SL_RESUME_VALUE 2     /* raises the value that was passed */
#define SL_RESUME_CANCELLED 3

/* The outcome of a start or resumption of a body. */
#define SL_BODY_WAITING 0
#define SL_BODY_FINISHED 1
#define SL_BODY_CANCELLED 2 /* effect.cancelled was raised and nothing caught it */
#define SL_BODY_FAILED 3    /* see vm->failure; the error value also as a registry reference (+1) */
#define SL_BODY_SUSPENDED 4 /* its slice has ended; pass vm->use to `sl_charge_turn` when it is resumed */

/* The functions of a body, as references; LUA_NOREF where there is none. With `owns`, they may come from `sl_hold`. */
typedef struct sl_body {
  int function, catching, dependencies;
  bool owns;            /* `function` and `catching` are released when the body starts */
  uint64_t serial;      /* the number that `send` passes to Swift; 0: the function gets no arguments */
} sl_body;

/* Makes a Lua thread that runs bodies one after another. */
int sl_body_thread(sl_vm *vm, int *reference, lua_State **thread);
/* Starts a body and runs it to its first wait. Returns a Lua status; with LUA_OK also `*outcome`. After any other status
 * the Lua thread cannot be used again. */
int sl_body_start(sl_vm *vm, lua_State *thread, sl_body *body, int *outcome, int *raised);
/* Resumes a body after a wait, or after the end of its slice. */
int sl_body_resume(sl_vm *vm, lua_State *thread, int resumption, const sl_value *tape, int count, int *outcome, int *raised);
/* The chunk name and first line of the outermost script function on a body's Lua thread, or null. [-0, +0, -] */
const char *sl_body_definition(lua_State *thread, int *line);
/* Whether the referenced function is the `sleep` of a clock. `*clock` is the object of that clock, borrowed (+0); null
 * for the store's clock. [-0, +0, -] */
bool sl_sleeps(sl_vm *vm, int function, void **clock);

/* ---- Tests ---------------------------------------------------------------------------------------------------------- */

/* Adds the function `protect` to the referenced table, whose field `format` is a host function. */
int sl_add_protect(sl_vm *vm, int reference);
/* Environments made from now on also have the fields of the referenced table. */
int sl_share_globals(sl_vm *vm, int reference);
/* Lets scripts of the referenced environment declare globals, and gives it the field `_G`. */
int sl_open_environment(sl_vm *vm, int reference);
/* Stores in `*stock` a reference (+1) to the stock function that a referenced sandbox function replaces. */
int sl_replaced(sl_vm *vm, int reference, int *stock);
/* Stops what runs: the next instruction raises `message`, and so does each one after it, until `protect` has caught the
 * error. [-0, +0, -] */
void sl_stop(sl_vm *vm, int reason, const char *message, size_t length);

/* For each upvalue of the functions of `script` that can be reached from the referenced value: its name and a hash of its
 * value on vm->tape, if that is a scalar or a table. The hash of a table covers the scalars in it. [-0, +0, -] */
int sl_locals(sl_vm *vm, int reference, const char *script);

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

/* ---- Shared by the C files; call these only inside a protected call -------------------------------------------------- */

/* Pushes the value that ends a function or reducer with `effect.cancelled`. [-0, +1, -] */
void sl_push_cancelled(lua_State *L);
bool sl_is_cancelled(lua_State *L, int index);
/* Whether the calling function may wait. If not, the message is in `sl_vm.error`. [-0, +0, -] */
bool sl_can_wait(lua_State *L, const char *name);
/* The continuation of a wait. It returns or raises as vm->resumption says. The values to return are the whole stack of
 * the function. */
int sl_continue(lua_State *L, int status, lua_KContext context);

/* Calls `body` protected on L, with `data` as a light userdata argument, inside a turn. A failure is in vm->failure.
 * [-0, +0, -] */
int sl_protect(sl_vm *vm, lua_State *L, lua_CFunction body, void *data);
/* The Swift object in the box at `index`, borrowed (+0), and its kind; null for anything else. [-0, +0, -] */
void *sl_to_box(lua_State *L, int index, int *kind);
void sl_push_box(lua_State *L, void *object, int kind); /* retains `object` [-0, +1, m] */
void **sl_push_empty_box(lua_State *L, int kind);       /* the caller stores an owned (+1) object in it [-0, +1, m] */

/* The sl_run at `index`; null for anything else, and for one that has a box. [-0, +0, -] */
sl_run *sl_to_run(lua_State *L, int index);
/* Appends that sl_run to vm->tape as SL_TAG_RUN. With `holds`, its functions are referenced with `sl_hold`. [-0, +0, e] */
void sl_append_run(lua_State *L, int index, const sl_run *run, bool holds);

/* Makes a short-lived reference to the function on top of the stack: a registry reference, or a number below LUA_NOREF
 * (held.c). Only the functions below and the code that runs bodies accept the latter. [-1, +0, m] */
int sl_hold(lua_State *L);
/* Pushes the value of a reference; nil for LUA_NOREF. [-0, +1, -] */
void sl_push_reference(lua_State *L, int reference);
/* Releases a reference. [-0, +0, -] */
void sl_unref(lua_State *L, int reference);
/* Makes a box for the sl_run, which is used as that effect from now on. Returns its object, borrowed (+0). [-0, +0, e] */
void *sl_box_run(lua_State *L, int index, sl_run *run);

/* Whether the value at `index` is a record of `sl_new_sealed`: the only userdata that is no box and has a box in its
 * first user value. [-0, +0, -] */
bool sl_is_sealed(lua_State *L, int index);

/* The draft or view at `index`; null for anything else. It may be dead. [-0, +0, -] */
sl_ref *sl_to_ref(lua_State *L, int index);
/* The same, but raises if the value is no draft or view, or if it is dead. [-0, +0, e] */
sl_ref *sl_check_ref(lua_State *L, int index);
/* The chunk name of the innermost script function on the stack of `from`, from `level` on, and its frame (source and line
 * filled in); null if there is none. C functions are skipped, and chunks of the prelude and the host, whose names begin
 * with `=`. [-0, +0, -] */
const char *sl_find_script(lua_State *from, int level, lua_Debug *frame);
/* Pushes `script:line: ` of the innermost script function; an empty string if there is none. [-0, +1, m] */
void sl_where(lua_State *L);
/* Raises the message that the last hook stored. [-0, +0, e] */
int sl_raise(lua_State *L);
/* Whether the string that is about to be raised stands for a Swift error. If so, forgets the string of the previous Swift
 * error. [-0, +0, -] */
bool sl_begin_throw(lua_State *L);
/* Raises the value on top of the stack. With `throws`, records it as the string of the last Swift error. [-1, +0, v] */
int sl_throw(lua_State *L, bool throws);
/* Whether the value on top of the stack is the string of the last Swift error. [-0, +0, -] */
bool sl_is_thrown(lua_State *L);
/* Begins a tape that may contain references. It first releases the references of a tape that was never finished, because
 * a value was rejected. `sl_end_tape` makes the receiver own the references. [-0, +0, -] */
void sl_begin_tape(lua_State *L);
static inline void sl_end_tape(sl_vm *vm) { vm->unclaimed.count = 0; }
/* Appends the value at `index` to vm->tape. A rejection names the path of `ref` and `key`, or `root` if `ref` is null.
 * With `as_values`, plain tables are read into the tape, otherwise referenced. [-0, +0, e] */
void sl_append(lua_State *L, int index, bool as_values, const sl_ref *ref, const sl_key *key, const char *root);
bool sl_is_utf8(const char *text, size_t length); /* strict UTF-8 [-0, +0, -] */
/* Pushes the value at `*at` of a tape and moves `*at` past it. [-0, +1, m] */
void sl_push(lua_State *L, const sl_value *tape, size_t *at);
/* Pushes a scalar, string, draft, view or box. [-0, +1, m] */
void sl_push_value(lua_State *L, const sl_value *value);
/* Makes a key from the Lua value at `index`; false if no table of the state can have that key. [-0, +0, -] */
bool sl_to_key(lua_State *L, int index, sl_key *key);
/* Pushes ref[key]: what `__index` of a draft does. [-0, +1, e] */
void sl_ref_get(lua_State *L, const sl_ref *ref, int key_index);
/* ref[key] = value. [-0, +0, e] */
void sl_ref_set(lua_State *L, const sl_ref *ref, int key_index, int value_index);
lua_Integer sl_ref_length(lua_State *L, const sl_ref *ref);
/* `next` of a draft or view after the key at `key_index` (nil: the first entry): pushes key and value, or nil.
 * [-0, +1|2, e] */
int sl_ref_next(lua_State *L, const sl_ref *ref, int64_t cursor, int key_index);
/* `pairs` of a draft or view: pushes an iterator, the draft or view, and nil. [-0, +3, e] */
int sl_ref_pairs(lua_State *L);
void sl_open_drafts(lua_State *L);  /* the metatable of drafts and views, and the caches [-0, +0, m] */
void sl_open_boxes(lua_State *L);   /* the metatables of boxes and of marked tables [-0, +0, m] */
int sl_native_array(lua_State *L);  /* scripted.array, scripted.object: mark a plain table [-1, +1, e] */
int sl_native_object(lua_State *L);
int sl_native_weak_keys(lua_State *L);         /* weakKeys() [-0, +1, m] */
int sl_native_keep_descriptions(lua_State *L); /* keepDescriptions(table) [-1, +0, m] */
int sl_native_replace(lua_State *L);   /* scripted.replace(state, value) [-2, +0, e] */
int sl_native_draft(lua_State *L);     /* draft(table of the state): its index in the arena [-0, +1, e] */
int sl_native_find(lua_State *L);      /* find(list, id, idKey): position or nil */
int sl_native_rearrange(lua_State *L); /* rearrange(list, elements) */
void sl_open_null(lua_State *L);    /* the metatable of scripted.null and all light userdata [-0, +0, m] */
void sl_push_null(lua_State *L);    /* [-0, +1, -] */
bool sl_is_null(lua_State *L, int index);
/* Finds the strings `__mode` and `__call` in Lua's memory (names.c). [-0, +0, m] */
void sl_open_names(lua_State *L);
/* Makes it impossible for scripts to have weak tables. [-0, +0, -] */
void sl_hide_mode(sl_vm *vm);
/* Pushes an empty table with weak keys. [-0, +1, m] */
void sl_push_weak_keys(lua_State *L);
/* The next three set up what bodies, `sl_hold` and patterns need in the registry. [-0, +0, m] */
void sl_open_bodies(lua_State *L);
void sl_open_held(lua_State *L);
void sl_open_patterns(lua_State *L);
/* Adds the functions that make effects to the table on top of the stack. [-0, +0, m] */
void sl_open_effects(lua_State *L);
/* Adds `failure`, `isFailure` and `errorText` to the table on top of the stack. [-0, +0, m] */
void sl_open_failures(lua_State *L);
/* The sandbox (sandbox.c). `sl_open_sandbox` sets up the parts that all environments of a VM share. `sl_push_environment`
 * pushes a new environment with its own copies of the allowed globals and library tables. [-0, +0, m] and [-0, +1, m] */
void sl_open_sandbox(lua_State *L);
void sl_push_environment(lua_State *L);

/* The `ReduceContext` of the Swift reducer that runs on this thread, borrowed (+0); null if none runs. `sl_enter` sets it
 * and returns the previous one. */
void *sl_within(void);
void *sl_enter(void *whose);

/* Hooks of Lua: interrupt.c and lines.c. [-0, +0, -] */
void sl_arm(lua_State *L);  /* the next instruction raises */
/* Hide the string `__call` from Lua, and restore it. It is hidden while scripts are stopped because of time or an
 * interruption: Lua follows `__call` from value to value without running an instruction. `sl_take_call` may be called in
 * a signal handler. */
static inline void sl_take_call(sl_vm *vm) {
  if (vm->call_name != NULL) *(volatile uintptr_t *)vm->call_name = vm->no_string;
}
static inline void sl_give_back_call(sl_vm *vm) {
  if (vm->call_name != NULL) *(volatile uintptr_t *)vm->call_name = vm->call_string;
}
void sl_rest(lua_State *L); /* installs the hooks for scripts that are not being stopped */
void sl_count_line(lua_State *L, lua_Debug *activation);
void sl_begin_protection(sl_vm *vm);
void sl_end_stop(lua_State *L); /* ends a stop, after its error has been caught */
void sl_note_stop(sl_vm *vm, lua_State *L); /* records in vm->stop where scripts are stopped, unless that is already recorded */
int sl_record_stop(sl_vm *vm); /* copies vm->stop to vm->failure and returns its status */
void sl_push_stop(lua_State *L, sl_vm *vm); /* pushes the message of the stop [-0, +1, m] */

/* Memory: turns.c. [-0, +0, -] */
/* Sets `soft` and `ceiling` for the current turn, or for the time outside of turns. */
void sl_set_bounds(sl_vm *vm);
/* Decides on an allocation that the quick check in vm.c did not grant: whether a block may grow from `before` to `size`
 * bytes. `kind` is LUA_T… or 0 (a vector) for a new block. `moved` is the block that grows; null for a new one. */
bool sl_grants(sl_vm *vm, int kind, const void *moved, size_t before, size_t size);

/* vm->watched is vm->widest divided by this. */
enum { SL_WATCHED = 16 };
/* Whether a new vector of at least vm->watched bytes is treated as the hash part of a table. [-0, +0, -] */
bool sl_are_keys(const sl_vm *vm, size_t size);
/* `sl_note_keys` adds a new block to vm->key_blocks if it is treated as a hash part; `sl_forget_keys` removes one that is
 * freed or moved. */
void sl_note_keys(sl_vm *vm, const void *block, size_t size);
void sl_forget_keys(sl_vm *vm, const void *block);
void sl_free_keys(sl_vm *vm);
/* Collects garbage. Whether there is then enough memory for scripts to go on. */
bool sl_finds_room(lua_State *L, sl_vm *vm);

/* How the watchdog watches turns: watch.c. [-0, +0, -] */
/* Installs the handler of the watchdog's signal until no VM needs it any more. False if the watchdog thread cannot be
 * started. */
bool sl_watch_vm(sl_vm *vm);
void sl_unwatch_vm(sl_vm *vm);
void sl_watch_turn(sl_vm *vm);
void sl_unwatch_turn(sl_vm *vm);
void sl_restart_turn(sl_vm *vm);
void sl_watch_slice(sl_vm *vm, int64_t slice); /* 0: the slice has ended */
int64_t sl_watched_time(const sl_vm *vm);      /* nanoseconds that the turn had taken when its slice ended */
void sl_shorten_turn(sl_vm *vm, int64_t used);

/* Slices: slices.c. [-0, +0, -] */
void sl_begin_slice(sl_vm *vm, lua_State *thread, int resumption);
void sl_end_slice(sl_vm *vm);
/* Called by the count hook at the end of a slice: yields if the Lua thread can. */
void sl_suspend(lua_State *L, sl_vm *vm);

/* From now on code runs on `thread`. Pass the result to `sl_leave_thread`. */
static inline lua_State *sl_enter_thread(sl_vm *vm, lua_State *thread) {
  lua_State *outer = vm->running;
  vm->running = thread;
  if (vm->stopping) {
    sl_arm(thread);
  } else if (vm->instructions > 0 || vm->slice > 0) {
    sl_rest(thread);
  }
  return outer;
}
static inline void sl_leave_thread(sl_vm *vm, lua_State *outer) {
  vm->running = outer;
  if (vm->stopping) sl_arm(outer);
}

#endif
