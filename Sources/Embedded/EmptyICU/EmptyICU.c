#include "EmptyICU.h"

#include <stdint.h>

// ICU's data, empty: 32 MB less. Release builds on Linux put it in the place of the data that the toolchain has. Foundation, which
// SQLite's library needs, links ICU for calendars, formats and collation in the languages of people, none of which the runner uses.
// An empty package is ICU's own way to build without data (its `stubdata`); functions that need a language's data then fail as for a
// language that ICU does not know.
__attribute__((aligned(16))) const struct {
  uint16_t header_size;
  uint8_t magic[2];
  uint16_t info_size, reserved;
  uint8_t is_big_endian, charset_family, character_size, reserved_byte;
  uint8_t format[4], format_version[4], data_version[4], padding[8];
  uint32_t item_count, reserved_word;
} empty_icu_data = {
  .header_size = 32,
  .magic = {0xda, 0x27},
  .info_size = 20,
  .character_size = 2,
  .format = {'T', 'o', 'C', 'P'},
  .format_version = {1},
};
