/* What scripts may use up, and the turns that it is counted for. */
#ifndef CLUA_TURNS_H
#define CLUA_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_vm;
struct lua_State;

/* 0 is without limit. */
typedef struct sl_limits {
  int64_t time;           /* nanoseconds of a turn */
  uint64_t instructions;  /* of a turn */
  int64_t slice;          /* nanoseconds after which a body lets others have their turn, where time counts */
  uint64_t slice_instructions; /* the same in instructions, everywhere */
  int64_t pattern_steps;  /* of one call that matches a pattern */
  size_t memory;          /* bytes of the VM in all; the last eighth is for what comes after a stop */
  size_t growth;          /* bytes that a turn may add to them */
  size_t string;          /* bytes of one string */
  size_t source;          /* bytes of one text that is compiled */
  size_t keys;            /* of one table, but those of a list */
  size_t state;           /* bytes of a store's state, and of a value that goes to Swift */
  bool is_strong;         /* scripts have no weak tables from now on */
} sl_limits;

/* What a body has used of a turn's limits in the slices before. */
typedef struct sl_use {
  int64_t time;
  uint64_t instructions;
  size_t growth;
} sl_use;

/* Why scripts are stopped. */
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
/* Of what scripts make the host do, which the host counts. */
#define SL_STOP_ACTIONS 10
#define SL_STOP_EFFECTS 11

/* Makes `limits` those of the turns to come, or of the one that goes on. False if there is one on time and no thread can be had that
 * looks at the time. [-0, +0, -] */
bool sl_set_limits(struct sl_vm *vm, const sl_limits *limits);

/* A turn: what scripts do for one action, one resumption of an effect, or one call by the host. Turns inside of a turn are parts of it.
 * It ends on the thread on which it began; a stop ends with it. [-0, +0, -] */
void sl_start_turn(struct sl_vm *vm);
void sl_finish_turn(struct sl_vm *vm);
/* After the beginning of the turn of a body that goes on in another slice: what it used before counts. [-0, +0, -] */
void sl_charge_turn(struct sl_vm *vm, const sl_use *use);

/* What Swift holds for scripts counts as Lua's memory does, so that the limits hold for both, and the next allocation of Lua's
 * stops scripts that have gone too far. Swift is lent bytes for what it makes, until the action or turn is over; of these it keeps
 * what stays for longer, and gives that back one day. Both O(1). [-0, +0, -] */
void sl_lend(struct sl_vm *vm, size_t bytes);
void sl_keep(struct sl_vm *vm, size_t bytes);
void sl_give_back(struct sl_vm *vm, size_t bytes);
/* As far as more than `down_to` is lent. */
void sl_take_back(struct sl_vm *vm, size_t down_to);
/* Whether scripts may have so much more memory in this turn. [-0, +0, -] */
bool sl_has_room(const struct sl_vm *vm, size_t bytes);

/* Whether so many bytes may be needed beside Lua's memory, for values on their way. [-0, +0, -] */
bool sl_fits(const struct sl_vm *vm, size_t bytes);

/* Stops scripts, by raising what no script can catch: each instruction raises until the turn is over. Does not return. [-0, +0, v] */
_Noreturn void sl_stop_here(struct lua_State *L, int reason);
/* The same for a size that is over its limit. */
_Noreturn void sl_stop_at_size(struct lua_State *L, int reason, size_t size);
/* The same if something has to be stopped: for loops in C. [-0, +0, v] */
#define sl_poll(L, vm)                                             \
  do {                                                             \
    if ((vm)->stopping != SL_STOP_NONE) sl_stop_here((L), (vm)->stopping); \
  } while (0)

#endif
