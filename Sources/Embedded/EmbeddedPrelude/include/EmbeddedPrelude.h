#ifndef EMBEDDEDPRELUDE_H
#define EMBEDDEDPRELUDE_H

#include <stddef.h>

// The Lua files of Sources/ScriptedStore/Scripting/Prelude.
// Each function returns the bytes of a file and sets `*length` to their number. The bytes are there as long as the process.
const unsigned char *prelude_assertions(size_t *length);
const unsigned char *prelude_blocks(size_t *length);
const unsigned char *prelude_busted(size_t *length);
const unsigned char *prelude_compare(size_t *length);
const unsigned char *prelude_doubles(size_t *length);
const unsigned char *prelude_effect(size_t *length);
const unsigned char *prelude_keeper(size_t *length);
const unsigned char *prelude_lines(size_t *length);
const unsigned char *prelude_list(size_t *length);
const unsigned char *prelude_luassert(size_t *length);
const unsigned char *prelude_luassert_texts(size_t *length);
const unsigned char *prelude_match(size_t *length);
const unsigned char *prelude_operators(size_t *length);
const unsigned char *prelude_plain(size_t *length);
const unsigned char *prelude_presentation(size_t *length);
const unsigned char *prelude_scripted(size_t *length);
const unsigned char *prelude_sharing(size_t *length);
const unsigned char *prelude_spies(size_t *length);
const unsigned char *prelude_test(size_t *length);
const unsigned char *prelude_test_view(size_t *length);
const unsigned char *prelude_ui(size_t *length);
const unsigned char *prelude_vocabulary(size_t *length);

#endif
