/* From Swift to Lua: `sl_push` pushes every value of a tape. */
#include "core/internal.h"
#include "limits/internal.h"
#include "values/internal.h"

static void push_ref(lua_State *L, sl_vm *vm, const sl_value *value) {
  sl_ref *ref = lua_newuserdatauv(L, sizeof *ref, 0);
  ref->generation = value->length;
  ref->bits = value->as.bits;
  ref->slot = value->slot;
  ref->kind = value->tag;
  ref->tag = value->tag == SL_TAG_VIEW ? value->flag : 0;
  ref->owner = vm->drafts.valid.owner;
  lua_rawgeti(L, LUA_REGISTRYINDEX, vm->drafts.metatable);
  lua_setmetatable(L, -2);
}

/* During a handler call, one draft has one userdata, so that `==` and table keys work. */
static void push_draft(lua_State *L, sl_vm *vm, const sl_value *value) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, vm->drafts.cache);
  if (lua_rawgeti(L, -1, (lua_Integer)value->slot + 1) == LUA_TUSERDATA) {
    sl_ref *ref = lua_touserdata(L, -1);
    if (ref->generation == value->length) {
      lua_replace(L, -2);
      return;
    }
  }
  lua_pop(L, 1);
  push_ref(L, vm, value);
  lua_pushinteger(L, (lua_Integer)value->slot + 1);
  lua_pushvalue(L, -2);
  sl_set_own(L, vm, -4);
  lua_replace(L, -2);
}

void sl_push_value(lua_State *L, const sl_value *value) {
  sl_vm *vm = sl_vm_of(L);
  switch (value->tag) {
    case SL_TAG_NULL: sl_push_null(L); break;
    case SL_TAG_CANCELLED: sl_push_cancelled(L); break;
    case SL_TAG_BOOLEAN: lua_pushboolean(L, value->as.integer != 0); break;
    case SL_TAG_INTEGER: lua_pushinteger(L, value->as.integer); break;
    case SL_TAG_FLOAT: lua_pushnumber(L, value->as.number); break;
    case SL_TAG_STRING: {
      const char *bytes = value->flag == SL_FLAG_IN_TEXT ? vm->tapes.text.bytes + value->as.integer : value->as.bytes;
      lua_pushlstring(L, value->length == 0 ? "" : bytes, value->length);
      break;
    }
    case SL_TAG_DRAFT:
      if (value->flag == SL_FLAG_SOLE) {
        push_ref(L, vm, value);
      } else {
        push_draft(L, vm, value);
      }
      break;
    case SL_TAG_VIEW: push_ref(L, vm, value); break;
    case SL_TAG_BOX:
      if (value->slot < SL_BOX_KINDS) {
        sl_push_box(L, value->as.object, (int)value->slot);
      } else {
        sl_push_object(L, value->as.object, (int)value->length);
      }
      break;
    case SL_TAG_FUNCTION:
    case SL_TAG_TABLE:
    case SL_TAG_OTHER: lua_rawgeti(L, LUA_REGISTRYINDEX, (int)value->slot); break;
    default: lua_pushnil(L); break;
  }
}

/* Pushes a table for `count` string keys. The limit on keys does not apply, because the host chooses them, not a script.
 * [-0, +1, m] */
static void create_record(lua_State *L, sl_vm *vm, int count) {
  size_t widest = sl_expect_hash_part(&vm->memory.hash_parts);
  lua_createtable(L, 0, count);
  sl_end_hash_part(&vm->memory.hash_parts, widest);
}

void sl_push(lua_State *L, const sl_value *tape, size_t *at) {
  const sl_value *value = &tape[(*at)++];
  sl_vm *vm = sl_vm_of(L);
  switch (value->tag) {
    case SL_TAG_SEQUENCE:
      luaL_checkstack(L, 8, "value is nested too deeply");
      lua_createtable(L, (int)value->slot, 0);
      for (uint32_t i = 1; i <= value->slot; i++) {
        sl_push(L, tape, at);
        lua_rawseti(L, -2, i);
      }
      break;
    case SL_TAG_RECORD:
      luaL_checkstack(L, 8, "value is nested too deeply");
      create_record(L, vm, (int)value->slot);
      for (uint32_t i = 0; i < value->slot; i++) {
        sl_push(L, tape, at);
        sl_push(L, tape, at);
        lua_rawset(L, -3);
      }
      break;
    case SL_TAG_EMPTY:
      lua_createtable(L, 0, 0);
      if (value->as.bits != SL_EMPTY_TABLE && value->as.bits < SL_EMPTY_KINDS) {
        lua_rawgeti(L, LUA_REGISTRYINDEX, vm->metatables.marks[value->as.bits]);
        lua_setmetatable(L, -2);
      }
      break;
    default: sl_push_value(L, value); break;
  }
}
