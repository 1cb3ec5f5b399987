/* Whether a text is UTF-8. Swift's strings are made of such texts without another check. */
#include <string.h>

#include "values/internal.h"

bool sl_is_utf8(const char *text, size_t length) {
  const unsigned char *at = (const unsigned char *)text, *end = at + length;
  for (;;) {
    while (end - at >= 8) { /* eight ASCII bytes at a time */
      uint64_t word;
      memcpy(&word, at, 8);
      if (word & UINT64_C(0x8080808080808080)) break;
      at += 8;
    }
    if (at == end) return true;
    unsigned char c = *at;
    if (c < 0x80) {
      at++;
      continue;
    }
    int more = c >= 0xC2 && c <= 0xDF ? 1 : c >= 0xE0 && c <= 0xEF ? 2 : c >= 0xF0 && c <= 0xF4 ? 3 : 0;
    if (more == 0 || end - at <= more) return false;
    for (int i = 1; i <= more; i++) {
      if ((at[i] & 0xC0) != 0x80) return false;
    }
    if ((c == 0xE0 && at[1] < 0xA0) || (c == 0xED && at[1] > 0x9F) || (c == 0xF0 && at[1] < 0x90) || (c == 0xF4 && at[1] > 0x8F)) return false;
    at += more + 1;
  }
}
