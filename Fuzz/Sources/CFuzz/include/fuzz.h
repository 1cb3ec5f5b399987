/* libFuzzer's driver, and stock Lua to compare with. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's loop, with arguments as of a command line. */
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*run)(const uint8_t *bytes, size_t length));

typedef struct stock_lua stock_lua;

/* A stock VM with a function that a text returns, which messages call `name` (`@patterns.lua`); null if it does not. */
stock_lua *stock_open(const char *name, const char *text);
/* What the function returns for a string, valid until the next call; null if it raises. */
const char *stock_call(stock_lua *stock, const char *argument);

#endif
