#ifndef EMBEDDEDDOCUMENTS_H
#define EMBEDDEDDOCUMENTS_H

// The bytes of a page that `runner docs` shows, by its topic, or of the definitions that `runner new` writes for the Lua language
// server, by the name of their file. A 0 is behind them, and they are there as long as the process. NULL for another name.
const unsigned char *documentation_file(const char *name);

#endif
