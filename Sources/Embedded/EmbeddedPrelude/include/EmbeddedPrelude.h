#ifndef EMBEDDEDPRELUDE_H
#define EMBEDDEDPRELUDE_H

#include <stddef.h>

// The bytes of a Lua file in Sources/ScriptedStore/Scripting/Prelude, by its name without `.lua`. Sets `*length` to their
// number. The bytes are there as long as the process. NULL for another name.
const unsigned char *prelude_chunk(const char *name, size_t *length);

#endif
