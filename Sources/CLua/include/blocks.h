/* Small blocks of memory, with one free list per size.
 *
 * Lua passes the size of a block when it frees or resizes it, so blocks have no header. */
#ifndef CLUA_BLOCKS_H
#define CLUA_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the largest block, and the difference between the sizes of two lists. */
enum { SL_LARGEST_BLOCK = 256, SL_GRAIN = 16 };

typedef struct sl_block sl_block;
typedef struct sl_chunk sl_chunk;

typedef struct sl_blocks {
  sl_block *free[SL_LARGEST_BLOCK / SL_GRAIN + 1];
  char *at;    /* the part of the newest chunk that was never a block */
  size_t left;
  sl_chunk *chunks;
  /* Bytes of all chunks, and their maximum (0: no maximum). A free block of one size cannot serve another size, so the
   * maximum is larger than the memory that the VM may use. */
  size_t total, most;
} sl_blocks;

/* Like realloc, with the current size of the block; `pointer` is null for a new block. Null if there is no memory; the
 * block is then unchanged. Shrinking never fails. */
void *sl_block_resize(sl_blocks *blocks, void *pointer, size_t old_size, size_t size);
void sl_block_free(sl_blocks *blocks, void *pointer, size_t size);
/* Frees all chunks, with the blocks in them. */
void sl_blocks_end(sl_blocks *blocks);

#endif
