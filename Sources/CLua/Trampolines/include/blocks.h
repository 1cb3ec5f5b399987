/* Lists of free small blocks, by size. Lua tells the size of what it frees, so that blocks need no head. */
#ifndef CLUA_BLOCKS_H
#define CLUA_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum { SL_LARGEST_BLOCK = 256 };

typedef struct sl_block sl_block;
typedef struct sl_chunk sl_chunk;

typedef struct sl_blocks {
  sl_block *free[SL_LARGEST_BLOCK / 16 + 1];
  char *at;    /* what has not been a block yet */
  size_t left;
  sl_chunk *chunks;
  size_t total, most; /* bytes of all chunks, and how many there may be (0: any number): what is free for one size serves no other */
} sl_blocks;

/* As realloc, with the size that the block had (none: `pointer` is null); null without memory, and the block stays. Shrinking never
 * fails. */
void *sl_block_resize(sl_blocks *blocks, void *pointer, size_t old_size, size_t size);
void sl_block_free(sl_blocks *blocks, void *pointer, size_t size);
/* All of them go, whoever has them. */
void sl_blocks_end(sl_blocks *blocks);

#endif
