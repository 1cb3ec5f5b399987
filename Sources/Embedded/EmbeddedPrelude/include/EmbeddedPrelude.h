#ifndef EMBEDDEDPRELUDE_H
#define EMBEDDEDPRELUDE_H

// The bytes of a Lua file in Sources/ScriptedStore/Scripting/Prelude, by its name without `.lua`, with a 0 behind them. They are
// there as long as the process. NULL for another name.
const unsigned char *prelude_chunk(const char *name);

#endif
