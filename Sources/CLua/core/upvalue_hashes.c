/* Reads the upvalues of the functions of a script: the state that a module stores in its local variables. */
#include <stdio.h>
#include <string.h>

#include "core/internal.h"
#include "limits/internal.h"
#include "values/internal.h"

enum { DEEPEST = 16, MOST = 20000 };

struct walk {
  const char *script; /* the chunk name, with `@` */
  int seen;           /* stack index of a table: the values and upvalues that were visited */
  int descriptions;   /* stack index of the table from reducer to its description; 0 if there is none */
  int left;           /* how many more entries are visited */
};

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15 + (hash << 6) + (hash >> 2);
  return hash * 0xBF58476D1CE4E5B9;
}

/* A hash of the scalar at `index`; of any other value only of its type. [-0, +0, -] */
static uint64_t fingerprint(lua_State *L, int index) {
  uint64_t hash = mix(1, (uint64_t)lua_type(L, index));
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN: return mix(hash, (uint64_t)lua_toboolean(L, index));
    case LUA_TNUMBER: {
      lua_Number number = lua_tonumber(L, index);
      uint64_t bits = 0;
      memcpy(&bits, &number, sizeof number < sizeof bits ? sizeof number : sizeof bits);
      return mix(hash, lua_isinteger(L, index) ? (uint64_t)lua_tointeger(L, index) : bits);
    }
    case LUA_TSTRING: {
      size_t length;
      const char *text = lua_tolstring(L, index, &length);
      for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3;
      return hash;
    }
    default: return hash;
  }
}

/* A hash of the entries of a table, independent of their order. [-0, +0, -] */
static uint64_t content(lua_State *L, struct walk *walk, int table) {
  uint64_t sum = mix(2, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    sum += mix(fingerprint(L, -2), fingerprint(L, -1));
    if (--walk->left <= 0) {
      lua_pop(L, 2);
      break;
    }
  }
  return sum;
}

/* Whether the value at `index` is visited for the first time. [-0, +0, m] */
static bool is_new(lua_State *L, struct walk *walk, int index) {
  lua_pushvalue(L, index);
  bool is_known = lua_rawget(L, walk->seen) != LUA_TNIL;
  lua_pop(L, 1);
  if (is_known) return false;
  lua_pushvalue(L, index);
  lua_pushboolean(L, true);
  sl_set_own(L, sl_vm_of(L), walk->seen);
  return true;
}

static void visit(lua_State *L, struct walk *walk, int index, int depth);

static void note(lua_State *L, const char *name, uint64_t hash) {
  sl_tape *tape = &sl_vm_of(L)->tapes.to_swift;
  if (!sl_tape_reserve(tape, 2)) luaL_error(L, "not enough memory");
  tape->items[tape->count++] = (sl_value){.tag = SL_TAG_STRING, .length = strlen(name), .as.bytes = name};
  tape->items[tape->count++] = (sl_value){.tag = SL_TAG_INTEGER, .as.bits = hash};
}

static void visit_function(lua_State *L, struct walk *walk, int function, int depth) {
  lua_Debug frame;
  lua_pushvalue(L, function);
  lua_getinfo(L, ">S", &frame);
  if (strcmp(frame.source, walk->script) != 0) return;
  const char *name;
  for (int i = 1; (name = lua_getupvalue(L, function, i)) != NULL; i++) {
    int value = lua_gettop(L);
    lua_pushlightuserdata(L, lua_upvalueid(L, function, i));
    bool is_first = is_new(L, walk, value + 1);
    lua_pop(L, 1);
    if (is_first && strcmp(name, "_ENV") != 0) {
      int type = lua_type(L, value);
      if (type == LUA_TTABLE) {
        note(L, name, content(L, walk, value));
      } else if (type <= LUA_TSTRING && type != LUA_TLIGHTUSERDATA) {
        note(L, name, fingerprint(L, value));
      }
      visit(L, walk, value, depth + 1);
    }
    lua_settop(L, value - 1);
  }
}

static void look_at_table(lua_State *L, struct walk *walk, int table, int depth) {
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    if (--walk->left <= 0) {
      lua_pop(L, 2);
      return;
    }
    visit(L, walk, lua_gettop(L), depth + 1);
  }
  if (lua_getmetatable(L, table)) {
    visit(L, walk, lua_gettop(L), depth + 1);
    lua_pop(L, 1);
  }
  if (walk->descriptions != 0) {
    lua_pushvalue(L, table);
    lua_rawget(L, walk->descriptions);
    visit(L, walk, lua_gettop(L), depth + 1);
    lua_pop(L, 1);
  }
}

/* Visits the value at the absolute index `index`, and the values that it leads to. [-0, +0, m] */
static void visit(lua_State *L, struct walk *walk, int index, int depth) {
  int type = lua_type(L, index);
  if (type != LUA_TTABLE && (type != LUA_TFUNCTION || lua_iscfunction(L, index))) return;
  if (depth > DEEPEST || --walk->left <= 0 || !is_new(L, walk, index)) return;
  luaL_checkstack(L, 10, NULL);
  if (type == LUA_TTABLE) {
    look_at_table(L, walk, index, depth);
  } else {
    visit_function(L, walk, index, depth);
  }
}

struct locals {
  int reference;
  const char *script;
};

static int locals_body(lua_State *L) {
  struct locals *locals = lua_touserdata(L, 1);
  const sl_vm *vm = sl_vm_of(L);
  sl_begin_tape(L);
  lua_newtable(L);
  struct walk walk = {locals->script, lua_gettop(L), 0, MOST};
  if (vm->descriptions != 0 && lua_rawgeti(L, LUA_REGISTRYINDEX, vm->descriptions) == LUA_TTABLE) {
    walk.descriptions = lua_gettop(L);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, locals->reference);
  visit(L, &walk, lua_gettop(L), 0);
  sl_end_tape(sl_vm_of(L));
  return 0;
}

int sl_upvalue_hashes(sl_vm *vm, int reference, const char *script) {
  struct locals locals = {reference, script};
  return sl_protect(vm, vm->L, locals_body, &locals);
}

/* keepDescriptions(table): stores the table from reducer to its description. */
int sl_native_keep_descriptions(lua_State *L) {
  lua_settop(L, 1);
  sl_vm_of(L)->descriptions = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}
