/* CLua: Lua 5.4 and the trampolines between it and Swift.
 *
 * Lua raises with longjmp, which must never cross a Swift frame. So everything that can raise runs in a C function under
 * lua_pcall, and Swift is only ever called from C through the function pointers of `sl_hooks`, which return a status: by the
 * time C raises, yields or allocates in Lua, the Swift frame is gone.
 *
 * Comments give stack effects as the Lua manual does: [-popped, +pushed, raises], where raises is `-` never, `m` out of
 * memory, `e` any error.
 */
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

/* ---- Values on their way between Lua and Swift --------------------------------------------------------------------- */

/* The first ten are the tags of Swift's `Tag`; the others exist only on the way. (Macros, as Swift imports them as Int32.) */
#define SL_TAG_ABSENT 0         /* nil */
#define SL_TAG_NULL 1
#define SL_TAG_BOOLEAN 2
#define SL_TAG_INTEGER 3
#define SL_TAG_FLOAT 4
#define SL_TAG_STRING 5         /* as.bytes, length */
#define SL_TAG_LIST 6           /* a node of the state tree: as.bits */
#define SL_TAG_OBJECT 7         /* likewise */
#define SL_TAG_EMPTY 8          /* as.bits is the kind of empty table */
#define SL_TAG_DICTIONARY 9     /* a node of the state tree */

#define SL_TAG_DRAFT 16         /* a place in the state: slot (arena index), length = generation */
#define SL_TAG_VIEW 17          /* a read-only value: flag = its tag, as.bits, length = generation */
#define SL_TAG_SEQUENCE 18      /* a plain table 1..slot; its elements follow */
#define SL_TAG_RECORD 19        /* a plain table of slot string keys; key, value, key, value… follow */
#define SL_TAG_FUNCTION 20      /* slot = registry reference, owned by the receiver */
#define SL_TAG_TABLE 21         /* slot = registry reference, owned by the receiver */
#define SL_TAG_BOX 22           /* a Swift object: as.object (+0 both ways: C retains what it keeps), slot = SL_BOX_… */
#define SL_TAG_OTHER 23         /* a thread or foreign userdata: slot = registry reference */
#define SL_TAG_CANCELLED 24     /* effect.cancelled, to Lua only */
#define SL_TAG_RUN 25           /* an sl_run that a handler returned: flag = replaces; function, function or absent, id or absent follow */

/* One value. A tape is a run of them in prefix order. Strings are borrowed: from Lua on the way to Swift (whose table keeps
 * them alive), from the state tree or `sl_vm.text` on the way to Lua. */
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

/* Swift's EmptyKind: what an empty table encodes as, and which first write it takes. */
#define SL_EMPTY_TABLE 0
#define SL_EMPTY_FORMER_OBJECT 1 /* `{}` in JSON, or an object that was emptied; takes either */
#define SL_EMPTY_ARRAY 2         /* scripted.array */
#define SL_EMPTY_OBJECT 3        /* scripted.object */
#define SL_EMPTY_KINDS 4

/* What a box holds, which decides its metatable. */
#define SL_BOX_HOST 0
#define SL_BOX_EFFECT 1
#define SL_BOX_KINDS 2

/* A string of `sl_vm.results`: as.integer is an offset into `sl_vm.text`. */
#define SL_FLAG_IN_TEXT 1
/* A draft that nothing else in the call leads to, so that it needs no place in the cache. */
#define SL_FLAG_SOLE 2

/* A draft or a view as Lua holds it: the payload of a userdata. */
typedef struct sl_ref {
  uint64_t generation; /* the call it belongs to; it is dead when that is over */
  uint64_t bits;       /* a view's node, or its kind of empty */
  uint32_t slot;       /* a draft's arena index */
  uint8_t kind;        /* SL_TAG_DRAFT or SL_TAG_VIEW */
  uint8_t tag;         /* a view's tag */
  uint16_t owner;      /* who got it: `sl_vm.owner` at the time, for the message when it is dead */
} sl_ref;

/* What `effect.run` makes, and `:cancellable` of that by a scalar: the payload of a userdata that has all it needs in its user values
 * (SL_RUN_…), so that no object of Swift's goes with it and it needs no finalizer. Where it becomes a part of another effect, or leaves
 * the scripts, it gets a box all the same, which it keeps. */
typedef struct sl_run {
  bool catches;
  bool has_id;
  bool replaces; /* cancelInFlight */
  bool is_boxed; /* all that it has is the box */
} sl_run;

/* The user values of such a userdata, as far as it has them. */
#define SL_RUN_FUNCTION 1
#define SL_RUN_BOX 1
#define SL_RUN_ID 2
#define SL_RUN_CATCH 3

/* A key: a string, or with `bytes` null an integer. `interned` strings (at most 40 bytes) have one address per VM. */
typedef struct sl_key {
  const char *bytes;
  size_t length;
  int64_t integer;
} sl_key;

/* ---- Swift's side ----------------------------------------------------------------------------------------------------*/

#define SL_OK 0
#define SL_ANCHOR 1 /* done; remember the key */
#define SL_RAISE (-1)
#define SL_YIELD (-2)

struct sl_vm;

/* What C asks of Swift. Each gets `sl_vm.context`; none raises. Those that return a status may return SL_RAISE, with a message
 * left by `sl_set_error`. A value on a tape tells itself where it ends. */
typedef struct sl_hooks {
  /* Drafts and views. `get`, which never refuses, and `set` may return SL_ANCHOR: done, and `remember` wants to be called once the
   * key is anchored. */
  int (*get)(void *context, const sl_ref *ref, const sl_key *key, sl_value *out);
  int (*set)(void *context, const sl_ref *ref, const sl_key *key, const sl_value *tape);
  void (*remember)(void *context);
  void (*forget)(void *context);
  int64_t (*length)(void *context, const sl_ref *ref);
  /* The entry after `key` (null: the first) in the order of `cursor` (-1: the current order); `out_key` absent at the end. */
  int (*next)(void *context, const sl_ref *ref, int64_t cursor, const sl_key *key, sl_value *out_key, sl_value *out);
  int64_t (*open_cursor)(void *context, const sl_ref *ref);
  /* table.insert, table.remove and a new order for a list; positions are 1-based. */
  int (*insert)(void *context, const sl_ref *ref, int64_t position, const sl_value *tape);
  int (*remove)(void *context, const sl_ref *ref, int64_t position, sl_value *out);
  int (*rearrange)(void *context, const sl_ref *ref, const sl_value *tape);
  /* Position of the element whose `id_key` equals the value on the tape, or 0. */
  int (*find)(void *context, const sl_ref *ref, const sl_key *id_key, const sl_value *tape, int64_t *out);
  int (*replace)(void *context, const sl_ref *ref, const sl_value *tape);
  /* Leaves the path of `ref` (`state.todos[3]`) in `sl_vm.error`, followed by `.key` or `[key]` if key is given. */
  void (*describe)(void *context, const sl_ref *ref, const sl_key *key);
  /* Leaves the message about the use of a `ref` whose action is over there. */
  void (*describe_dead)(void *context, const sl_ref *ref);

  /* Host functions: arguments on the tape, results into `sl_vm.results`; the number of results, SL_RAISE or SL_YIELD.
   * SL_RAISE with one result raises that value, without one the text of `sl_set_error`. */
  int (*call)(void *context, void *function, const sl_value *tape, int arguments);
  void (*retain)(void *object);
  /* Called while Lua collects garbage, perhaps in the middle of a tape, so the object must be released later. */
  void (*release)(void *context, void *object);

  /* Effects. An effect by operation SL_EFFECT_… on what is on the tape, whose references Swift owns: the object (+1) in `out`. */
  int (*effect)(void *context, int operation, const sl_value *tape, int arguments, void **out);
  /* A body's `send`: `effect` is one of SL_EFFECT_SEND that was made of the same path, or null with the arguments on the tape. */
  int (*send)(void *context, uint64_t body, void *effect, const sl_value *tape, int arguments);
  /* Makes the running body wait on the clock in the box `clock` (null: the store's), for some seconds or until a time: SL_YIELD, or
   * SL_RAISE if it was cancelled. */
  int (*sleep)(void *context, void *clock, double seconds, bool until);
} sl_hooks;

/* Effects by the operation that made them. */
#define SL_EFFECT_SEND 0        /* action, payload */
#define SL_EFFECT_RUN 1         /* SL_TAG_RUN and what follows it */
#define SL_EFFECT_CANCELLABLE 2 /* effect, id, cancelInFlight */
#define SL_EFFECT_CANCEL 3      /* id, path or absent */
#define SL_EFFECT_DEBOUNCE 4    /* effect, id, seconds */
#define SL_EFFECT_THROTTLE 5    /* effect, id, seconds, latest */
#define SL_EFFECT_MAP 6         /* effect, function */
#define SL_EFFECT_TRANSACTION 7 /* effect, value */
#define SL_EFFECT_ANIMATION 8   /* effect, value */
#define SL_EFFECT_DISMISS 9

/* A growable run of values, allocated outside Lua. */
typedef struct sl_tape {
  sl_value *items;
  size_t count, capacity;
} sl_tape;

/* Growable bytes, allocated outside Lua. */
typedef struct sl_text {
  char *bytes;
  size_t count, capacity;
} sl_text;

/* Where a protected call went wrong. */
typedef struct sl_failure {
  int status;           /* LUA_ERRRUN, LUA_ERRMEM, LUA_ERRERR, LUA_ERRSYNTAX */
  int reason;           /* SL_STOP_…: the limit that it went over */
  double allowed, reached; /* that limit, in seconds, bytes or whatever it counts, and how far it came */
  int line;             /* of the innermost script function, or -1 */
  sl_text script;       /* its chunk name, as given to `sl_load`, without `@` */
  sl_text message;      /* empty if the error value is not a string and has no text */
  sl_text traceback;
  bool has_value;       /* the error was not a string: it is on `tape` */
  bool is_thrown;       /* the error is the string that the Swift error thrown last was raised as */
} sl_failure;

typedef struct sl_vm {
  lua_State *L;
  const sl_hooks *hooks;
  void *context;

  uint64_t generation;         /* of the running handler call, 0 outside of one; drafts of another are dead */
  uint64_t view_generation;    /* the same for views, which an effect that its handler returned may keep */
  uint64_t last_generation;    /* the highest ever given out */
  uint16_t owner;              /* the reducer that gets the next drafts */
  const void *ref_metatable;   /* identity of the metatable of drafts and views */
  int refs_metatable, refs_cache, anchors; /* registry references: that metatable, arena slot to userdata, anchored keys */
  int anchored;                /* keys in the anchor table */
  int box_metatables[SL_BOX_KINDS];
  const void *box_identities[SL_BOX_KINDS]; /* of those metatables, which the registry keeps */
  int run_metatable;           /* of an sl_run */
  const void *run_identity;
  int marks[SL_EMPTY_KINDS];   /* metatables that tell a plain table's kind while it is empty; none for SL_EMPTY_TABLE */

  sl_blocks blocks;            /* Lua's memory */
  void *state;                 /* its global state, and the size of that */
  size_t state_size;
  void *first_stack;           /* the main thread's, as it was made */
  size_t stack_at;             /* where a lua_State has the pointer to its stack; 0: not found */
  uintptr_t *call_name;        /* where that has `__call`; null: not found */
  uintptr_t call_string, no_string;
  char *mode_name;             /* the string `__mode` as Lua looks for it; null: scripts cannot make it any more */
  size_t used, peak;           /* bytes of Lua memory, and of what Swift holds for scripts */
  size_t lent;                 /* those of `used` that are Swift's until the action or turn is over */
  long fail_at, fail_count;    /* tests: let `fail_count` growing allocations fail after `fail_at` more have succeeded; -1 never */

  sl_tape tape;                /* Lua to Swift */
  sl_tape unclaimed;           /* references on a tape that is not finished */
  sl_tape results;             /* Swift to Lua */
  sl_text text;                /* bytes of strings on `results` (as.integer is an offset, flag SL_FLAG_IN_TEXT) */
  int yielded;                 /* values on `results` when the hook `call` returned SL_YIELD */
  int resumption;              /* SL_RESUME_…: how the wait that is resumed now ends */
  lua_State *body;             /* the thread of the effect that runs, or what it called does; null outside of one */
  bool times_slices;           /* a body that takes long lets others have their turn */
  uint64_t slice;              /* instructions that are left of the body's slice, if they are counted */
  volatile bool is_over;       /* the slice is: the body is suspended as soon as it can be */
  bool is_suspended;           /* where its slice ended, in the middle of a script */
  bool is_cancelled;           /* so it was, and raises that at its next instruction */
  bool raises_in_hook;         /* it did, from the hook */
  int64_t slice_began;         /* 0 where nobody has to know */
  sl_use use;                  /* of the body that runs, in the slices before */
  int outcome;                 /* SL_BODY_…: how the body that ended last did */
  lua_State *held;             /* functions of runs that are about to start are on its stack */
  unsigned held_places;        /* a bit for each that is taken */
  int descriptions;            /* registry reference: reducers to what they are made of; 0 before there are some */
  int sent, sent_count;        /* registry reference: paths to the effects that send them */
  sl_text error;               /* what the last hook that returned SL_RAISE says */
  bool throws;                 /* what is raised next, a string, is for a Swift error */
  sl_failure failure;

  lua_State *volatile running; /* the thread whose code runs */
  sl_limits limits;
  volatile int turns;          /* inside each other */
  bool is_guarded;             /* a turn of a test: only what `protect` runs is stopped */
  volatile int protections;    /* calls of `protect`, inside each other */
  bool is_watched;             /* the watchdog's signal has its handler for this VM */
  struct sl_runner *runner;    /* what the watchdog knows of the thread, in a turn whose time is limited */
  struct sl_vm *outer;         /* whose turn goes on around it on that thread */
  size_t before;               /* `used` when the turn began */
  size_t soft, ceiling;        /* `used` from which on scripts are stopped, and beyond which nothing is granted */
  size_t longest;              /* bytes of a string's block */
  size_t node;                 /* bytes of a key in a table's block of them, which has 2^n */
  size_t widest;               /* bytes of such a block that is not given */
  size_t watched;              /* bytes from which on blocks of keys are in `key_blocks`, by keys.c */
  struct sl_key_block *key_blocks;
  size_t key_block_count, key_block_capacity;
  bool makes_keys;             /* the next vector is one of keys: the host makes a table */
  size_t refused;              /* bytes that were, which Lua may ask for once more */
  bool lacks;                  /* Lua has raised that there is no memory */
  uint64_t instructions;       /* that are left of those that are counted */
  int losses;                  /* how often it was not known how many there were; two for each */
  volatile int stopping;       /* SL_STOP_…: every instruction raises, until the turn is over or the innermost `protect` has caught it */
  bool has_raised;             /* at least one did */
  double stop_figure;          /* how far it came */
  volatile bool interrupted;   /* it was stopped by that already */
  sl_failure stop;             /* where it was stopped first; its message may be there before, if it is a special one */
  bool owes_collection;        /* a turn ended in want of memory: `sl_collect_owed` is to be called */
  bool is_full;                /* what is left after a stop for want of it is most of the memory there may be */
  bool is_spent;               /* after a lack of memory, most of it is still in use: better make another VM */
  struct sl_patterns *patterns; /* those that were used last */
  int patterns_reference;      /* which the registry keeps */
  bool counts_lines;
  struct sl_lines *lines;      /* how often each line of each script ran */
  bool collects_output;        /* `print` goes to `output`, else to standard error */
  sl_text output;
  int failure_mark;            /* registry reference: the metatable of what `native.failure` makes */
  uint64_t next_identity;      /* for tostring of tables and functions */
} sl_vm;

/* ---- VM ------------------------------------------------------------------------------------------------------------ */

/* A VM with the draft metatables and the stock libraries that the sandbox builds on; null without memory. `limit` bytes of Lua
 * memory, 0 for none, or as `sl_set_limits` says later. */
sl_vm *sl_vm_new(const sl_hooks *hooks, void *context, size_t limit);
void sl_vm_free(sl_vm *vm);
/* Lets go of all that Lua holds. Nothing may be called after it but `sl_vm_free`. */
void sl_vm_close(sl_vm *vm);
static inline sl_vm *sl_vm_of(lua_State *L) { return *(sl_vm **)lua_getextraspace(L); }

static inline void sl_begin_turn(sl_vm *vm) {
  if (vm->turns++ == 0) sl_start_turn(vm);
}
static inline void sl_end_turn(sl_vm *vm) {
  if (--vm->turns == 0) sl_finish_turn(vm);
}
/* Whether somebody would catch what a stop raises. */
static inline bool sl_can_stop(const sl_vm *vm) { return vm->turns > 0 && (!vm->is_guarded || vm->protections > 0); }

/* Makes `text` the message of the hook that is about to return SL_RAISE. [-0, +0, -] */
void sl_set_error(sl_vm *vm, const char *bytes, size_t length);
bool sl_text_append(sl_text *text, const char *bytes, size_t length);
void sl_text_set(sl_text *text, const char *bytes, size_t length);
void sl_text_free(sl_text *text);
bool sl_tape_reserve(sl_tape *tape, size_t more);
static inline sl_value *sl_tape_add(sl_tape *tape) {
  if (tape->count == tape->capacity && !sl_tape_reserve(tape, 1)) return NULL;
  return &tape->items[tape->count++];
}

/* ---- Protected operations: all return a Lua status, with vm->failure filled when it is not LUA_OK. [-0, +0, -] ------ */

/* Compiles text and leaves the function in `*reference`. `environment` is a registry reference for _ENV or LUA_NOREF for the
 * globals. */
int sl_load(sl_vm *vm, const char *source, size_t length, const char *name, int environment, int *reference);
/* The bytecode of a referenced function, with its lines, as `string.dump` has it, in `bytecode`. */
int sl_dump(sl_vm *vm, int reference, sl_text *bytecode);
/* A function of bytecode that `sl_dump` made in this process: other bytecode could do anything. */
int sl_undump(sl_vm *vm, const void *bytecode, size_t length, int environment, int *reference);
/* Calls a referenced function with the `arguments` values of `tape` on the thread `L`; its results
 * are on vm->tape, `*results` of them. With `as_values`, plain tables among the results come as sequences and records, otherwise as
 * references. */
int sl_call(sl_vm *vm, lua_State *L, int reference, const sl_value *tape, int arguments, bool as_values, int *results);
/* The way of every action: calls a handler with `arguments` scalars, drafts and views; `*result` is absent for nil, a box, SL_TAG_RUN
 * for what is on vm->tape then, or else what the handler returned by its type name (tag SL_TAG_OTHER, as.bytes the name). */
int sl_handle(sl_vm *vm, lua_State *L, int reference, const sl_value *arguments, int count, sl_value *result);
/* A referenced table's field. `raw` skips metamethods. Result on vm->tape. */
int sl_get_field(sl_vm *vm, int reference, const sl_value *key, bool as_value);
int sl_set_field(sl_vm *vm, int reference, const sl_value *key, const sl_value *tape);
/* All entries of a referenced table, key, value, key, value… on vm->tape; tables as references. Raw order of Lua. */
int sl_entries(sl_vm *vm, int reference, int *entries);
/* The table as a value on vm->tape: sequences and records, rejections as in the state. `what` names it in errors. */
int sl_to_tape(sl_vm *vm, int reference, const char *what);
/* The first value of a tape in `*reference`. */
int sl_new_reference(sl_vm *vm, const sl_value *tape, int *reference);
/* A new table, function or environment in `*reference`. */
int sl_new_table(sl_vm *vm, int *reference);
int sl_new_environment(sl_vm *vm, int *reference);
/* A table of what the `scripted` module builds on: array, object, replace, find, rearrange, null. */
int sl_new_natives(sl_vm *vm, int *reference);
/* A record that scripts can only read, called `name` in messages. `resolver` is a function of its table of fields and the key, asked
 * for each field that is not in there; `object` (retained by it) is Swift's. */
int sl_new_sealed(sl_vm *vm, const char *name, int resolver, void *object, int *reference);
/* The object of a referenced sealed record (+0), null for anything else. [-0, +0, -] */
void *sl_sealed_object(sl_vm *vm, int reference);
/* Whether a referenced table or userdata can be called. [-0, +0, -] */
bool sl_is_callable(sl_vm *vm, int reference);
/* A function that calls the hook `call` with `object` (retained by the function). `as_values`: its plain table arguments
 * come as sequences and records. */
int sl_new_function(sl_vm *vm, void *object, const char *name, bool as_values, int *reference);
/* Notes script and line of the innermost function of a script on the stack of `from`, starting at `level`, in vm->failure; line -1
 * if there is none. [-0, +0, -] */
void sl_locate(sl_vm *vm, lua_State *from, int level);
/* Number of parameters that a referenced script function declares, or -1 if it takes any number; 255 for a C function. [-0, +0, -] */
int sl_parameters(sl_vm *vm, int reference, int *line, const char **script);
/* Another reference to the same. */
int sl_copy_reference(sl_vm *vm, int reference, int *copy);
void sl_release(sl_vm *vm, int reference);
void sl_collect(sl_vm *vm, bool full);
/* Collects what a turn that ended in want of memory left behind, once nothing needs the strings on vm->tape any more. [-0, +0, -] */
void sl_collect_owed(sl_vm *vm);
/* Sets vm->is_full if scripts keep most of the memory that there may be: after sl_collect_owed, when Swift has released the objects that
 * were collected. [-0, +0, -] */
void sl_note_fullness(sl_vm *vm);
/* Lets go of the userdata of drafts, which are kept for the next action: after one that read very many. */
void sl_forget_drafts(sl_vm *vm);

/* ---- Coroutines ---------------------------------------------------------------------------------------------------- */

/* A thread that will run the referenced function; anchored in `*reference`, the thread itself in `*thread`. */
int sl_thread_new(sl_vm *vm, int function, int *reference, lua_State **thread);
/* Starts or continues; LUA_OK finished, LUA_YIELD waiting (values on vm->tape, `*results` of them), else vm->failure. */
int sl_resume(sl_vm *vm, lua_State *thread, const sl_value *tape, int arguments, int *results);
/* Ends a waiting thread, closing its `<close>` variables. */
int sl_thread_close(sl_vm *vm, lua_State *thread);

/* ---- Bodies of effects --------------------------------------------------------------------------------------------- */

/* How a wait ends. */
#define SL_RESUME_VALUES 0
#define SL_RESUME_ERROR 1     /* raises the message of `sl_set_error`, with the script's position */
#define SL_RESUME_VALUE 2     /* raises the value */
#define SL_RESUME_CANCELLED 3

/* How far a body came. */
#define SL_BODY_WAITING 0
#define SL_BODY_FINISHED 1
#define SL_BODY_CANCELLED 2 /* by effect.cancelled, which nothing caught */
#define SL_BODY_FAILED 3    /* vm->failure; what was raised also as a registry reference that the caller owns */
#define SL_BODY_SUSPENDED 4 /* at the end of its slice; vm->use is for `sl_charge_turn` when it goes on */

/* References, LUA_NOREF where there is none; the functions' own may be of `sl_hold`. */
typedef struct sl_body {
  int function, catching, dependencies;
  bool owns;            /* the first two are released when it starts */
  uint64_t serial;      /* what its `send` knows it by; 0: it gets no arguments */
} sl_body;

/* A thread for bodies, one after the other. */
int sl_body_thread(sl_vm *vm, int *reference, lua_State **thread);
/* Starts a body, up to its first wait; a Lua status, and `*outcome` if that is LUA_OK. After another status the thread is of no
 * more use. */
int sl_body_start(sl_vm *vm, lua_State *thread, sl_body *body, int *outcome, int *raised);
/* Goes on after a wait, or a slice. */
int sl_body_resume(sl_vm *vm, lua_State *thread, int resumption, const sl_value *tape, int count, int *outcome, int *raised);
/* The source and first line of the outermost script function on a body's thread, or null. [-0, +0, -] */
const char *sl_body_definition(lua_State *thread, int *line);
/* Whether a function is the `sleep` of a clock; the object of that clock, null for the store's. [-0, +0, -] */
bool sl_sleeps(sl_vm *vm, int function, void **clock);

/* ---- Tests ---------------------------------------------------------------------------------------------------------- */

/* Adds `protect` to the referenced table, whose field `format` is Swift's. */
int sl_add_protect(sl_vm *vm, int reference);
/* Environments that are made from now on have the fields of the referenced table, too. */
int sl_share_globals(sl_vm *vm, int reference);
/* Lets the scripts of a referenced environment declare globals, and call it `_G`. */
int sl_open_environment(sl_vm *vm, int reference);
/* The stock function that a referenced one of the sandbox stands in for, in `*stock`. */
int sl_replaced(sl_vm *vm, int reference, int *stock);
/* Makes the instruction that runs next raise a message, and each after it until `protect` has caught it. [-0, +0, -] */
void sl_stop(sl_vm *vm, int reason, const char *message, size_t length);

/* What the functions of a script that the referenced value leads to have for variables outside of them: on vm->tape a name and an integer
 * that tells its value (of a table the scalars in it) for each. [-0, +0, -] */
int sl_locals(sl_vm *vm, int reference, const char *script);

/* How often the lines of a script ran. */
typedef struct sl_lines {
  char *script; /* as given to `sl_load`, without `@` */
  uint32_t *counts; /* by line; [0] is unused */
  size_t count;
  struct sl_lines *next;
} sl_lines;

/* Counts from now on how often lines of scripts run, in vm->lines: to be called before there are coroutines. [-0, +0, -] */
void sl_begin_lines(sl_vm *vm);
/* The counts become 0. [-0, +0, -] */
void sl_clear_lines(sl_vm *vm);
void sl_free_lines(sl_vm *vm);

/* ---- Pieces that the C files share (inside a protected call) --------------------------------------------------------- */

/* Pushes what makes a function's error or result `effect.cancelled`. [-0, +1, -] */
void sl_push_cancelled(lua_State *L);
bool sl_is_cancelled(lua_State *L, int index);
/* Whether the function that calls may wait; else the message is left in `sl_vm.error`. [-0, +0, -] */
bool sl_can_wait(lua_State *L, const char *name);
/* Where a wait goes on, as vm->resumption says; the values are the whole stack of the function. */
int sl_continue(lua_State *L, int status, lua_KContext context);

/* Runs `body`, with `data` as its light userdata argument, protected on L; a failure is left in vm->failure. [-0, +0, -] */
int sl_protect(sl_vm *vm, lua_State *L, lua_CFunction body, void *data);
/* The Swift object in the box at `index` and its kind, or null. [-0, +0, -] */
void *sl_to_box(lua_State *L, int index, int *kind);
void sl_push_box(lua_State *L, void *object, int kind); /* [-0, +1, m] */
void **sl_push_empty_box(lua_State *L, int kind);       /* for an object whose reference it takes over [-0, +1, m] */

/* The sl_run at `index` unless it has a box, or null. [-0, +0, -] */
sl_run *sl_to_run(lua_State *L, int index);
/* Appends that sl_run to vm->tape, as SL_TAG_RUN; `holds` says that its functions are referred to by `sl_hold`. [-0, +0, e] */
void sl_append_run(lua_State *L, int index, const sl_run *run, bool holds);

/* A reference to the function on top of the stack, which starts or is let go of soon: one of the registry's, or less than LUA_NOREF. Only
 * the functions below, and what runs bodies, know the latter. [-1, +0, m] */
int sl_hold(lua_State *L);
/* Pushes what a reference is to; nil for LUA_NOREF. [-0, +1, -] */
void sl_push_reference(lua_State *L, int reference);
/* Lets go of it. [-0, +0, -] */
void sl_unref(lua_State *L, int reference);
/* Gives the sl_run a box, as which it is known from now on; its object. [-0, +0, e] */
void *sl_box_run(lua_State *L, int index, sl_run *run);

/* Whether the value at `index` is a record of `sl_new_sealed`: the only userdata without a box that has one in its user value. [-0, +0, -] */
bool sl_is_sealed(lua_State *L, int index);

/* The draft or view at `index`, or null. Never raises: a dead one is returned too. [-0, +0, -] */
sl_ref *sl_to_ref(lua_State *L, int index);
/* The same, but raises if it is dead. [-0, +0, e] */
sl_ref *sl_check_ref(lua_State *L, int index);
/* The name of the innermost function's script on the stack of `from`, starting at `level`, and its frame (source and line filled in);
 * null if there is none. Chunks whose name begins with `=` are our own, and C functions have no line. [-0, +0, -] */
const char *sl_find_script(lua_State *from, int level, lua_Debug *frame);
/* Pushes `script:line: ` of the innermost function that is a script's, or nothing. [-0, +1, m] */
void sl_where(lua_State *L);
/* Raises the message that the last hook left. [-0, +0, e] */
int sl_raise(lua_State *L);
/* Whether what is about to be raised, a string, is for a Swift error: what one before it was raised as does not count any more.
 * [-0, +0, -] */
bool sl_begin_throw(lua_State *L);
/* Raises the value on top of the stack. `throws`: notes it as what the last Swift error was raised as. [-1, +0, v] */
int sl_throw(lua_State *L, bool throws);
/* Whether the value on top of the stack is what the last Swift error was raised as. [-0, +0, -] */
bool sl_is_thrown(lua_State *L);
/* Begins a tape on which references may come: those of one that was never finished, because something was refused on the
 * way, are released. `sl_end_tape` makes the receiver their owner. [-0, +0, -] */
void sl_begin_tape(lua_State *L);
static inline void sl_end_tape(sl_vm *vm) { vm->unclaimed.count = 0; }
/* Appends the value at `index` to vm->tape. `root` names it in rejections (null: what the ref and key say). With `as_values`
 * plain tables are read, otherwise referenced. [-0, +0, e] */
void sl_append(lua_State *L, int index, bool as_values, const sl_ref *ref, const sl_key *key, const char *root);
bool sl_is_utf8(const char *text, size_t length); /* strictly [-0, +0, -] */
/* Pushes the value at `*at` of a tape and moves `*at` past it. [-0, +1, m] */
void sl_push(lua_State *L, const sl_value *tape, size_t *at);
/* Pushes a scalar, string, draft, view or box. [-0, +1, m] */
void sl_push_value(lua_State *L, const sl_value *value);
/* A key for a draft from the Lua value at `index`: false if no table of the state can have it. [-0, +0, -] */
bool sl_to_key(lua_State *L, int index, sl_key *key);
/* Pushes ref[key]; the draft's __index without the dispatch. [-0, +1, e] */
void sl_ref_get(lua_State *L, const sl_ref *ref, int key_index);
/* ref[key] = value. [-0, +0, e] */
void sl_ref_set(lua_State *L, const sl_ref *ref, int key_index, int value_index);
lua_Integer sl_ref_length(lua_State *L, const sl_ref *ref);
/* `next` over a draft or view with the key at `key_index` (nil: first): pushes key and value, or nil. [-0, +1|2, e] */
int sl_ref_next(lua_State *L, const sl_ref *ref, int64_t cursor, int key_index);
/* `pairs` of a draft or view: pushes iterator, ref, nil. [-0, +3, e] */
int sl_ref_pairs(lua_State *L);
void sl_open_drafts(lua_State *L);  /* the metatable of refs, the caches [-0, +0, m] */
void sl_open_boxes(lua_State *L);   /* the metatables of boxes, of marked tables [-0, +0, m] */
int sl_native_array(lua_State *L);  /* scripted.array, scripted.object: mark a plain table [-1, +1, e] */
int sl_native_object(lua_State *L);
int sl_native_weak_keys(lua_State *L);         /* weakKeys() [-0, +1, m] */
int sl_native_keep_descriptions(lua_State *L); /* keepDescriptions(table) [-1, +0, m] */
int sl_native_replace(lua_State *L);   /* scripted.replace(state, value) [-2, +0, e] */
int sl_native_draft(lua_State *L);     /* draft(table of the state): its arena index [-0, +1, e] */
int sl_native_find(lua_State *L);      /* find(list, id, idKey): position or nil */
int sl_native_rearrange(lua_State *L); /* rearrange(list, elements) */
void sl_open_null(lua_State *L);    /* scripted.null's metatable (light userdata) [-0, +0, m] */
void sl_push_null(lua_State *L);    /* [-0, +1, -] */
bool sl_is_null(lua_State *L, int index);
/* What bodies of effects need in the registry. [-0, +0, m] */
void sl_open_names(lua_State *L);
/* Makes weak tables nothing that scripts could have. [-0, +0, -] */
void sl_hide_mode(sl_vm *vm);
/* An empty table with weak keys. [-0, +1, m] */
void sl_push_weak_keys(lua_State *L);
void sl_open_bodies(lua_State *L);
void sl_open_held(lua_State *L);
/* What patterns need there. [-0, +0, m] */
void sl_open_patterns(lua_State *L);
/* The functions that make effects, into the table on top of the stack. [-0, +0, m] */
void sl_open_effects(lua_State *L);
/* `failure`, `isFailure` and `errorText`, likewise. [-0, +0, m] */
void sl_open_failures(lua_State *L);
/* The sandbox: sandbox.c. Sets up shared parts once per VM; pushes a fresh environment with its own copies of the allowed
 * globals and library tables. [-0, +0, m] and [-0, +1, m] */
void sl_open_sandbox(lua_State *L);
void sl_push_environment(lua_State *L);

/* Whose lock this thread is in while it runs a closure of the host, for what that calls; null elsewhere: within.c. Returns what it
 * was before. */
void *sl_within(void);
void *sl_enter(void *whose);

/* Hooks: interrupt.c and lines.c. [-0, +0, -] */
void sl_arm(lua_State *L);  /* the next instruction raises */
/* `__call` is nothing to Lua from now on, and again what it was: while time is over, for what calls without an instruction in between. The
 * first may be used in a signal handler. [-0, +0, -] */
static inline void sl_take_call(sl_vm *vm) {
  if (vm->call_name != NULL) *(volatile uintptr_t *)vm->call_name = vm->no_string;
}
static inline void sl_give_back_call(sl_vm *vm) {
  if (vm->call_name != NULL) *(volatile uintptr_t *)vm->call_name = vm->call_string;
}
void sl_rest(lua_State *L); /* the hooks there are while scripts behave */
void sl_count_line(lua_State *L, lua_Debug *activation);
void sl_begin_protection(sl_vm *vm);
void sl_end_stop(lua_State *L); /* what was raised has been caught */
void sl_note_stop(sl_vm *vm, lua_State *L); /* where it is stopped, if that is not known yet */
int sl_record_stop(sl_vm *vm); /* as vm->failure; its status */
void sl_push_stop(lua_State *L, sl_vm *vm); /* the message [-0, +1, m] */

/* Memory: turns.c. [-0, +0, -] */
void sl_set_bounds(sl_vm *vm);
/* Whether a block may grow from `before` bytes, over what the turn may have or be as long. `moved` is the block that grows, null for a
 * new one. */
bool sl_grants(sl_vm *vm, int kind, const void *moved, size_t before, size_t size);

/* vm->watched is this part of vm->widest. */
enum { SL_WATCHED = 16 };
/* Whether a new vector of at least vm->watched bytes is taken for the keys of a table. [-0, +0, -] */
bool sl_are_keys(const sl_vm *vm, size_t size);
/* Adds a new block to vm->key_blocks if it is taken for keys; takes one out that is freed or moved. [-0, +0, -] */
void sl_note_keys(sl_vm *vm, const void *block, size_t size);
void sl_forget_keys(sl_vm *vm, const void *block);
void sl_free_keys(sl_vm *vm);
/* Whether there is room after all, when garbage is collected. */
bool sl_finds_room(lua_State *L, sl_vm *vm);

/* Turns on the watchdog's side: watch.c. [-0, +0, -] */
/* The handler of the signal is there from now on, until no VM needs it any more. False if no thread can be had that looks at the time. */
bool sl_watch_vm(sl_vm *vm);
void sl_unwatch_vm(sl_vm *vm);
void sl_watch_turn(sl_vm *vm);
void sl_unwatch_turn(sl_vm *vm);
void sl_restart_turn(sl_vm *vm);
void sl_watch_slice(sl_vm *vm, int64_t slice); /* 0: none any more */
int64_t sl_watched_time(const sl_vm *vm);      /* of the turn, when its slice was over */
void sl_shorten_turn(sl_vm *vm, int64_t used);

/* Slices: slices.c. [-0, +0, -] */
void sl_begin_slice(sl_vm *vm, lua_State *thread, int resumption);
void sl_end_slice(sl_vm *vm);
/* For the hook, at the end of a slice: yields, if the thread can. */
void sl_suspend(lua_State *L, sl_vm *vm);

/* What runs from now on is on `thread`; sl_leave_thread with what it returns. */
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
