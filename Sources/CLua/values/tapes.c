/* The memory of tapes and texts. */
#include <stdlib.h>
#include <string.h>

#include "values/internal.h"

bool sl_tape_reserve(sl_tape *tape, size_t more) {
  size_t needed = tape->count + more;
  if (needed <= tape->capacity) return true;
  size_t capacity = tape->capacity * 2 > needed ? tape->capacity * 2 : needed + 30;
  sl_value *items = realloc(tape->items, capacity * sizeof *items);
  if (items == NULL) return false;
  tape->items = items;
  tape->capacity = capacity;
  return true;
}

bool sl_text_append(sl_text *text, const char *bytes, size_t length) {
  size_t needed = text->count + length + 1;
  if (needed > text->capacity) {
    size_t capacity = text->capacity * 2 > needed ? text->capacity * 2 : needed + 100;
    char *grown = realloc(text->bytes, capacity);
    if (grown == NULL) return false;
    text->bytes = grown;
    text->capacity = capacity;
  }
  if (length > 0) memcpy(text->bytes + text->count, bytes, length); /* `bytes` may be null if `length` is 0 */
  text->count += length;
  text->bytes[text->count] = '\0';
  return true;
}

void sl_text_set(sl_text *text, const char *bytes, size_t length) {
  text->count = 0;
  sl_text_append(text, bytes, length);
}

void sl_text_free(sl_text *text) {
  free(text->bytes);
  *text = (sl_text){0};
}

void sl_free_tapes(sl_tapes *tapes) {
  free(tapes->to_swift.items);
  free(tapes->unclaimed.items);
  free(tapes->to_lua.items);
  free(tapes->text.bytes);
}
