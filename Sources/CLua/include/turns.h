/* The limits on what scripts may use, and the turns that the limits count for. */
#ifndef CLUA_TURNS_H
#define CLUA_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sl_vm sl_vm;

/* 0 means that there is no limit. */
typedef struct sl_limits {
  int64_t time;           /* nanoseconds of a turn */
  uint64_t instructions;  /* of a turn */
  int64_t slice;          /* nanoseconds of processor time after which a body is suspended; not in deterministic mode */
  uint64_t slice_instructions; /* the same in instructions, in every mode */
  int64_t pattern_steps;  /* of one call of a pattern function */
  size_t memory;          /* bytes of the whole VM; the last eighth is reserved for the code that runs after a stop */
  size_t growth;          /* bytes by which the memory may grow in a turn */
  size_t string;          /* bytes of one string */
  size_t source;          /* bytes of one source text */
  size_t keys;            /* of one table, without its list part (1, 2, 3, …) */
  size_t state;           /* bytes of a store's state, and of a value that scripts pass to Swift */
  bool forbids_weak_tables;         /* scripts can have no weak tables from now on */
} sl_limits;

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
