/* The limits on what scripts may use, and the turns that the limits count for. */
#ifndef CLUA_SCRIPT_LIMITS_H
#define CLUA_SCRIPT_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sl_vm sl_vm;

/* 0 means that there is no limit. Times are nanoseconds, all other limits have the type `size_t`. */
typedef struct sl_limits {
  int64_t time;           /* of a turn */
  size_t instructions;    /* of a turn */
  int64_t slice;          /* processor time after which a body is suspended; not in deterministic mode */
  size_t slice_instructions; /* the same in instructions, in every mode */
  size_t pattern_steps;   /* of one call of a pattern function */
  size_t memory;          /* bytes of the whole VM; the last eighth is reserved for the code that runs after a stop */
  size_t growth;          /* bytes by which the memory may grow in a turn */
  size_t string;          /* bytes of one string */
  size_t source;          /* bytes of one source text */
  size_t keys;            /* of one table, without its list part (1, 2, 3, …) */
  size_t state;           /* bytes of a store's state, and of a value that scripts pass to Swift */
  bool forbids_weak_tables;         /* scripts can have no weak tables from now on */
} sl_limits;

typedef enum sl_unit { SL_COUNT, SL_BYTES, SL_NANOSECONDS } sl_unit;

/* Everything for which scripts are stopped. A LIMIT has the name of the reason SL_STOP_…, the kind of Swift's ScriptError, the
 * field of `sl_limits`, its unit, and the message, in which %1$s is the limit and %2$s the figure that exceeded it. For the VM's
 * memory %2$s is what it held before. A STOP has no figure, or one that the host counts: those from ACTIONS on. */
#define SL_STOPS(LIMIT, STOP)                                                                                                 \
  LIMIT(TIME, "time", time, SL_NANOSECONDS, "this takes longer than %1$s")                                                    \
  LIMIT(MEMORY, "memory", memory, SL_BYTES, "not enough memory: the VM may hold %1$s, and held %2$s before this")             \
  LIMIT(GROWTH, "memory", growth, SL_BYTES, "not enough memory: this needs more than %1$s")                                   \
  LIMIT(STRING, "stringLength", string, SL_BYTES, "a string of %2$s is longer than the %1$s that one may have")               \
  LIMIT(INSTRUCTIONS, "instructions", instructions, SL_COUNT, "this runs more than %1$s instructions")                        \
  LIMIT(PATTERN, "patternSteps", pattern_steps, SL_COUNT, "a pattern takes more than %1$s steps")                             \
  LIMIT(SOURCE, "sourceSize", source, SL_BYTES, "a text of %2$s is longer than the %1$s that can be compiled")                \
  LIMIT(KEYS, "tableKeys", keys, SL_COUNT,                                                                                    \
        "a table of %2$s keys has more than the %1$s that one may have beside a list's")                                      \
  STOP(INTERRUPT, "interrupted")                                                                                              \
  STOP(ACTIONS, "actions")                                                                                                    \
  STOP(EFFECTS, "effects")

#define SL_STOP_REASON(name, ...) SL_STOP_##name,
typedef enum sl_stop_reason { SL_STOP_NONE, SL_STOPS(SL_STOP_REASON, SL_STOP_REASON) SL_STOP_REASONS } sl_stop_reason;
#undef SL_STOP_REASON

/* The raw value of the ScriptError.Kind of a reason; null for SL_STOP_NONE. */
const char *sl_stop_kind(sl_stop_reason reason);

/* What a body used of a turn's limits in its earlier slices. */
typedef struct sl_use {
  int64_t time;
  uint64_t instructions;
  size_t growth;
} sl_use;

/* The turn that runs. The files of limits/ change it: turns.c begins and ends it, the debug hook (stop_hook.c) counts in
 * it, cancel.c guards it. The watchdog's signal handler reads `depth`, `is_guarded` and `protections`.
 *
 * Invariants:
 * 1. `instructions` is not 0 only in a turn that has a limit on them, and until that limit is reached.
 * 2. `is_guarded` changes only together with a watch, and `protections` only in a call of `protect`. */
typedef struct sl_turn {
  volatile int depth;          /* the nesting depth of turns */
  bool is_guarded;             /* in a turn of a test: only what `protect` calls is stopped */
  volatile int protections;    /* the nesting depth of calls of `protect` */
  int losses;                  /* how often the count of instructions was lost; 2 are added each time */
  uint64_t instructions;       /* the instructions that are left of the turn; 0: not counted */
  size_t before;               /* `sl_memory.used` when the turn began */
} sl_turn;

/* Whether an error that stops scripts would be caught. */
static inline bool sl_can_stop(const sl_turn *turn) {
  return turn->depth > 0 && (!turn->is_guarded || turn->protections > 0);
}

/* Subtracts from a count-down, which ends at 0. Whether it has just reached 0. */
static inline bool sl_count_down(uint64_t *left, uint64_t counted) {
  if (*left == 0) return false;
  *left -= counted < *left ? counted : *left;
  return *left == 0;
}

/* Sets the limits of the current turn and of later ones. False if `limits` has a time and the watchdog thread cannot be
 * started. [-0, +0, -] */
bool sl_set_limits(sl_vm *vm, const sl_limits *limits);

/* A turn is what scripts run for one action, for one resumption of an effect, or for one call by the host. A turn inside
 * another one is a part of that. A turn ends on the thread on which it began, and a stop ends with it. [-0, +0, -] */
void sl_start_turn(sl_vm *vm);
void sl_finish_turn(sl_vm *vm);
/* Charges the turn of a resumed body with what the body used in its earlier slices. Call it after the turn has begun.
 * [-0, +0, -] */
void sl_charge_turn(sl_vm *vm, const sl_use *use);

#endif
