/* The memory that a VM uses, and the bounds on it. */
#ifndef CLUA_MEMORY_H
#define CLUA_MEMORY_H

#include "blocks.h"

typedef struct sl_vm sl_vm;

/* The blocks that are treated as hash parts of large tables (hash_parts.c). */
typedef struct sl_hash_parts {
  size_t watched;              /* bytes from which on hash parts are recorded in `items` */
  size_t widest;               /* bytes of the smallest hash part that is refused */
  size_t node;                 /* bytes of one key in the hash part of a table, which has 2^n of them */
  struct sl_hash_part *items;
  size_t count, capacity;
  bool is_expected;            /* the next vector is a hash part: Swift is making a table */
} sl_hash_parts;

/* Lua's memory, and what Swift stores for scripts. The allocator and limits/memory.c change it, on the thread that uses
 * the VM. There is one exception: a signal handler may set `soft` to 0 (`sl_begin_stop`).
 *
 * Invariants:
 * 1. `used` is the sum of Lua's blocks, of `temporary`, and of the bytes that Swift has made lasting.
 * 2. An allocation that leaves `used` at or below `soft`, and whose block is smaller than `longest` and than
 *    `hash_parts.watched`, is granted without further questions. `grants` in limits/memory.c decides on all others.
 * 3. `refused` and `lacks` follow the steps that limits/memory.c draws. While `refused` is not 0, `soft` is 0. */
typedef struct sl_memory {
  /* The fields that most allocations read come first. */
  size_t used, peak;           /* bytes */
  size_t soft;                 /* bound on `used` above which scripts are stopped */
  size_t longest;              /* the largest block that a string may have, in bytes */
  sl_hash_parts hash_parts;
  /* For tests: after `fail_at` more allocations that grow, the next `fail_count` of them fail. -1: none fails. */
  long fail_at, fail_count;
  sl_blocks blocks;            /* the small blocks of Lua's memory */
  size_t ceiling;              /* bound on `used` above which nothing is granted */
  size_t temporary;            /* the part of `used` that Swift needs only until the action or turn ends */
  size_t refused;              /* the size of the block refused last, which Lua may request once more; 0: none */
  bool lacks;                  /* Lua has raised an out-of-memory error */
  bool owes_collection;        /* a turn ended with an out-of-memory stop; call `sl_collect_owed` later */
  bool is_full;                /* after such a stop and a collection, more than 3/4 of the memory limit is in use */
} sl_memory;

/* Memory that Swift uses for scripts counts like Lua's memory, so one limit covers both, and the next allocation of Lua
 * stops scripts that use too much.
 *
 * `sl_add_temporary_memory` counts bytes that Swift uses until the action or turn ends. `sl_make_memory_lasting` turns a
 * part of them into bytes that Swift uses for longer. `sl_subtract_lasting_memory` subtracts those when Swift has freed
 * them. O(1). [-0, +0, -] */
void sl_add_temporary_memory(sl_vm *vm, size_t bytes);
void sl_make_memory_lasting(sl_vm *vm, size_t bytes);
void sl_subtract_lasting_memory(sl_vm *vm, size_t bytes);
/* Subtracts temporary bytes until only `down_to` are left. */
void sl_subtract_temporary_memory(sl_vm *vm, size_t down_to);
/* Whether scripts may use `bytes` more in this turn. [-0, +0, -] */
bool sl_has_room(const sl_vm *vm, size_t bytes);

/* Whether `bytes` may be used outside Lua's memory, for values on a tape. [-0, +0, -] */
bool sl_fits(const sl_vm *vm, size_t bytes);

void sl_collect(sl_vm *vm, bool full);
/* If a turn ended with an out-of-memory stop, runs the garbage collection that it left. Call it when the strings on
 * vm->tapes.to_swift are no longer needed. [-0, +0, -] */
void sl_collect_owed(sl_vm *vm);
/* Sets vm->memory.is_full. Call it after `sl_collect_owed`, when Swift has released the collected objects.
 * [-0, +0, -] */
void sl_update_is_full(sl_vm *vm);
/* Records that the host has reacted to vm->memory.is_full. */
static inline void sl_forget_is_full(sl_memory *memory) { memory->is_full = false; }

/* For tests: after `successes` more allocations that grow, the next `failures` of them fail. -1 ends that. */
static inline void sl_fail_allocations(sl_memory *memory, long successes, long failures) {
  memory->fail_at = successes;
  memory->fail_count = failures;
}

#endif
