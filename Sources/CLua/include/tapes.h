/* Tapes and texts: the memory outside Lua in which values cross between Lua and Swift. */
#ifndef CLUA_TAPES_H
#define CLUA_TAPES_H

#include "values.h"

/* A growable array of values, allocated outside Lua. */
typedef struct sl_tape {
  sl_value *items;
  size_t count, capacity;
} sl_tape;

/* Growable bytes with a zero byte at the end, allocated outside Lua. */
typedef struct sl_text {
  char *bytes;
  size_t count, capacity;
} sl_text;

/* The values that are crossing. C writes `to_swift` and `unclaimed` (values/append.c), Swift writes the others.
 * views/functions.c uses `text` as well, while no tape to Lua is being read.
 *
 * Invariants:
 * 1. A tape is valid until the next one is begun in the same direction.
 * 2. `unclaimed` holds the references on `to_swift` for as long as that tape is not finished. If it never is, because a
 *    value was rejected, they are released when the next tape begins. When it is finished, its reader owns them. */
typedef struct sl_tapes {
  sl_tape to_swift;
  sl_tape unclaimed;
  sl_tape to_lua;              /* arguments, and the results of host functions */
  sl_text text;                /* the bytes of strings on `to_lua` with the flag SL_FLAG_IN_TEXT */
  int yielded;                 /* the number of values on `to_lua` when the hook `call` returned SL_YIELD */
} sl_tapes;

/* Reserves room for `more` values; false if there is no memory. */
bool sl_tape_reserve(sl_tape *tape, size_t more);
/* Adds a value, which the caller fills in; null if there is no memory. */
static inline sl_value *sl_tape_add(sl_tape *tape) {
  if (tape->count == tape->capacity && !sl_tape_reserve(tape, 1)) return NULL;
  return &tape->items[tape->count++];
}

bool sl_text_append(sl_text *text, const char *bytes, size_t length);
void sl_text_set(sl_text *text, const char *bytes, size_t length);
/* Appends as printf writes. */
__attribute__((format(printf, 2, 3))) void sl_text_print(sl_text *text, const char *format, ...);
void sl_text_free(sl_text *text);

/* Begins a tape to Swift of values of state, which contains no references and needs no end. */
static inline void sl_begin_state_tape(sl_tapes *tapes) { tapes->to_swift.count = 0; }
/* Begins a tape to Lua. */
static inline void sl_begin_tape_to_lua(sl_tapes *tapes) {
  tapes->to_lua.count = 0;
  tapes->text.count = 0;
}
/* Records that the host function yields `count` values, which are on `to_lua`. */
static inline void sl_set_yielded(sl_tapes *tapes, int count) { tapes->yielded = count; }

#endif
