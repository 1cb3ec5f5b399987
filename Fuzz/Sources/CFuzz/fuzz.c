#include "fuzz.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's own `main`, which is not used, wants it. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  (void)bytes, (void)length;
  return 0;
}

struct stock_lua {
  lua_State *L;
};

stock_lua *stock_open(const char *name, const char *text) {
  stock_lua *stock = malloc(sizeof *stock);
  lua_State *L = luaL_newstate();
  if (stock == NULL || L == NULL) return NULL;
  luaL_openlibs(L);
  if (luaL_loadbufferx(L, text, strlen(text), name, "t") != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK) return NULL;
  stock->L = L;
  return stock;
}

const char *stock_call(stock_lua *stock, const char *argument) {
  lua_State *L = stock->L;
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  lua_pushstring(L, argument);
  return lua_pcall(L, 1, 1, 0) == LUA_OK ? lua_tostring(L, -1) : NULL;
}
