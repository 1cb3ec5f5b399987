/* The limits on what scripts may use, and the turns that the limits count for. */
#ifndef CLUA_TURNS_H
#define CLUA_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_vm;
struct lua_State;

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

/* The reasons to stop scripts. */
#define SL_STOP_NONE 0
#define SL_STOP_TIME 1
#define SL_STOP_INTERRUPT 2
#define SL_STOP_MEMORY 3
#define SL_STOP_GROWTH 4
#define SL_STOP_STRING 5
#define SL_STOP_INSTRUCTIONS 6
#define SL_STOP_PATTERN 7
#define SL_STOP_SOURCE 8
#define SL_STOP_KEYS 9
/* Counted by the host: actions, and effects in flight. */
#define SL_STOP_ACTIONS 10
#define SL_STOP_EFFECTS 11

/* Sets the limits of the current turn and of later ones. False if `limits` has a time and the watchdog thread cannot be
 * started. [-0, +0, -] */
bool sl_set_limits(struct sl_vm *vm, const sl_limits *limits);

/* A turn is what scripts run for one action, for one resumption of an effect, or for one call by the host. A turn inside
 * another one is a part of that. A turn ends on the thread on which it began, and a stop ends with it. [-0, +0, -] */
void sl_start_turn(struct sl_vm *vm);
void sl_finish_turn(struct sl_vm *vm);
/* Charges the turn of a resumed body with what the body used in its earlier slices. Call it after the turn has begun.
 * [-0, +0, -] */
void sl_charge_turn(struct sl_vm *vm, const sl_use *use);

/* Memory that Swift uses for scripts counts like Lua's memory, so one limit covers both, and the next allocation of Lua
 * stops scripts that use too much.
 *
 * `sl_add_temporary_memory` counts bytes that Swift uses until the action or turn ends. `sl_make_memory_lasting` turns a
 * part of them into bytes that Swift uses for longer. `sl_subtract_lasting_memory` subtracts those when Swift has freed
 * them. O(1). [-0, +0, -] */
void sl_add_temporary_memory(struct sl_vm *vm, size_t bytes);
void sl_make_memory_lasting(struct sl_vm *vm, size_t bytes);
void sl_subtract_lasting_memory(struct sl_vm *vm, size_t bytes);
/* Subtracts temporary bytes until only `down_to` are left. */
void sl_subtract_temporary_memory(struct sl_vm *vm, size_t down_to);
/* Whether scripts may use `bytes` more in this turn. [-0, +0, -] */
bool sl_has_room(const struct sl_vm *vm, size_t bytes);

/* Whether `bytes` may be used outside Lua's memory, for values on a tape. [-0, +0, -] */
bool sl_fits(const struct sl_vm *vm, size_t bytes);

/* Stops scripts with an error that they cannot catch: each instruction raises until the turn is over. Does not return.
 * [-0, +0, v] */
_Noreturn void sl_stop_here(struct lua_State *L, int reason);
/* The same for a size that exceeds its limit. */
_Noreturn void sl_stop_at_size(struct lua_State *L, int reason, size_t size);
/* For loops in C: raises if scripts are being stopped. [-0, +0, v] */
#define sl_poll(L, vm)                                             \
  do {                                                             \
    if ((vm)->stopping != SL_STOP_NONE) sl_stop_here((L), (vm)->stopping); \
  } while (0)

#endif
