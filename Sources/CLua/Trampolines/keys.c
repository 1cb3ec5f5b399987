/* Which blocks of memory are the keys of large tables. Lua does not say what a block is for, and the elements of a list, or a text that is
 * being made, may have the size of one. But when keys outgrow their block Lua makes one of twice the size while they are still in
 * the old one. So a block is taken for keys if one of half its size is there that was; small ones are, whatever they are. */
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
