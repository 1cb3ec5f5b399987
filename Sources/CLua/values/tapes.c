/* The memory of tapes and texts. */
#include <stdarg.h>
#include <stdio.h>
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

/* Makes room for `more` bytes and the zero byte. */
static bool reserve(sl_text *text, size_t more) {
  size_t needed = text->count + more + 1;
  if (needed <= text->capacity) return true;
  size_t capacity = text->capacity * 2 > needed ? text->capacity * 2 : needed + 100;
  char *grown = realloc(text->bytes, capacity);
  if (grown == NULL) return false;
  text->bytes = grown;
  text->capacity = capacity;
  return true;
}

bool sl_text_append(sl_text *text, const char *bytes, size_t length) {
  if (!reserve(text, length)) return false;
  if (length > 0) memcpy(text->bytes + text->count, bytes, length); /* `bytes` may be null if `length` is 0 */
  text->count += length;
  text->bytes[text->count] = '\0';
  return true;
}

void sl_text_set(sl_text *text, const char *bytes, size_t length) {
  text->count = 0;
  sl_text_append(text, bytes, length);
}

void sl_text_print(sl_text *text, const char *format, ...) {
  va_list measured, printed;
  va_start(measured, format);
  va_copy(printed, measured);
  int length = vsnprintf(NULL, 0, format, measured);
  if (length > 0 && reserve(text, (size_t)length)) {
    text->count += (size_t)vsnprintf(text->bytes + text->count, (size_t)length + 1, format, printed);
  }
  va_end(printed);
  va_end(measured);
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
