/* Drafts and views: the userdata through which Lua reads and writes the state, and reads actions.
 *
 * A metamethod reads its arguments, calls a hook that fills a small struct, and pushes the value in it.
 *
 * Invariants:
 * 1. A reference is alive while its generation is the current one of its kind. Every access checks that.
 * 2. Within one handler call, one draft has one userdata, so that `==` and table keys work (push.c). */
#include <string.h>

#include "drafts/internal.h"

#include "core/internal.h"
#include "limits/internal.h"
#include "values/internal.h"

sl_ref *sl_to_ref(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  const void *metatable = lua_topointer(L, -1);
  lua_pop(L, 1);
  return metatable == sl_vm_of(L)->drafts.identity ? lua_touserdata(L, index) : NULL;
}

static inline void check_alive(lua_State *L, sl_vm *vm, const sl_ref *ref) {
  if (ref->generation == (ref->kind == SL_TAG_DRAFT ? vm->drafts.valid.generation : vm->drafts.valid.view_generation)) return;
  vm->hooks->describe_dead(vm->context, ref);
  sl_raise(L);
}

sl_ref *sl_check_ref(lua_State *L, int index) {
  sl_ref *ref = sl_to_ref(L, index);
  if (ref == NULL) luaL_typeerror(L, index, "state table");
  check_alive(L, sl_vm_of(L), ref);
  return ref;
}

bool sl_to_key(lua_State *L, int index, sl_key *key) {
  switch (lua_type(L, index)) {
    case LUA_TSTRING: key->bytes = lua_tolstring(L, index, &key->length); return true;
    case LUA_TNUMBER: {
      int exact;
      key->bytes = NULL;
      key->length = 0;
      key->integer = lua_tointegerx(L, index, &exact);
      return exact;
    }
    default: return false;
  }
}

void sl_ref_get(lua_State *L, const sl_ref *ref, int key_index) {
  sl_vm *vm = sl_vm_of(L);
  sl_key key;
  sl_value value;
  if (!sl_to_key(L, key_index, &key)) {
    lua_pushnil(L);
    return;
  }
  vm->hooks->get(vm->context, ref, &key, &value);
  sl_push_value(L, &value);
}

static int ref_index(lua_State *L) {
  const sl_ref *ref = lua_touserdata(L, 1);
  check_alive(L, sl_vm_of(L), ref);
  sl_ref_get(L, ref, 2);
  return 1;
}

/* Scalars are passed without a tape. */
static inline bool to_scalar(lua_State *L, int index, sl_value *value) {
  switch (lua_type(L, index)) {
    case LUA_TNIL: value->tag = SL_TAG_ABSENT; return true;
    case LUA_TBOOLEAN:
      value->tag = SL_TAG_BOOLEAN;
      value->as.integer = lua_toboolean(L, index);
      return true;
    case LUA_TNUMBER:
      if (!lua_isinteger(L, index)) return false;
      value->tag = SL_TAG_INTEGER;
      value->as.integer = lua_tointeger(L, index);
      return true;
    default: return false;
  }
}

void sl_ref_set(lua_State *L, const sl_ref *ref, int key_index, int value_index) {
  sl_vm *vm = sl_vm_of(L);
  sl_key key;
  if (!sl_to_key(L, key_index, &key)) {
    bool is_nan = lua_type(L, key_index) == LUA_TNUMBER && lua_tonumber(L, key_index) != lua_tonumber(L, key_index);
    bool is_nil = lua_isnil(L, key_index);
    if (ref->kind == SL_TAG_DRAFT && !is_nil && !is_nan && lua_isnil(L, value_index)) return; /* there is nothing to remove */
    if (is_nil || is_nan) {
      lua_pushfstring(L, "table index is %s", is_nil ? "nil" : "NaN");
    } else {
      vm->hooks->describe(vm->context, ref, NULL);
      lua_pushfstring(L, "%s: %s", vm->error.message.bytes, sl_push_key_reason(L, key_index));
    }
    sl_add_position(L);
    lua_error(L);
  }
  sl_value scalar;
  const sl_value *tape = &scalar;
  if (!to_scalar(L, value_index, &scalar)) {
    sl_begin_state_tape(&vm->tapes);
    sl_append(L, value_index, true, ref, &key, NULL);
    tape = vm->tapes.to_swift.items;
  }
  if (vm->hooks->set(vm->context, ref, &key, tape) == SL_RAISE) sl_raise(L);
  sl_stop_if_over(vm);
}

static int ref_newindex(lua_State *L) {
  const sl_ref *ref = lua_touserdata(L, 1);
  check_alive(L, sl_vm_of(L), ref);
  sl_ref_set(L, ref, 2, 3);
  return 0;
}

lua_Integer sl_ref_length(lua_State *L, const sl_ref *ref) {
  sl_vm *vm = sl_vm_of(L);
  return vm->hooks->length(vm->context, ref);
}

static int ref_len(lua_State *L) {
  lua_pushinteger(L, sl_ref_length(L, sl_check_ref(L, 1)));
  return 1;
}

static int ref_eq(lua_State *L) {
  const sl_ref *a = sl_to_ref(L, 1), *b = sl_to_ref(L, 2);
  bool are_views = a != NULL && b != NULL && a->kind == SL_TAG_VIEW && b->kind == SL_TAG_VIEW;
  if (are_views) {
    sl_vm *vm = sl_vm_of(L);
    if (a->slot != 0) vm->hooks->compare(vm->context, a);
    if (b->slot != 0) vm->hooks->compare(vm->context, b);
  }
  bool same = a != NULL && b != NULL && a->kind == b->kind && a->generation == b->generation && (are_views || a->slot == b->slot) &&
              a->bits == b->bits && a->tag == b->tag && !(are_views && a->tag == SL_TAG_EMPTY);
  lua_pushboolean(L, same);
  return 1;
}

int sl_ref_next(lua_State *L, const sl_ref *ref, int64_t cursor, int key_index) {
  sl_vm *vm = sl_vm_of(L);
  sl_key key;
  sl_value next_key, value;
  bool is_first = lua_isnoneornil(L, key_index), is_wrong = !is_first && !sl_to_key(L, key_index, &key);
  if (is_wrong || vm->hooks->next(vm->context, ref, cursor, is_first ? NULL : &key, &next_key, &value) == SL_RAISE) {
    lua_pushliteral(L, "invalid key to 'next'"); /* without a position, like the error of Lua's `next` */
    return lua_error(L);
  }
  sl_push_value(L, &next_key);
  if (next_key.tag == SL_TAG_ABSENT) return 1;
  sl_push_value(L, &value);
  return 2;
}

static int pairs_step(lua_State *L) {
  lua_Integer cursor = lua_tointeger(L, lua_upvalueindex(1));
  int results = sl_ref_next(L, sl_check_ref(L, 1), cursor, 2);
  if (results > 1 || cursor < 0) return results;
  sl_vm *vm = sl_vm_of(L);
  vm->hooks->close_cursor(vm->context, cursor);
  lua_pushinteger(L, -1); /* a call after the end goes on in the current order */
  lua_replace(L, lua_upvalueindex(1));
  return results;
}

int sl_ref_pairs(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  const sl_ref *ref = sl_check_ref(L, 1);
  lua_pushinteger(L, vm->hooks->open_cursor(vm->context, ref));
  lua_pushcclosure(L, pairs_step, 1);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

int sl_native_replace(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  if (sl_to_ref(L, 1) == NULL) {
    lua_pushfstring(L, "bad argument #1 to 'replace' (a table of the state expected, got %s; "
                       "write scripted.replace(state, value), or assign the value where it belongs)",
                    lua_istable(L, 1) ? "a plain table" : luaL_typename(L, 1));
    sl_add_position(L);
    return lua_error(L);
  }
  const sl_ref *ref = sl_check_ref(L, 1);
  luaL_checkany(L, 2);
  sl_begin_state_tape(&vm->tapes);
  sl_append(L, 2, true, ref, NULL, NULL);
  if (vm->hooks->replace(vm->context, ref, vm->tapes.to_swift.items) == SL_RAISE) return sl_raise(L);
  sl_stop_if_over(vm);
  return 0;
}

int sl_native_draft(lua_State *L) {
  const sl_ref *ref = sl_to_ref(L, 1);
  if (ref == NULL || ref->kind != SL_TAG_DRAFT) {
    lua_pushfstring(L, "bad argument #1 to 'run' (a table of the state that the handler got expected, got %s)",
                    ref != NULL ? "an action or another table outside the state" : luaL_typename(L, 1));
    sl_add_position(L);
    return lua_error(L);
  }
  check_alive(L, sl_vm_of(L), ref);
  lua_pushinteger(L, ref->slot);
  return 1;
}

void sl_open_drafts(lua_State *L) {
  static const luaL_Reg methods[] = {{"__index", ref_index}, {"__newindex", ref_newindex}, {"__len", ref_len},
                                     {"__eq", ref_eq},       {"__pairs", sl_ref_pairs},    {NULL, NULL}};
  sl_vm *vm = sl_vm_of(L);
  luaL_newlib(L, methods);
  sl_lock_metatable(L, "table"); /* Lua's own messages then call it a table */
  vm->drafts.identity = lua_topointer(L, -1);
  vm->drafts.metatable = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_newtable(L);
  vm->drafts.cache = luaL_ref(L, LUA_REGISTRYINDEX);
}

void sl_clear_draft_cache(sl_vm *vm) {
  int cache = LUA_NOREF;
  if (sl_new_table(vm, &cache) != LUA_OK) return; /* out of memory: the next large action tries again */
  luaL_unref(vm->L, LUA_REGISTRYINDEX, sl_exchange_draft_cache(&vm->drafts, cache));
}
