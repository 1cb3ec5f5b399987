/* Reads UTF-8. Swift's strings are made of texts for which `sl_is_utf8` is true without another check. */
#include <string.h>

#include "values/internal.h"

size_t sl_decode_utf8(const char *at, const char *end, uint32_t *scalar) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by the number of bytes */
  unsigned char first = (unsigned char)*at;
  if (first < 0x80) {
    *scalar = first;
    return 1;
  }
  size_t count = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (count == 0 || (size_t)(end - at) < count) return 0;
  *scalar = first & (0x7Fu >> count);
  for (size_t i = 1; i < count; i++) {
    if (((unsigned char)at[i] & 0xC0) != 0x80) return 0;
    *scalar = *scalar << 6 | ((unsigned char)at[i] & 0x3F);
  }
  bool is_surrogate = *scalar >= 0xD800 && *scalar <= 0xDFFF;
  return *scalar < least[count] || is_surrogate || *scalar > 0x10FFFF ? 0 : count;
}

bool sl_is_utf8(const char *text, size_t length) {
  const char *at = text, *end = text + length;
  for (;;) {
    while (end - at >= 8) { /* eight ASCII bytes at a time */
      uint64_t word;
      memcpy(&word, at, 8);
      if (word & UINT64_C(0x8080808080808080)) break;
      at += 8;
    }
    if (at == end) return true;
    uint32_t scalar;
    size_t count = sl_decode_utf8(at, end, &scalar);
    if (count == 0) return false;
    at += count;
  }
}
