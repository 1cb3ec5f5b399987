/* The base functions and the table library, so that they work for drafts and views as for plain tables.
 *
 * Functions that work through metamethods (pairs, ipairs, pack) remain stock. This file has the functions that stock Lua
 * refuses for a userdata, and those that would move elements one by one although the state tree has a faster way. */
#include <limits.h>

#include "sandbox/internal.h"

/* ---- Base functions ------------------------------------------------------------------------------------------------- */

static int base_type(lua_State *L) {
  int type = lua_type(L, 1);
  if (type == LUA_TUSERDATA && sl_to_ref(L, 1) != NULL) {
    lua_pushliteral(L, "table");
    return 1;
  }
  luaL_argcheck(L, type != LUA_TNONE, 1, "value expected");
  lua_pushstring(L, lua_typename(L, type));
  return 1;
}

static int base_next(lua_State *L) {
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref == NULL) return sl_stock(L);
  lua_settop(L, 2);
  return sl_ref_next(L, ref, -1, 2);
}

static int base_rawget(lua_State *L) {
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref == NULL) return sl_stock(L);
  luaL_checkany(L, 2);
  sl_ref_get(L, ref, 2);
  return 1;
}

static int base_rawset(lua_State *L) {
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref == NULL) return sl_stock(L);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  sl_ref_set(L, ref, 2, 3);
  lua_settop(L, 1);
  return 1;
}

static int base_rawlen(lua_State *L) {
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref == NULL) return sl_stock(L);
  lua_pushinteger(L, sl_ref_length(L, ref));
  return 1;
}

/* Two views of the same table of an action are two userdata. Their `__eq` compares the tables. */
static int base_rawequal(lua_State *L) {
  if (lua_type(L, 1) != LUA_TUSERDATA || sl_to_ref(L, 1) == NULL || sl_to_ref(L, 2) == NULL) return sl_stock(L);
  lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPEQ));
  return 1;
}

static int base_getmetatable(lua_State *L) {
  if (lua_type(L, 1) != LUA_TUSERDATA || sl_to_ref(L, 1) == NULL) return sl_stock(L);
  lua_pushnil(L);
  return 1;
}

/* Refuses `__gc`, because a finalizer would run at any time and outside every limit. Lua looks for `__gc` only in
 * setmetatable, so this check is enough. */
static int base_setmetatable(lua_State *L) {
  if (sl_to_ref(L, 1) != NULL) {
    return luaL_error(L, "state tables cannot have a metatable, but plain tables can: scripted.snapshot(value) is one");
  }
  if (lua_istable(L, 1) && sl_to_ref(L, 2) != NULL) {
    return luaL_error(L, "a state table cannot be a metatable; a plain table can, also with a state table in its __index");
  }
  if (lua_istable(L, 2)) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL) return luaL_error(L, "a metatable with '__gc' is not available to scripts");
    lua_pushliteral(L, "__mode");
    if (sl_vm_of(L)->internals.mode_name == NULL && lua_rawget(L, 2) != LUA_TNIL) { /* it would have no effect */
      return luaL_error(L, "weak tables (a metatable with '__mode') are not available to these scripts: take out entries that are "
                           "not needed any more, or ask the host for Limits.weakTables");
    }
    lua_settop(L, 2);
  }
  return sl_stock(L);
}

const luaL_Reg sl_base_functions[] = {
    {"type", base_type},     {"next", base_next},         {"rawget", base_rawget},
    {"rawset", base_rawset}, {"rawlen", base_rawlen},     {"rawequal", base_rawequal},
    {"getmetatable", base_getmetatable}, {"setmetatable", base_setmetatable}, {NULL, NULL}};

/* ---- Elements on the tape --------------------------------------------------------------------------------------------- */

/* Replaces the contents of the list `ref` by the values 1 … count of the plain table at `elements`. Drafts of elements of
 * the list stay valid and move with them. [-0, +0, e] */
static void rearrange(lua_State *L, const sl_ref *ref, int elements, lua_Integer count) {
  sl_vm *vm = sl_vm_of(L);
  sl_begin_state_tape(&vm->tapes);
  sl_value *head = sl_tape_add(&vm->tapes.to_swift);
  if (head == NULL) luaL_error(L, "not enough memory");
  *head = (sl_value){.tag = SL_TAG_SEQUENCE, .slot = (uint32_t)count};
  for (lua_Integer i = 1; i <= count; i++) {
    sl_key key = {NULL, 0, i};
    lua_rawgeti(L, elements, i);
    sl_append(L, -1, true, ref, &key, NULL);
    lua_pop(L, 1);
  }
  if (vm->hooks->rearrange(vm->context, ref, vm->tapes.to_swift.items) == SL_RAISE) sl_raise(L);
  sl_stop_if_over(vm);
}

/* Pushes a plain table with the elements 1 … count of the list. [-0, +1, e] */
static void push_elements(lua_State *L, const sl_ref *ref, lua_Integer count) {
  luaL_argcheck(L, count < INT_MAX, 1, "array too big");
  lua_createtable(L, (int)count, 1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_pushinteger(L, i);
    sl_ref_get(L, ref, -1);
    lua_rawseti(L, -3, i);
    lua_pop(L, 1);
  }
}

/* ---- table ---------------------------------------------------------------------------------------------------------- */

static int table_insert(lua_State *L) {
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref == NULL) return sl_plain_insert(L);
  sl_vm *vm = sl_vm_of(L);
  lua_Integer end = sl_ref_length(L, ref) + 1, position = end;
  switch (lua_gettop(L)) {
    case 2: break;
    case 3:
      position = luaL_checkinteger(L, 2);
      luaL_argcheck(L, (lua_Unsigned)position - 1u < (lua_Unsigned)end, 2, "position out of bounds");
      break;
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  sl_key key = {NULL, 0, position};
  sl_begin_state_tape(&vm->tapes);
  sl_append(L, -1, true, ref, &key, NULL);
  if (vm->hooks->insert(vm->context, ref, position, vm->tapes.to_swift.items) == SL_RAISE) return sl_raise(L);
  sl_stop_if_over(vm);
  return 0;
}

static int table_remove(lua_State *L) {
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref == NULL) return sl_plain_remove(L);
  sl_vm *vm = sl_vm_of(L);
  lua_Integer size = sl_ref_length(L, ref);
  lua_Integer position = luaL_optinteger(L, 2, size);
  if (position != size && (lua_Unsigned)position - 1u > (lua_Unsigned)size) {
    lua_createtable(L, 1, 0); /* a table for which the stock function refuses the position too, so that it raises its own message */
    lua_pushboolean(L, 1);
    lua_rawseti(L, -2, size > 0 ? 1 : 0);
    lua_replace(L, 1);
    return sl_stock(L);
  }
  if (position < 1 || position > size) { /* an empty list, or the position after the last element: nil, as in stock Lua */
    lua_pushnil(L);
    return 1;
  }
  sl_value removed;
  if (vm->hooks->remove(vm->context, ref, position, &removed) == SL_RAISE) return sl_raise(L);
  sl_push_value(L, &removed);
  sl_stop_if_over(vm);
  return 1;
}

/* Sorts a plain table of the elements and gives the list the same order. The list itself is stored at index 0 of that
 * table, which the stock function neither reads nor writes. */
static int table_sort(lua_State *L) {
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref == NULL) return sl_plain_sort(L);
  lua_Integer count = sl_ref_length(L, ref);
  push_elements(L, ref, count);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 0);
  lua_replace(L, 1);
  sl_plain_sort(L);
  if (count > 1) {
    lua_rawgeti(L, 1, 0);
    rearrange(L, sl_check_ref(L, -1), 1, count);
  }
  return 0;
}

/* Whether one of the elements from … to of the list is a table. [-0, +0, e] */
static bool has_tables(lua_State *L, const sl_ref *ref, lua_Integer from, lua_Integer to) {
  bool found = false;
  for (lua_Integer i = from; i <= to && !found; i++) {
    lua_pushinteger(L, i);
    sl_ref_get(L, ref, -1);
    found = lua_type(L, -1) == LUA_TUSERDATA;
    lua_pop(L, 2);
  }
  return found;
}

/* table.move inside one list of tables. A draft of a moved element moves with it, so the element that remains at the old
 * position is a copy. All other cases are assignments, as in stock Lua. */
static int table_move(lua_State *L) {
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref == NULL || !(lua_isnoneornil(L, 5) || lua_rawequal(L, 1, 5))) return sl_plain_move(L);
  lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), to = luaL_checkinteger(L, 4);
  lua_Integer count = sl_ref_length(L, ref);
  if (first < 1 || last > count || first > last || to < 1 || to > count + 1 || to == first) return sl_plain_move(L);
  if (!has_tables(L, ref, first, last)) return sl_plain_move(L);
  lua_Integer to_last = to + (last - first);
  lua_settop(L, 4);
  push_elements(L, ref, count);                                            /* at 5: the elements before */
  lua_createtable(L, (int)(to_last > count ? to_last : count), 0);         /* at 6: the elements after */
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 5, i);
    lua_rawseti(L, 6, i);
  }
  for (lua_Integer i = first; i <= last; i++) {
    lua_pushboolean(L, 0); /* a placeholder until the copy is assigned */
    lua_rawseti(L, 6, i);
  }
  for (lua_Integer i = first; i <= last; i++) {
    lua_rawgeti(L, 5, i);
    lua_rawseti(L, 6, to + (i - first));
  }
  rearrange(L, ref, 6, to_last > count ? to_last : count);
  for (lua_Integer i = first; i <= last; i++) {
    if (i >= to && i <= to_last) continue;
    lua_pushinteger(L, i);
    lua_rawgeti(L, 5, i);
    sl_ref_set(L, ref, lua_gettop(L) - 1, lua_gettop(L));
    lua_pop(L, 2);
  }
  lua_settop(L, 1);
  return 1;
}

const luaL_Reg sl_table_functions[] = {{"concat", sl_list_concat},
                                       {"insert", table_insert},
                                       {"move", table_move},
                                       {"remove", table_remove},
                                       {"sort", table_sort},
                                       {"unpack", sl_plain_unpack},
                                       {NULL, NULL}};

/* ---- For scripted.list -------------------------------------------------------------------------------------------------- */

int sl_native_find(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  lua_settop(L, 3);
  const sl_ref *ref = sl_live_ref(L, 1);
  int64_t position = 0;
  if (ref != NULL) {
    sl_key id_key;
    if (!sl_to_key(L, 3, &id_key)) return luaL_argerror(L, 3, "the id key must be a string");
    sl_begin_state_tape(&vm->tapes);
    sl_append(L, 2, true, NULL, NULL, "id");
    if (vm->hooks->find(vm->context, ref, &id_key, vm->tapes.to_swift.items, &position) == SL_RAISE) return sl_raise(L);
  } else {
    lua_Integer count = luaL_len(L, 1);
    for (lua_Integer i = 1; i <= count && position == 0; i++) {
      sl_poll(L, vm);
      if (lua_geti(L, 1, i) == LUA_TTABLE || sl_to_ref(L, -1) != NULL) {
        lua_pushvalue(L, 3);
        lua_gettable(L, -2);
        if (lua_compare(L, -1, 2, LUA_OPEQ)) position = i;
        lua_pop(L, 1);
      }
      lua_pop(L, 1);
    }
  }
  if (position == 0) return 0;
  lua_pushinteger(L, position);
  return 1;
}

int sl_native_rearrange(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  const sl_vm *vm = sl_vm_of(L);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
  const sl_ref *ref = sl_live_ref(L, 1);
  if (ref != NULL) {
    rearrange(L, ref, 2, count);
    return 0;
  }
  lua_Integer old = luaL_len(L, 1);
  for (lua_Integer i = 1; i <= count; i++) {
    sl_poll(L, vm);
    lua_rawgeti(L, 2, i);
    lua_seti(L, 1, i);
  }
  for (lua_Integer i = old; i > count; i--) { /* with `__len`, `old` may be any number */
    sl_poll(L, vm);
    lua_pushnil(L);
    lua_seti(L, 1, i);
  }
  return 0;
}
