/* Objects of the host that scripts hold as userdata with methods and fields.
 *
 * Each class of the host is a metatable. The box of an object is as those of boxes.c, except that there is one box for
 * each object as long as Lua holds it, so that `==` and table keys go by identity. The Swift object in a box is the
 * object itself, or for classes that hold their objects weakly a holder of it; C makes no difference between them.
 *
 * Invariants:
 * 1. The metatable of a class has `class_key` as a raw key, whose value is the kind of its boxes: SL_BOX_OBJECT or
 *    SL_BOX_WEAK. Scripts cannot reach the metatable.
 * 2. The table of boxes has weak values. Lua removes a box from it before it calls the box's `__gc`, so no box in it has
 *    lost its object. */
#include "core/internal.h"
#include "limits/internal.h"

/* Registry key: the boxes by the address of their Swift object. Key of the metatables of classes: see invariant 1. */
static const char boxes_key = 0, class_key = 0;

int sl_class_kind(lua_State *L, int index) {
  if (!sl_vm_of(L)->metatables.has_classes || !lua_getmetatable(L, index)) return -1;
  int kind = lua_rawgetp(L, -1, &class_key) == LUA_TNUMBER ? (int)lua_tointeger(L, -1) : -1;
  lua_pop(L, 2);
  return kind;
}

void sl_push_object(lua_State *L, void *object, int metatable) {
  luaL_checkstack(L, 6, NULL);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &boxes_key);
  if (lua_rawgetp(L, -1, object) == LUA_TUSERDATA) {
    lua_remove(L, -2);
    return;
  }
  lua_pop(L, 1);
  sl_push_box_of(L, object, metatable);
  lua_pushlightuserdata(L, object);
  lua_pushvalue(L, -2);
  sl_set_own(L, sl_vm_of(L), -4);
  lua_remove(L, -2);
}

/* ---- Members ---------------------------------------------------------------------------------------------------------- */

/* `object.key`. Upvalues: the methods by name, the functions that read fields by name, and the function that raises the
 * error about another key. */
static int read_member(lua_State *L) {
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNIL) lua_pushvalue(L, lua_upvalueindex(3));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  return 1;
}

/* `object.key = value`. Upvalues: the functions that write fields by name, and the function that raises the error about
 * another key. */
static int write_member(lua_State *L) {
  lua_settop(L, 3);
  lua_pushvalue(L, 2);
  bool is_writable = lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL;
  if (!is_writable) lua_pushvalue(L, lua_upvalueindex(2));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, is_writable ? 3 : 2);
  lua_call(L, 2, 0);
  return 0;
}

/* ---- Classes ---------------------------------------------------------------------------------------------------------- */

struct class {
  const char *name;
  const sl_class_members *members;
  int kind;
};

static int new_class_body(lua_State *L) {
  const struct class *class = lua_touserdata(L, 1);
  const sl_class_members *members = class->members;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &boxes_key) == LUA_TNIL) {
    sl_push_weak_values(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &boxes_key);
  }
  sl_push_box_metatable(L, class->name);
  lua_pushinteger(L, class->kind);
  lua_rawsetp(L, -2, &class_key);
  lua_rawgeti(L, LUA_REGISTRYINDEX, members->methods);
  lua_rawgeti(L, LUA_REGISTRYINDEX, members->getters);
  lua_rawgeti(L, LUA_REGISTRYINDEX, members->unreadable);
  lua_pushcclosure(L, read_member, 3);
  lua_setfield(L, -2, "__index");
  lua_rawgeti(L, LUA_REGISTRYINDEX, members->setters);
  lua_rawgeti(L, LUA_REGISTRYINDEX, members->unwritable);
  lua_pushcclosure(L, write_member, 2);
  lua_setfield(L, -2, "__newindex");
  if (members->description != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, members->description);
    lua_setfield(L, -2, "__tostring");
  }
  sl_vm_of(L)->metatables.has_classes = true;
  return 1;
}

int sl_new_class(sl_vm *vm, const char *name, bool is_weak, const sl_class_members *members, int *reference) {
  struct class class = {name, members, is_weak ? SL_BOX_WEAK : SL_BOX_OBJECT};
  return sl_make_reference(vm, new_class_body, &class, reference);
}
