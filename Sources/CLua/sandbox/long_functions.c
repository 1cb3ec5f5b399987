/* Replacements for library functions that can run long without a Lua instruction at which they could be stopped. Short
 * cases, and cases that call script functions anyway, are left to the stock function. */
#include <limits.h>
#include <string.h>

#include "sandbox/internal.h"

/* The number of elements up to which the stock function runs. */
enum { MANY = 4096 };

/* The same for comparing numbers; and the bytes of strings up to which it may compare them. */
enum { MANY_NUMBERS = 32768, MANY_BYTES = 65536 };

/* Whether it is a table without a metatable, so that its length and elements can be read without calling script
 * functions. [-0, +0, -] */
static bool is_bare(lua_State *L, int index) {
  if (!lua_istable(L, index)) return false;
  if (!lua_getmetatable(L, index)) return true;
  lua_pop(L, 1);
  return false;
}

/* Whether stock functions accept the value as an integer: also 1.0 and "1". [-0, +0, -] */
static bool is_integral(lua_State *L, int index) {
  int is_one;
  lua_tointegerx(L, index, &is_one);
  return is_one;
}

/* ---- table ---------------------------------------------------------------------------------------------------------- */

int sl_plain_insert(lua_State *L) {
  const sl_vm *vm = sl_vm_of(L);
  if (lua_gettop(L) != 3 || !lua_istable(L, 1) || !is_integral(L, 2)) return sl_stock(L);
  lua_Integer position = lua_tointeger(L, 2);
  if (is_bare(L, 1) && (position < 1 || (lua_Integer)lua_rawlen(L, 1) - position < MANY)) return sl_stock(L);
  lua_Integer end = (lua_Integer)((lua_Unsigned)luaL_len(L, 1) + 1u);
  luaL_argcheck(L, (lua_Unsigned)position - 1u < (lua_Unsigned)end, 2, "position out of bounds");
  for (lua_Integer i = end; i > position; i--) {
    sl_poll(L, vm);
    lua_geti(L, 1, i - 1);
    lua_seti(L, 1, i);
  }
  lua_seti(L, 1, position);
  return 0;
}

int sl_plain_remove(lua_State *L) {
  const sl_vm *vm = sl_vm_of(L);
  if (lua_gettop(L) < 2 || !lua_istable(L, 1) || !is_integral(L, 2)) return sl_stock(L);
  lua_Integer position = lua_tointeger(L, 2);
  if (is_bare(L, 1) && (position < 1 || (lua_Integer)lua_rawlen(L, 1) - position < MANY)) return sl_stock(L);
  lua_Integer count = luaL_len(L, 1);
  if (position != count) {
    luaL_argcheck(L, (lua_Unsigned)position - 1u <= (lua_Unsigned)count, 2, "position out of bounds");
  }
  lua_geti(L, 1, position);
  for (; position < count; position++) {
    sl_poll(L, vm);
    lua_geti(L, 1, position + 1);
    lua_seti(L, 1, position);
  }
  lua_pushnil(L);
  lua_seti(L, 1, position);
  return 1;
}

/* Also moves elements of drafts, and of anything else that can be indexed. */
int sl_plain_move(lua_State *L) {
  const sl_vm *vm = sl_vm_of(L);
  int target = lua_isnoneornil(L, 5) ? 1 : 5;
  if (!is_integral(L, 2) || !is_integral(L, 3) || !is_integral(L, 4)) return sl_stock(L);
  lua_Integer first = lua_tointeger(L, 2), last = lua_tointeger(L, 3), to = lua_tointeger(L, 4);
  bool is_short = last < first || (lua_Unsigned)last - (lua_Unsigned)first < MANY;
  if (is_short && is_bare(L, 1) && is_bare(L, target)) return sl_stock(L);
  lua_settop(L, 5);
  /* The stock function, asked to move nothing, checks whether both arguments can be indexed. */
  lua_pushinteger(L, 1);
  lua_replace(L, 2);
  lua_pushinteger(L, 0);
  lua_replace(L, 3);
  lua_pop(L, sl_stock(L));
  if (last < first) {
    lua_pushvalue(L, target);
    return 1;
  }
  luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
  lua_Integer count = last - first + 1;
  luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
  bool is_forward = to > last || to <= first || (target != 1 && !lua_compare(L, 1, target, LUA_OPEQ));
  for (lua_Integer i = 0; i < count; i++) {
    lua_Integer offset = is_forward ? i : count - 1 - i;
    sl_poll(L, vm);
    lua_geti(L, 1, first + offset);
    lua_seti(L, target, to + offset);
  }
  lua_pushvalue(L, target);
  return 1;
}

/* With `__index`, one missing element can be looked up in up to 2000 other tables. */
int sl_plain_unpack(lua_State *L) {
  const sl_vm *vm = sl_vm_of(L);
  if (!lua_istable(L, 1) || is_bare(L, 1)) return sl_stock(L);
  lua_Integer first = luaL_optinteger(L, 2, 1);
  lua_Integer last = lua_isnoneornil(L, 3) ? luaL_len(L, 1) : luaL_checkinteger(L, 3);
  if (first > last) return 0;
  lua_Unsigned more = (lua_Unsigned)last - (lua_Unsigned)first;
  if (more >= (lua_Unsigned)INT_MAX || !lua_checkstack(L, (int)more + 1)) {
    return luaL_error(L, "too many results to unpack");
  }
  for (lua_Unsigned i = 0; i <= more; i++) {
    sl_poll(L, vm);
    lua_geti(L, 1, first + (lua_Integer)i);
  }
  return (int)more + 1;
}

void sl_check_length(lua_State *L, size_t length) {
  const sl_vm *vm = sl_vm_of(L);
  if (vm->limits.string > 0 && length > vm->limits.string) sl_stop_at_size(L, SL_STOP_STRING, length);
}

int sl_list_concat(lua_State *L) {
  const sl_vm *vm = sl_vm_of(L);
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref == NULL && !lua_istable(L, 1)) return sl_stock(L);
  size_t length;
  const char *separator = luaL_optlstring(L, 2, "", &length);
  lua_Integer first = luaL_optinteger(L, 3, 1);
  lua_Integer last = lua_isnoneornil(L, 4) ? luaL_len(L, 1) : luaL_checkinteger(L, 4);
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  for (lua_Integer i = first; i <= last; i++) {
    sl_poll(L, vm);
    lua_geti(L, 1, i);
    if (!lua_isstring(L, -1)) {
      bool is_ref = ref != NULL && lua_type(L, -1) == LUA_TUSERDATA;
      const char *type = is_ref ? "table" : luaL_typename(L, -1);
      return luaL_error(L, "invalid value (%s) at index %I in table for 'concat'", type, (LUAI_UACINT)i);
    }
    luaL_addvalue(&text);
    sl_check_length(L, luaL_bufflen(&text));
    if (i == last) break; /* `last` may be the largest integer */
    luaL_addlstring(&text, separator, length);
  }
  luaL_pushresult(&text);
  return 1;
}

/* The comparison that table.sort uses by default. As a function that is called, it can be stopped by the hook. */
static int is_less(lua_State *L) {
  lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
  return 1;
}

/* Whether comparing the elements takes long: they are many, or strings with many bytes in all. [-0, +0, -] */
static bool is_slow(lua_State *L, lua_Integer count) {
  if (count > MANY_NUMBERS || !is_bare(L, 1)) return true;
  size_t bytes = 0;
  for (lua_Integer i = 1; i <= count && bytes <= MANY_BYTES; i++) {
    if (lua_rawgeti(L, 1, i) == LUA_TSTRING) bytes += lua_rawlen(L, -1);
    lua_pop(L, 1);
  }
  return bytes > MANY_BYTES;
}

int sl_plain_sort(lua_State *L) {
  if (!lua_istable(L, 1) || !lua_isnoneornil(L, 2)) return sl_stock(L);
  lua_settop(L, 1);
  if (is_slow(L, (lua_Integer)lua_rawlen(L, 1))) lua_pushcfunction(L, is_less);
  return sl_stock(L);
}

/* ---- string ------------------------------------------------------------------------------------------------------------ */

int sl_string_rep(lua_State *L) {
  size_t length, between;
  luaL_checklstring(L, 1, &length);
  lua_Integer count = luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &between);
  if (count > 1 && length + between == 0) { /* the stock function would run `count` rounds that copy nothing */
    lua_pushliteral(L, "");
    return 1;
  }
  if (count > 1 && (size_t)count <= (size_t)LUA_MAXINTEGER / (length + between)) {
    sl_check_length(L, (size_t)count * (length + between) - between);
  }
  return sl_stock(L);
}
