/* The message about a value that cannot be stored in state. */
#include "core/internal.h"
#include "values/internal.h"

static void add_key(luaL_Buffer *buffer, const sl_key *key) {
  if (key->bytes == NULL) {
    lua_pushfstring(buffer->L, "[%I]", (LUAI_UACINT)key->integer);
    luaL_addvalue(buffer);
    return;
  }
  bool name = key->length > 0 && key->length <= 60;
  for (size_t i = 0; name && i < key->length; i++) {
    unsigned char c = (unsigned char)key->bytes[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    name = letter || (i > 0 && c >= '0' && c <= '9');
  }
  luaL_addstring(buffer, name ? "." : "[\"");
  luaL_addlstring(buffer, key->bytes, key->length < 60 ? key->length : 60);
  if (!name) luaL_addstring(buffer, key->length <= 60 ? "\"]" : "…\"]");
}

static void add_path(luaL_Buffer *buffer, const sl_path_step *at) {
  if (at == NULL) return;
  add_path(buffer, at->up);
  add_key(buffer, &at->key);
}

const char *sl_push_key_reason(lua_State *L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNUMBER: lua_pushfstring(L, "a fractional number (%f)", lua_tonumber(L, index)); break;
    case LUA_TBOOLEAN: lua_pushfstring(L, "a boolean (%s)", lua_toboolean(L, index) ? "true" : "false"); break;
    default: lua_pushfstring(L, "a %s", sl_is_null(L, index) ? "null" : luaL_typename(L, index));
  }
  return lua_pushfstring(L, "%s cannot be a key in state, where keys are strings, or the indices of an array", lua_tostring(L, -1));
}

void sl_reject(const sl_reading *in, const sl_path_step *at, const char *reason) {
  lua_State *L = in->L;
  luaL_Buffer buffer;
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  luaL_buffinit(L, &buffer);
  if (in->ref != NULL) {
    in->vm->hooks->describe(in->vm->context, in->ref, in->key);
    luaL_addlstring(&buffer, in->vm->error.message.bytes, in->vm->error.message.count);
  } else {
    luaL_addstring(&buffer, in->root != NULL ? in->root : "value");
  }
  add_path(&buffer, at);
  luaL_addstring(&buffer, ": ");
  luaL_addstring(&buffer, reason);
  luaL_pushresult(&buffer);
  sl_add_position(L);
  lua_error(L);
  __builtin_unreachable();
}
