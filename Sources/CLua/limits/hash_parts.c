/* Finds the blocks that are hash parts of large tables, because growing one can take quadratic time (memory.c).
 *
 * There is no way without the sizes of blocks: a rehash runs no instruction at which the hook could stop it, Lua's API has
 * no bound on the keys of a table, and scripts add keys by instructions that call no function of ours. The allocator alone
 * hears of a rehash, and may refuse its block. But Lua does not say what a block is for, and the array part of a table, or
 * a text buffer, may have the size of a hash part. When a hash part grows, though, Lua allocates a block of twice its size
 * while the old one still exists. So:
 * 1. A vector of watched to 2 × watched bytes is treated as a hash part if its size is possible for one.
 * 2. A larger one is treated as a hash part if, in addition, a recorded block has half its size.
 * 3. `items` holds the existing blocks that are treated as hash parts. If it cannot grow, a block is not recorded. */
#include <stdlib.h>

#include "limits/internal.h"

/* `watched` is `widest` divided by this. */
enum { WATCHED = 16 };

typedef struct sl_hash_part {
  const void *block;
  size_t size;
} hash_part;

static bool is_power(size_t count) { return (count & (count - 1)) == 0; }

bool sl_is_hash_part(const sl_hash_parts *parts, size_t size) {
  if (size % parts->node != 0 || !is_power(size / parts->node)) return false;
  if (size < 2 * parts->watched || parts->is_expected) return true;
  for (size_t i = 0; i < parts->count; i++) {
    if (parts->items[i].size == size / 2) return true;
  }
  return false;
}

void sl_add_hash_part(sl_hash_parts *parts, const void *block, size_t size) {
  if (!sl_is_hash_part(parts, size)) return;
  if (parts->count == parts->capacity) {
    size_t capacity = 2 * parts->capacity + 8;
    hash_part *grown = realloc(parts->items, capacity * sizeof *grown);
    if (grown == NULL) return;
    parts->items = grown;
    parts->capacity = capacity;
  }
  parts->items[parts->count++] = (hash_part){.block = block, .size = size};
}

void sl_remove_hash_part(sl_hash_parts *parts, const void *block) {
  for (size_t i = parts->count; i > 0; i--) {
    if (parts->items[i - 1].block != block) continue;
    parts->items[i - 1] = parts->items[--parts->count];
    return;
  }
}

void sl_free_hash_parts(sl_hash_parts *parts) { free(parts->items); }

void sl_set_widest(sl_vm *vm) {
  sl_hash_parts *parts = &vm->memory.hash_parts;
  parts->widest = parts->watched = SIZE_MAX;
  parts->is_expected = false;
  if (vm->limits.keys == 0) return;
  size_t nodes = 1;
  while (nodes < vm->limits.keys && nodes <= SIZE_MAX / 4 / parts->node) nodes *= 2;
  parts->widest = 2 * nodes * parts->node;
  parts->watched = parts->widest / WATCHED;
}

void sl_measure_hash_parts(lua_State *L, sl_vm *vm) {
  enum { FEW = 4, MORE = 8 };
  size_t before = vm->memory.used;
  lua_createtable(L, 0, FEW);
  size_t few = vm->memory.used - before;
  lua_createtable(L, 0, MORE);
  vm->memory.hash_parts.node = (vm->memory.used - before - 2 * few) / (MORE - FEW);
  lua_pop(L, 2);
}
