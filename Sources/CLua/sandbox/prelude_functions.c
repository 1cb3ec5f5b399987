/* The C functions that the prelude builds `scripted` on. */
#include "effects/internal.h"
#include "sandbox/internal.h"
#include "testing/internal.h"
#include "views/internal.h"

/* here(): `script:line` of the innermost script function. */
static int native_here(lua_State *L) {
  lua_Debug frame;
  const char *name = sl_find_script(L, 1, &frame);
  if (name != NULL) {
    lua_pushfstring(L, "%s:%d", name, frame.currentline);
    return 1;
  }
  lua_pushliteral(L, "?");
  return 1;
}

/* lineHere(): the line of the innermost script function; 0 if there is none. */
static int native_line_here(lua_State *L) {
  lua_Debug frame;
  lua_pushinteger(L, sl_find_script(L, 1, &frame) != NULL ? frame.currentline : 0);
  return 1;
}

static int entry_returns(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  return lua_gettop(L);
}

static int call_entry(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, entry_returns);
  return lua_gettop(L);
}

/* entry(f): a C function that calls f. A tail call of it leaves the caller's frame on the stack, so `here` still finds
 * the line of the script. */
static int native_entry(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, call_entry, 1);
  return 1;
}

static int refuse_change(lua_State *L) {
  return luaL_error(L, "an effect is not changed; its methods return another one, as effect.run(f):cancellable(\"x\")");
}

/* setEffectIndex(methods): sets `__index` of all effects, and the message for an assignment. */
static int native_set_effect_index(lua_State *L) {
  const sl_vm *vm = sl_vm_of(L);
  const int metatables[] = {vm->metatables.boxes[SL_BOX_EFFECT], vm->metatables.run};
  lua_settop(L, 1);
  for (size_t i = 0; i < sizeof metatables / sizeof *metatables; i++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, metatables[i]);
    lua_pushvalue(L, 1);
    lua_setfield(L, 2, "__index");
    lua_pushcfunction(L, refuse_change);
    lua_setfield(L, 2, "__newindex");
    lua_settop(L, 1);
  }
  return 0;
}

static int native_body(lua_State *L) {
  static const luaL_Reg natives[] = {
      {"array", sl_native_array},         {"object", sl_native_object}, {"replace", sl_native_replace},
      {"find", sl_native_find},           {"rearrange", sl_native_rearrange}, {"here", native_here},
      {"lineHere", native_line_here},
      {"entry", native_entry},            {"setEffectIndex", native_set_effect_index},
      {"draft", sl_native_draft},         {"keepDescriptions", sl_native_keep_descriptions},
      {"weakKeys", sl_native_weak_keys},    {"countMatches", sl_native_count_matches},
      {"element", sl_native_element},
      {NULL, NULL}};
  luaL_newlib(L, natives);
  sl_push_null(L);
  lua_setfield(L, -2, "null");
  sl_push_cancelled(L);
  lua_setfield(L, -2, "cancelled");
  sl_open_effects(L);
  sl_open_failures(L);
  return 1;
}

int sl_new_natives(sl_vm *vm, int *reference) { return sl_make_reference(vm, native_body, NULL, reference); }
