#include "floor.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

struct floor_handler {
  lua_State *L;
  int handler, state;
  int64_t by;
  char name[64];
};

static const char *const require = "function require() return { feature = function(f) return f end } end";

floor_handler *floor_open(const char *script, const char *name) {
  floor_handler *floor = calloc(1, sizeof *floor);
  lua_State *L = luaL_newstate();
  if (floor == NULL || L == NULL) return NULL;
  floor->L = L;
  strncpy(floor->name, name, sizeof floor->name - 1);
  luaL_openlibs(L);
  if (luaL_dostring(L, require) != LUA_OK || luaL_loadfile(L, script) != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK) {
    floor_close(floor);
    return NULL;
  }
  lua_getfield(L, -1, "state");
  floor->state = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_getfield(L, -1, "on");
  lua_getfield(L, -1, name);
  floor->handler = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_settop(L, 0);
  return floor;
}

void floor_close(floor_handler *floor) {
  lua_close(floor->L);
  free(floor);
}

static void call(lua_State *L, const floor_handler *floor, bool with_by) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, floor->handler);
  lua_rawgeti(L, LUA_REGISTRYINDEX, floor->state);
  lua_createtable(L, 0, with_by ? 2 : 1);
  lua_pushstring(L, floor->name);
  lua_setfield(L, -2, "type");
  if (with_by) {
    lua_pushinteger(L, floor->by);
    lua_setfield(L, -2, "by");
  }
  lua_call(L, 2, 0);
}

static int send_body(lua_State *L) {
  call(L, lua_touserdata(L, 1), false);
  return 0;
}

static int send_by_body(lua_State *L) {
  call(L, lua_touserdata(L, 1), true);
  return 0;
}

static bool protect(floor_handler *floor, lua_CFunction body) {
  lua_State *L = floor->L;
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, floor);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return true;
  lua_settop(L, 0);
  return false;
}

bool floor_send(floor_handler *floor) { return protect(floor, send_body); }

bool floor_send_by(floor_handler *floor, int64_t by) {
  floor->by = by;
  return protect(floor, send_by_body);
}

int64_t floor_count(floor_handler *floor) {
  lua_State *L = floor->L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, floor->state);
  lua_getfield(L, -1, "count");
  int64_t count = lua_tointeger(L, -1);
  lua_settop(L, 0);
  return count;
}
