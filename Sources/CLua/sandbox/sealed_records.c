/* Sealed records (`deps` and its clients): scripts can read them and cannot change them. A field that is in the table of
 * fields is found without a call. For another one Lua calls the resolver, which may add it to that table. */
#include "core/internal.h"
#include "sandbox/internal.h"

static int refuse_change(lua_State *L) {
  return luaL_error(L, "%s cannot be changed (field '%s')", lua_tostring(L, lua_upvalueindex(1)),
                    sl_tolstring(L, 2, NULL));
}

struct sealed {
  const char *name;
  void *object;
  int resolver;
};

static int new_sealed_body(lua_State *L) {
  const struct sealed *sealed = lua_touserdata(L, 1);
  lua_newuserdatauv(L, 0, 1);
  sl_push_box(L, sealed->object, SL_BOX_HOST);
  lua_setiuservalue(L, -2, 1);
  lua_createtable(L, 0, 4);
  sl_lock_metatable(L, sealed->name);
  lua_pushstring(L, sealed->name);
  lua_pushcclosure(L, refuse_change, 1);
  lua_setfield(L, -2, "__newindex");
  lua_newtable(L); /* the table of fields */
  lua_createtable(L, 0, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, sealed->resolver);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  return 1;
}

int sl_new_sealed(sl_vm *vm, const char *name, int resolver, void *object, int *reference) {
  struct sealed sealed = {name, object, resolver};
  return sl_make_reference(vm, new_sealed_body, &sealed, reference);
}

struct question {
  int reference;
  void *object;
  bool is_callable;
};

static int ask_body(lua_State *L) {
  struct question *question = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, question->reference);
  question->is_callable = luaL_getmetafield(L, 2, "__call") != LUA_TNIL;
  lua_settop(L, 2);
  int kind;
  if (sl_is_sealed(L, 2)) {
    lua_getiuservalue(L, 2, 1);
    question->object = sl_to_box(L, -1, &kind);
  }
  return 0;
}

bool sl_is_sealed(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || sl_to_box(L, index, &(int){0}) != NULL) return false;
  bool is_sealed = lua_getiuservalue(L, index, 1) == LUA_TUSERDATA;
  lua_pop(L, 1);
  return is_sealed;
}

void *sl_sealed_object(sl_vm *vm, int reference) {
  struct question question = {reference, NULL, false};
  sl_protect(vm, vm->L, ask_body, &question);
  return question.object;
}

bool sl_is_callable(sl_vm *vm, int reference) {
  struct question question = {reference, NULL, false};
  sl_protect(vm, vm->L, ask_body, &question);
  return question.is_callable;
}
