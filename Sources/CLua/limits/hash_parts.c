/* Finds the blocks that are hash parts of large tables, because growing one can take quadratic time (turns.c).
 *
 * Lua does not say what a block is for, and the array part of a table, or a text buffer, may have the size of a hash
 * part. But when a hash part grows, Lua allocates a block of twice its size while the old one still exists. So:
 * 1. A vector of watched to 2 × watched bytes is treated as a hash part if its size is possible for one.
 * 2. A larger one is treated as a hash part if, in addition, a recorded block has half its size.
 * 3. `hash_parts` holds the existing blocks that are treated as hash parts. If it cannot grow, a block is not recorded. */
#include <stdlib.h>

#include "core/protect.h"

typedef struct sl_hash_part {
  const void *block;
  size_t size;
} key_block;

static bool is_power(size_t count) { return (count & (count - 1)) == 0; }

bool sl_is_hash_part(const sl_vm *vm, size_t size) {
  if (size % vm->node != 0 || !is_power(size / vm->node)) return false;
  if (size < 2 * vm->watched || vm->makes_keys) return true;
  for (size_t i = 0; i < vm->hash_part_count; i++) {
    if (vm->hash_parts[i].size == size / 2) return true;
  }
  return false;
}

void sl_add_hash_part(sl_vm *vm, const void *block, size_t size) {
  if (!sl_is_hash_part(vm, size)) return;
  if (vm->hash_part_count == vm->hash_part_capacity) {
    size_t capacity = 2 * vm->hash_part_capacity + 8;
    key_block *grown = realloc(vm->hash_parts, capacity * sizeof *grown);
    if (grown == NULL) return;
    vm->hash_parts = grown;
    vm->hash_part_capacity = capacity;
  }
  vm->hash_parts[vm->hash_part_count++] = (key_block){.block = block, .size = size};
}

void sl_remove_hash_part(sl_vm *vm, const void *block) {
  for (size_t i = vm->hash_part_count; i > 0; i--) {
    if (vm->hash_parts[i - 1].block != block) continue;
    vm->hash_parts[i - 1] = vm->hash_parts[--vm->hash_part_count];
    return;
  }
}

void sl_free_hash_parts(sl_vm *vm) { free(vm->hash_parts); }
