/* Finds the blocks that are hash parts of large tables, because growing one can take quadratic time (turns.c).
 *
 * Lua does not say what a block is for, and the array part of a table, or a text buffer, may have the size of a hash
 * part. But when a hash part grows, Lua allocates a block of twice its size while the old one still exists. So:
 * 1. A vector of watched to 2 × watched bytes is treated as a hash part if its size is possible for one.
 * 2. A larger one is treated as a hash part if, in addition, a recorded block has half its size.
 * 3. `key_blocks` holds the existing blocks that are treated as hash parts. If it cannot grow, a block is not recorded. */
#include <stdlib.h>

#include "protect.h"

typedef struct sl_key_block {
  const void *block;
  size_t size;
} key_block;

static bool is_power(size_t count) { return (count & (count - 1)) == 0; }

bool sl_are_keys(const sl_vm *vm, size_t size) {
  if (size % vm->node != 0 || !is_power(size / vm->node)) return false;
  if (size < 2 * vm->watched || vm->makes_keys) return true;
  for (size_t i = 0; i < vm->key_block_count; i++) {
    if (vm->key_blocks[i].size == size / 2) return true;
  }
  return false;
}

void sl_note_keys(sl_vm *vm, const void *block, size_t size) {
  if (!sl_are_keys(vm, size)) return;
  if (vm->key_block_count == vm->key_block_capacity) {
    size_t capacity = 2 * vm->key_block_capacity + 8;
    key_block *grown = realloc(vm->key_blocks, capacity * sizeof *grown);
    if (grown == NULL) return;
    vm->key_blocks = grown;
    vm->key_block_capacity = capacity;
  }
  vm->key_blocks[vm->key_block_count++] = (key_block){.block = block, .size = size};
}

void sl_forget_keys(sl_vm *vm, const void *block) {
  for (size_t i = vm->key_block_count; i > 0; i--) {
    if (vm->key_blocks[i - 1].block != block) continue;
    vm->key_blocks[i - 1] = vm->key_blocks[--vm->key_block_count];
    return;
  }
}

void sl_free_keys(sl_vm *vm) { free(vm->key_blocks); }
