#include "calls.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>

struct floor_calls {
  lua_State *L; /* the chunk is at index 1 */
};

static int add(lua_State *L) {
  lua_pushinteger(L, luaL_checkinteger(L, 1) + luaL_checkinteger(L, 2));
  return 1;
}

floor_calls *floor_calls_open(const char *source) {
  floor_calls *floor = calloc(1, sizeof *floor);
  lua_State *L = luaL_newstate();
  if (floor == NULL || L == NULL) return NULL;
  floor->L = L;
  luaL_openlibs(L);
  lua_pushcfunction(L, add);
  lua_setglobal(L, "add");
  if (luaL_loadstring(L, source) == LUA_OK) return floor;
  floor_calls_close(floor);
  return NULL;
}

void floor_calls_close(floor_calls *floor) {
  lua_close(floor->L);
  free(floor);
}

int64_t floor_calls_run(floor_calls *floor, int64_t count) {
  lua_State *L = floor->L;
  lua_pushvalue(L, 1);
  lua_pushinteger(L, count);
  int64_t result = lua_pcall(L, 1, 1, 0) == LUA_OK ? lua_tointeger(L, -1) : -1;
  lua_settop(L, 1);
  return result;
}
