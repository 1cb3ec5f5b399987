/* From Lua to Swift: `sl_append` writes every value onto the tape, and checks the values that become state. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/internal.h"
#include "drafts/internal.h"
#include "effects/internal.h"
#include "limits/internal.h"
#include "sandbox/internal.h"
#include "values/internal.h"

/* The tape is not counted as Lua's memory, and a table in Lua can be small although its value is large: it may contain
 * one table a thousand times. */
static void check_room(lua_State *L, const sl_vm *vm) {
  size_t needed = vm->tapes.to_swift.capacity * 2 * sizeof(sl_value);
  if (sl_fits(vm, needed)) return;
  sl_stop_at_size(L, vm->limits.growth > 0 ? SL_STOP_GROWTH : SL_STOP_MEMORY, needed);
}

sl_value *sl_append_tag(lua_State *L, sl_vm *vm, int tag) {
  sl_poll(L, vm);
  if (vm->tapes.to_swift.count == vm->tapes.to_swift.capacity) check_room(L, vm);
  sl_value *value = sl_tape_add(&vm->tapes.to_swift);
  if (value == NULL) luaL_error(L, "not enough memory");
  memset(value, 0, sizeof *value);
  value->tag = (uint8_t)tag;
  return value;
}

static void append_string(const sl_reading *in, int index, const sl_path_step *at, bool validate) {
  size_t length;
  const char *bytes = lua_tolstring(in->L, index, &length);
  if (validate && !sl_is_utf8(bytes, length)) sl_reject(in, at, "a string that is not UTF-8 cannot be stored in state");
  if (length > UINT32_MAX) sl_reject(in, at, "a string of more than 4 GB cannot be stored in state");
  sl_value *value = sl_append_tag(in->L, in->vm, SL_TAG_STRING);
  value->as.bytes = bytes;
  value->length = length;
}

static void append_state(const sl_reading *in, int index, const sl_path_step *at);

/* Rejects the key on top of the stack, which cannot stand beside the others of its table. */
_Noreturn static void reject_key(const sl_reading *in, const sl_path_step *at) {
  luaL_checkstack(in->L, 4, NULL);
  if (lua_type(in->L, -1) == LUA_TSTRING || lua_isinteger(in->L, -1)) {
    sl_reject(in, at, "a table with both string and integer keys cannot be stored in state; use tostring(id)");
  }
  sl_reject(in, at, sl_push_key_reason(in->L, -1));
}

/* Checks the key on top of the stack. */
static sl_key string_key(const sl_reading *in, const sl_path_step *at) {
  if (lua_type(in->L, -1) != LUA_TSTRING) reject_key(in, at);
  sl_key key = {.bytes = NULL};
  key.bytes = lua_tolstring(in->L, -1, &key.length);
  if (!sl_is_utf8(key.bytes, key.length)) sl_reject(in, at, SL_REASON_KEY_NOT_UTF8);
  return key;
}

static void append_record(const sl_reading *in, int index, sl_path_step *here) {
  lua_State *L = in->L;
  size_t head = in->vm->tapes.to_swift.count;
  sl_append_tag(L, in->vm, SL_TAG_RECORD);
  uint32_t count = 0;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pushvalue(L, -2);
    here->key = string_key(in, here->up);
    sl_value *key = sl_append_tag(L, in->vm, SL_TAG_STRING);
    key->as.bytes = here->key.bytes; /* borrowed (+0) from the table */
    key->length = here->key.length;
    lua_pop(L, 1);
    append_state(in, lua_gettop(L), here);
    lua_pop(L, 1);
    count++;
  }
  in->vm->tapes.to_swift.items[head].slot = count;
}

/* Reads the rest of a table with integer keys that `next` does not return in the order 1 … n. The elements up to `done`
 * are on the tape already; `head` is the index of its SL_TAG_SEQUENCE. */
static void append_scattered(const sl_reading *in, int index, sl_path_step *here, size_t head, lua_Integer done) {
  lua_State *L = in->L;
  lua_Integer count = 0, largest = 0;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    sl_poll(L, in->vm);
    lua_pop(L, 1);
    if (!lua_isinteger(L, -1)) reject_key(in, here->up);
    lua_Integer key = lua_tointeger(L, -1);
    if (key < 1) sl_reject(in, here->up, "an array with a key below 1 cannot be stored in state; use tostring(id) for ids");
    if (key > largest) largest = key;
    count++;
  }
  if (largest != count) {
    lua_Integer missing = done + 1;
    for (; lua_rawgeti(L, index, missing) != LUA_TNIL; missing++) {
      sl_poll(L, in->vm);
      lua_pop(L, 1);
    }
    const char *reason = lua_pushfstring(L, "a sparse array (index %I is nil, the largest index is %I) cannot be stored in "
                                            "state; leave no nil in a list, and use tostring(id) for ids",
                                         (LUAI_UACINT)missing, (LUAI_UACINT)largest);
    sl_reject(in, here->up, reason);
  }
  in->vm->tapes.to_swift.items[head].slot = (uint32_t)count;
  for (lua_Integer i = done + 1; i <= count; i++) {
    here->key = (sl_key){.integer = i};
    lua_rawgeti(L, index, i);
    append_state(in, lua_gettop(L), here);
    lua_pop(L, 1);
  }
}

/* `next` returns the elements of an array in the order 1, 2, 3 …, unless it was filled backwards. In that case all keys
 * are checked before the rest is read. No element is read twice: in nested arrays that would double the time at each
 * level. */
static void append_sequence(const sl_reading *in, int index, sl_path_step *here) {
  lua_State *L = in->L;
  size_t head = in->vm->tapes.to_swift.count;
  sl_append_tag(L, in->vm, SL_TAG_SEQUENCE);
  lua_Integer count = 0;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (!lua_isinteger(L, -2) || lua_tointeger(L, -2) != count + 1) {
      lua_pop(L, 2);
      append_scattered(in, index, here, head, count);
      return;
    }
    count++;
    here->key = (sl_key){.integer = count};
    append_state(in, lua_gettop(L), here);
    lua_pop(L, 1);
  }
  if (count > INT32_MAX) sl_reject(in, here->up, "an array of more than 2^31 elements cannot be stored in state");
  in->vm->tapes.to_swift.items[head].slot = (uint32_t)count;
}

/* Rejects a key of a shared value, and names the field that it is to be declared under. */
static void reject_shared(const sl_reading *in, const sl_path_step *at) {
  const sl_key *key = at != NULL ? &at->key : in->key;
  bool has_name = key != NULL && key->bytes != NULL && key->length <= 40;
  char reason[160];
  snprintf(reason, sizeof reason, "a shared value cannot be stored in state; it is declared beside `state`, in shared = { %.*s = … }",
           has_name ? (int)key->length : 4, has_name ? key->bytes : "name");
  sl_reject(in, at, reason);
}

/* The kind that marks the table; SL_EMPTY_TABLE for a table without a metatable. Rejects other metatables. */
static int mark_of(const sl_reading *in, int index, const sl_path_step *at) {
  lua_State *L = in->L;
  if (!lua_getmetatable(L, index)) return SL_EMPTY_TABLE;
  for (int kind = SL_EMPTY_FORMER_OBJECT; kind < SL_EMPTY_KINDS; kind++) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, in->vm->metatables.marks[kind]);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    if (same) {
      lua_pop(L, 1);
      return kind;
    }
  }
  lua_pushliteral(L, "__name");
  const char *name = lua_rawget(L, -2) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  bool is_reducer = strcmp(name, "reducer") == 0, is_shared = strcmp(name, "shared key") == 0;
  lua_pop(L, 2);
  if (is_shared) reject_shared(in, at);
  sl_reject(in, at,
            is_reducer ? "a feature cannot be stored in state; store a state of it, as Feature.initial() makes one"
                       : "a table with a metatable cannot be stored in state, as it is an object with methods; store a plain table "
                         "of its values");
}

static void append_table(const sl_reading *in, int index, const sl_path_step *at) {
  lua_State *L = in->L;
  sl_path_step here = {.up = at, .table = lua_topointer(L, index), .depth = at == NULL ? 1 : at->depth + 1};
  for (const sl_path_step *up = at; up != NULL; up = up->up) {
    if (up->table == here.table) sl_reject(in, at, "a table that contains itself cannot be stored in state");
  }
  if (here.depth > SL_MAX_DEPTH) sl_reject(in, at, SL_REASON_DEPTH);
  luaL_checkstack(L, 8, "state is nested too deeply");
  int mark = mark_of(in, index, at);
  lua_pushnil(L);
  if (!lua_next(L, index)) {
    sl_append_tag(L, in->vm, SL_TAG_EMPTY)->as.bits = (uint64_t)mark;
    return;
  }
  bool is_record = lua_type(L, -2) != LUA_TNUMBER;
  lua_pop(L, 2);
  if (mark == SL_EMPTY_ARRAY && is_record) sl_reject(in, at, "scripted.array has a key that is not an index");
  if (mark == SL_EMPTY_OBJECT && !is_record) sl_reject(in, at, SL_REASON_INTEGER_KEY);
  if (is_record) {
    append_record(in, index, &here);
  } else {
    append_sequence(in, index, &here);
  }
}

static void append_ref(const sl_reading *in, const sl_ref *ref) {
  sl_value *value;
  if (ref->kind == SL_TAG_DRAFT) {
    value = sl_append_tag(in->L, in->vm, SL_TAG_DRAFT);
    value->slot = ref->slot;
  } else {
    value = sl_append_tag(in->L, in->vm, SL_TAG_VIEW);
    value->flag = ref->tag;
    value->slot = ref->slot;
    value->as.bits = ref->bits;
  }
  value->length = ref->generation;
}

/* Why a value of this type cannot be stored in state. */
static const char *unstorable(lua_State *L, int index) {
  int kind;
  switch (lua_type(L, index)) {
    case LUA_TFUNCTION:
      return "a function cannot be stored in state; call it if you mean its result, or store a name in its place, and find the "
             "function by the name";
    case LUA_TTHREAD: return "a thread cannot be stored in state";
    default:
      if (sl_is_sealed(L, index)) {
        return "what `deps` holds cannot be stored in state (its functions are called with a dot, not a colon)";
      }
      if (sl_to_run(L, index) != NULL || (sl_to_box(L, index, &kind) != NULL && kind == SL_BOX_EFFECT)) {
        return "an effect cannot be stored in state; return it from the handler";
      }
      return "a userdata cannot be stored in state";
  }
}

void sl_reject_type(lua_State *L, int index, const sl_ref *ref, const sl_key *key, const char *root) {
  sl_reject(&(sl_reading){L, sl_vm_of(L), ref, key, root}, NULL, unstorable(L, index));
}

static sl_value *append_scalar(const sl_reading *in, int index, bool finite, const sl_path_step *at) {
  lua_State *L = in->L;
  sl_value *value;
  switch (lua_type(L, index)) {
    case LUA_TNIL: return sl_append_tag(L, in->vm, SL_TAG_ABSENT);
    case LUA_TBOOLEAN:
      value = sl_append_tag(L, in->vm, SL_TAG_BOOLEAN);
      value->as.integer = lua_toboolean(L, index);
      return value;
    case LUA_TNUMBER:
      if (lua_isinteger(L, index)) {
        value = sl_append_tag(L, in->vm, SL_TAG_INTEGER);
        value->as.integer = lua_tointeger(L, index);
        return value;
      }
      value = sl_append_tag(L, in->vm, SL_TAG_FLOAT);
      value->as.number = lua_tonumber(L, index);
      if (finite && !isfinite(value->as.number)) {
        sl_reject(in, at, isnan(value->as.number) ? "NaN cannot be stored in state" : "an infinite number cannot be stored in state");
      }
      return value;
    default: return NULL;
  }
}

static void append_state(const sl_reading *in, int index, const sl_path_step *at) {
  lua_State *L = in->L;
  if (lua_type(L, index) == LUA_TSTRING) {
    append_string(in, index, at, true);
  } else if (append_scalar(in, index, true, at) != NULL) {
    return;
  } else if (lua_type(L, index) == LUA_TTABLE) {
    append_table(in, index, at);
  } else if (sl_is_null(L, index)) {
    sl_append_tag(L, in->vm, SL_TAG_NULL);
  } else {
    sl_ref *ref = sl_to_ref(L, index);
    if (ref == NULL) sl_reject(in, at, unstorable(L, index));
    append_ref(in, sl_check_ref(L, index));
  }
}

void sl_begin_tape(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  while (vm->tapes.unclaimed.count > 0) {
    luaL_unref(L, LUA_REGISTRYINDEX, (int)vm->tapes.unclaimed.items[--vm->tapes.unclaimed.count].slot);
  }
  vm->tapes.to_swift.count = 0;
}

/* Appends a reference (+1) to the value on top of the stack. [-1, +0, e] */
static void append_top(lua_State *L, sl_vm *vm, int tag) {
  sl_value *value = sl_append_tag(L, vm, tag);
  if (!sl_tape_reserve(&vm->tapes.unclaimed, 1)) luaL_error(L, "not enough memory");
  value->slot = (uint32_t)luaL_ref(L, LUA_REGISTRYINDEX);
  *sl_tape_add(&vm->tapes.unclaimed) = *value;
}

static void append_reference(const sl_reading *in, int index, int tag) {
  luaL_checkstack(in->L, 4, NULL);
  lua_pushvalue(in->L, index);
  append_top(in->L, in->vm, tag);
}

static void append_userdata(const sl_reading *in, int index) {
  lua_State *L = in->L;
  int kind;
  void *object = sl_to_box(L, index, &kind);
  sl_run *run = object == NULL ? sl_to_run(L, index) : NULL;
  if (run != NULL) {
    object = sl_box_run(L, index, run);
    kind = SL_BOX_EFFECT;
  }
  if (object != NULL) {
    sl_value *value = sl_append_tag(L, in->vm, SL_TAG_BOX);
    value->as.object = object;
    value->slot = (uint32_t)kind;
  } else if (sl_to_ref(L, index) != NULL) {
    append_ref(in, sl_check_ref(L, index));
  } else {
    append_reference(in, index, SL_TAG_OTHER);
  }
}

static void append_any(const sl_reading *in, int index) {
  lua_State *L = in->L;
  switch (lua_type(L, index)) {
    case LUA_TSTRING: append_string(in, index, NULL, false); return;
    case LUA_TTABLE: append_reference(in, index, SL_TAG_TABLE); return;
    case LUA_TFUNCTION: append_reference(in, index, SL_TAG_FUNCTION); return;
    case LUA_TUSERDATA: append_userdata(in, index); return;
    default: break;
  }
  if (append_scalar(in, index, false, NULL) != NULL) return;
  if (sl_is_null(L, index)) {
    sl_append_tag(L, in->vm, SL_TAG_NULL);
  } else {
    append_reference(in, index, SL_TAG_OTHER);
  }
}

void sl_append(lua_State *L, int index, bool as_values, const sl_ref *ref, const sl_key *key, const char *root) {
  sl_reading in = {L, sl_vm_of(L), ref, key, root};
  index = lua_absindex(L, index);
  if (as_values && lua_type(L, index) != LUA_TFUNCTION && sl_to_box(L, index, &(int){0}) == NULL && sl_to_run(L, index) == NULL) {
    append_state(&in, index, NULL);
  } else if (as_values && ref != NULL) {
    sl_reject_type(L, index, ref, key, root);
  } else {
    append_any(&in, index);
  }
}

void sl_append_run(lua_State *L, int index, const sl_run *run) {
  sl_vm *vm = sl_vm_of(L);
  luaL_checkstack(L, 4, NULL);
  index = lua_absindex(L, index);
  sl_append_tag(L, vm, SL_TAG_RUN)->flag = run->replaces;
  lua_getiuservalue(L, index, SL_RUN_FUNCTION);
  append_top(L, vm, SL_TAG_FUNCTION);
  if (run->catches) {
    lua_getiuservalue(L, index, SL_RUN_CATCH);
    append_top(L, vm, SL_TAG_FUNCTION);
  } else {
    sl_append_tag(L, vm, SL_TAG_ABSENT);
  }
  if (run->has_id) {
    sl_reading in = {L, vm, NULL, NULL, NULL};
    lua_getiuservalue(L, index, SL_RUN_ID);
    append_any(&in, lua_gettop(L)); /* a scalar; the run keeps it alive */
    lua_pop(L, 1);
  } else {
    sl_append_tag(L, vm, SL_TAG_ABSENT);
  }
}
