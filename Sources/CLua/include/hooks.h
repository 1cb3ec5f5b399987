/* What C calls in Swift. */
#ifndef CLUA_HOOKS_H
#define CLUA_HOOKS_H

#include "values.h"

#define SL_OK 0
#define SL_RAISE (-1)
#define SL_YIELD (-2)

struct sl_vm;

/* What C calls in Swift. Each hook gets `sl_vm.context`, and none raises. A hook that returns a status may return
 * SL_RAISE after it has stored a message with `sl_set_error`. A tape needs no length, because each entry says how many
 * entries belong to it. */
typedef struct sl_hooks {
  /* Drafts and views. */
  void (*get)(void *context, const sl_ref *ref, const sl_key *key, sl_value *out);
  int (*set)(void *context, const sl_ref *ref, const sl_key *key, const sl_value *tape);
  int64_t (*length)(void *context, const sl_ref *ref);
  /* The entry after `key` (null: the first entry) in the order of `cursor` (-1: the current order). `out_key` is absent
   * after the last one. */
  int (*next)(void *context, const sl_ref *ref, int64_t cursor, const sl_key *key, sl_value *out_key, sl_value *out);
  /* Begins a loop of `pairs`. Returns its cursor, which `close_cursor` gets when the loop has visited all keys. */
  int64_t (*open_cursor)(void *context, const sl_ref *ref);
  void (*close_cursor)(void *context, int64_t cursor);
  /* table.insert, table.remove and a new order of a list. Positions start at 1. */
  int (*insert)(void *context, const sl_ref *ref, int64_t position, const sl_value *tape);
  int (*remove)(void *context, const sl_ref *ref, int64_t position, sl_value *out);
  int (*rearrange)(void *context, const sl_ref *ref, const sl_value *tape);
  /* The position of the element whose `id_key` equals the value on the tape; 0 if there is none. */
  int (*find)(void *context, const sl_ref *ref, const sl_key *id_key, const sl_value *tape, int64_t *out);
  int (*replace)(void *context, const sl_ref *ref, const sl_value *tape);
  /* Stores the path of `ref` (`state.todos[3]`) in `sl_vm.error.message`, with `.key` or `[key]` appended if `key` is
   * not null. */
  void (*describe)(void *context, const sl_ref *ref, const sl_key *key);
  /* Stores the message about a dead `ref` in `sl_vm.error.message`. */
  void (*describe_dead)(void *context, const sl_ref *ref);

  /* Stores the value on the tape, a value of state, as Lua source text in `sl_vm.error.message`. SL_RAISE, without a message,
   * if the value cannot be read. */
  int (*show)(void *context, const sl_value *tape);

  /* Calls a host function: arguments on the tape, results in `sl_vm.tapes.to_lua`. Returns the number of results,
   * SL_RAISE or SL_YIELD. After SL_RAISE, C raises the one value on that tape; if there is none, it raises the text of
   * `sl_set_error`. */
  int (*call)(void *context, void *function, const sl_value *tape, int arguments);
  void (*retain)(void *object);
  /* Transfers a reference to `object` (+1) to Swift. It is called during a garbage collection, perhaps while a tape is
   * being read, so Swift releases the object later. */
  void (*release)(void *context, void *object);

  /* Makes the effect that scripts ask for by `name`, as `debounce`, from the arguments on the tape. EffectKind in Swift lists
   * the names. Swift owns the references on the tape. `out` receives the effect, owned (+1). */
  int (*effect)(void *context, const char *name, const sl_value *tape, void **out);
  /* `send` of the body with the serial number `body`. `effect` (borrowed, +0) is what `effect.send` has made of the same
   * path, or null if the arguments are on the tape. SL_YIELD if the body, which can wait (`waits`), has to wait for the
   * action's record. */
  int (*send)(void *context, uint64_t body, void *effect, const sl_value *tape, bool waits);
  /* Starts a wait of the running body on the clock in the box `clock` (null: the store's clock), for `seconds`, or with
   * `until` to that time. SL_YIELD, or SL_RAISE if the body was cancelled. */
  int (*sleep)(void *context, void *clock, double seconds, bool until);

  /* Views of a state whose reads are recorded (SL_TAG_VIEW with a slot). `compare` records that all of `ref` was compared with
   * another value. `captured` records that a function has captured all of `ref`, and returns whether that is an argument of
   * the view. */
  void (*compare)(void *context, const sl_ref *ref);
  bool (*captured)(void *context, const sl_ref *ref);
  /* Counting the elements of a list that match a predicate. `remembers_matches` returns whether the count will be remembered,
   * and sets the predicate of the count that the last run of the view made in this place, borrowed (+0), or LUA_NOREF.
   * `begin_matches` gets the new one (+1), and whether it does the same. `candidate` takes the answer about the element that it
   * gave last, and gives the next one, until it returns false. `end_matches` returns the number, and forgets the answers unless
   * all elements were asked about. */
  bool (*remembers_matches)(void *context, const sl_ref *ref, int *known);
  void (*begin_matches)(void *context, const sl_ref *ref, int predicate, bool is_same);
  bool (*candidate)(void *context, bool matches, sl_value *element);
  int64_t (*end_matches)(void *context, bool is_complete);
} sl_hooks;

#endif
