/* What Swift adds to Lua: host functions, boxes for Swift objects, and the marks of scripted.array and scripted.object. */
#include "core/internal.h"
#include "coroutines/internal.h"
#include "drafts/internal.h"
#include "values/internal.h"

/* Registry key: the string that was raised for the Swift error thrown last; false before it is raised. */
static const char thrown_key = 0;

/* ---- Boxes ---------------------------------------------------------------------------------------------------------- */

/* The address of the metatable of the userdata at `index`; null if it has none. [-0, +0, -] */
static const void *identity_of(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  const void *identity = lua_topointer(L, -1);
  lua_pop(L, 1);
  return identity;
}

void *sl_to_box(lua_State *L, int index, int *kind) {
  const void *identity = identity_of(L, index);
  if (identity == NULL) return NULL;
  sl_vm *vm = sl_vm_of(L);
  if (identity == vm->metatables.run_identity) {
    if (!((sl_run *)lua_touserdata(L, index))->is_boxed) return NULL;
    lua_getiuservalue(L, index, SL_RUN_BOX);
    void *object = *(void **)lua_touserdata(L, -1); /* borrowed (+0) from the box, which the run keeps alive */
    lua_pop(L, 1);
    *kind = SL_BOX_EFFECT;
    return object;
  }
  for (int i = 0; i < SL_BOX_KINDS; i++) {
    if (vm->metatables.box_identities[i] != identity) continue;
    *kind = i;
    return *(void **)lua_touserdata(L, index);
  }
  int of_class = sl_class_kind(L, index);
  if (of_class < 0) return NULL;
  *kind = of_class;
  return *(void **)lua_touserdata(L, index);
}

sl_run *sl_to_run(lua_State *L, int index) {
  if (identity_of(L, index) != sl_vm_of(L)->metatables.run_identity) return NULL;
  sl_run *run = lua_touserdata(L, index);
  return run->is_boxed ? NULL : run;
}

/* The approximate size in bytes of the Swift object in a box. */
enum { BOXED = 256 };

/* Pushes a box with the referenced metatable, and without an object. [-0, +1, m] */
static void **push_empty_box(lua_State *L, int metatable) {
  void **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = NULL; /* setting a metatable with __gc may raise */
  lua_rawgeti(L, LUA_REGISTRYINDEX, metatable);
  lua_setmetatable(L, -2);
  /* Added first, so that `sl_make_memory_lasting` converts these bytes and no others. */
  sl_add_temporary_memory(sl_vm_of(L), BOXED);
  sl_make_memory_lasting(sl_vm_of(L), BOXED);
  return box;
}

void **sl_push_empty_box(lua_State *L, int kind) { return push_empty_box(L, sl_vm_of(L)->metatables.boxes[kind]); }

void sl_push_box_of(lua_State *L, void *object, int metatable) {
  void **box = push_empty_box(L, metatable);
  sl_vm_of(L)->hooks->retain(object);
  *box = object;
}

void sl_push_box(lua_State *L, void *object, int kind) { sl_push_box_of(L, object, sl_vm_of(L)->metatables.boxes[kind]); }

static int collect_box(lua_State *L) {
  void **box = lua_touserdata(L, 1);
  sl_vm *vm = sl_vm_of(L);
  if (box == NULL) return 0;
  if (*box != NULL) vm->hooks->release(vm->context, *box);
  *box = NULL;
  sl_subtract_lasting_memory(vm, BOXED);
  return 0;
}

void sl_lock_metatable(lua_State *L, const char *name) {
  if (name != NULL) {
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
  }
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
}

const void *sl_push_box_metatable(lua_State *L, const char *name) {
  lua_newtable(L);
  sl_lock_metatable(L, name);
  lua_pushcfunction(L, collect_box);
  lua_setfield(L, -2, "__gc");
  return lua_topointer(L, -1);
}

static void new_box_metatable(lua_State *L, int kind, const char *name) {
  sl_vm *vm = sl_vm_of(L);
  vm->metatables.box_identities[kind] = sl_push_box_metatable(L, name);
  vm->metatables.boxes[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
}

static int new_mark(lua_State *L) {
  lua_newtable(L);
  sl_lock_metatable(L, NULL);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

void sl_open_boxes(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  new_box_metatable(L, SL_BOX_HOST, "host object");
  new_box_metatable(L, SL_BOX_EFFECT, "effect");
  lua_newtable(L);
  sl_lock_metatable(L, "effect");
  vm->metatables.run_identity = lua_topointer(L, -1);
  vm->metatables.run = luaL_ref(L, LUA_REGISTRYINDEX);
  for (int kind = SL_EMPTY_FORMER_OBJECT; kind < SL_EMPTY_KINDS; kind++) vm->metatables.marks[kind] = new_mark(L);
  lua_pushboolean(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &thrown_key);
}

static int mark(lua_State *L, int metatable) {
  if (lua_isnone(L, 1)) lua_newtable(L);
  luaL_argcheck(L, sl_to_ref(L, 1) == NULL, 1,
                "a new table expected, got one of the state; mark its copy: scripted.snapshot(value)");
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, metatable);
  lua_setmetatable(L, 1);
  return 1;
}

int sl_native_array(lua_State *L) { return mark(L, sl_vm_of(L)->metatables.marks[SL_EMPTY_ARRAY]); }
int sl_native_object(lua_State *L) { return mark(L, sl_vm_of(L)->metatables.marks[SL_EMPTY_OBJECT]); }

/* ---- Errors of hooks and of Swift ------------------------------------------------------------------------------------ */

void sl_set_error(sl_vm *vm, const char *bytes, size_t length) { sl_text_set(&vm->error.message, bytes, length); }

bool sl_begin_throw(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  if (!vm->error.is_thrown) return false;
  sl_set_thrown(&vm->error, false);
  lua_pushboolean(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &thrown_key);
  return true;
}

int sl_throw(lua_State *L, bool throws) {
  if (throws) {
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &thrown_key); /* the key exists already, so this needs no memory */
  }
  return lua_error(L);
}

int sl_raise(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  if (vm->stop.reason >= SL_STOP_ACTIONS) sl_stop_here(L); /* a limit that the host counts */
  bool throws = sl_begin_throw(L);
  lua_pushlstring(L, vm->error.message.bytes, vm->error.message.count);
  sl_add_position(L);
  return sl_throw(L, throws);
}

bool sl_is_thrown(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &thrown_key);
  bool is_thrown = lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  return is_thrown;
}

/* ---- Functions -------------------------------------------------------------------------------------------------------- */

/* Pushes results above the arguments: Lua takes them from the top of the stack. [-0, +count, e] */
static int push_results(lua_State *L, sl_vm *vm, int count) {
  if (count > 8) luaL_checkstack(L, count + 8, "too many results"); /* a C function has room for a few */
  size_t at = 0;
  for (int i = 0; i < count; i++) sl_push(L, vm->tapes.to_lua.items, &at);
  return count;
}

/* Appends argument `index` of a host function. Integers are appended here: a call of a Swift closure with
 * two integers takes 15 ns less than with `sl_append`. [-0, +0, e] */
static void append_argument(lua_State *L, sl_vm *vm, int index) {
  if (lua_isinteger(L, index)) {
    sl_append_tag(L, vm, SL_TAG_INTEGER)->as.integer = lua_tointeger(L, index);
  } else {
    /* A string by itself may have any bytes; Swift says whether the function takes them. */
    bool as_values = lua_toboolean(L, lua_upvalueindex(2)) && lua_type(L, index) != LUA_TSTRING;
    sl_append(L, index, as_values, NULL, NULL, lua_tostring(L, lua_upvalueindex(3)));
  }
}

/* The function that scripts call for a host function. Upvalues: the box of the Swift function; whether tables are passed
 * as values; the name. */
static int call_host(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  void *function = *(void **)lua_touserdata(L, lua_upvalueindex(1));
  int arguments = lua_gettop(L);
  sl_begin_tape(L);
  for (int i = 1; i <= arguments; i++) append_argument(L, vm, i);
  sl_end_tape(vm);
  sl_begin_tape_to_lua(&vm->tapes);
  sl_clear_error(&vm->error);
  int count = vm->hooks->call(vm->context, function, vm->tapes.to_swift.items, arguments);
  if (count == SL_RAISE) {
    if (vm->tapes.to_lua.count == 0) return sl_raise(L);
    bool throws = sl_begin_throw(L);
    push_results(L, vm, 1);
    return sl_throw(L, throws);
  }
  if (count == SL_YIELD) {
    if (!lua_isyieldable(L)) return luaL_error(L, "%s cannot wait here", lua_tostring(L, lua_upvalueindex(3)));
    lua_settop(L, 0); /* `sl_continue` returns the whole stack */
    return lua_yieldk(L, push_results(L, vm, vm->tapes.yielded), 0, sl_continue);
  }
  return push_results(L, vm, count);
}

bool sl_is_host_function(lua_State *L, int index) { return lua_tocfunction(L, index) == call_host; }

struct function {
  void *object;
  const char *name;
  bool as_values;
};

static int new_function_body(lua_State *L) {
  const struct function *function = lua_touserdata(L, 1);
  sl_push_box(L, function->object, SL_BOX_HOST);
  lua_pushboolean(L, function->as_values);
  lua_pushstring(L, function->name);
  lua_pushcclosure(L, call_host, 3);
  return 1;
}

int sl_new_function(sl_vm *vm, void *object, const char *name, bool as_values, int *reference) {
  struct function function = {object, name, as_values};
  return sl_make_reference(vm, new_function_body, &function, reference);
}
