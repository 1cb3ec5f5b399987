/* From the tables that a view returns to the tape: `sl_view`.
 *
 * A node is a plain table with a `kind`, named properties, and children in its array part. On the tape it is SL_TAG_NODE with
 * the number of its properties; keys and values follow, and the children under the key `children` as SL_TAG_SEQUENCE.
 * A child that is nil or false is SL_TAG_NULL, so that it keeps its position. */
#include <stdarg.h>
#include <string.h>

#include "core/internal.h"
#include "limits/internal.h"
#include "values/internal.h"
#include "views/internal.h"

enum {
  DEEPEST = 60, /* nodes inside each other in what one view returns */
  MOST_HOLES = 1000
};

static sl_value *add_text(lua_State *L, sl_vm *vm, const char *text) {
  sl_value *value = sl_append_tag(L, vm, SL_TAG_STRING);
  value->as.bytes = text; /* a literal */
  value->length = strlen(text);
  return value;
}

_Noreturn static void refuse(lua_State *L, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  lua_pushvfstring(L, format, arguments);
  va_end(arguments);
  lua_error(L);
  __builtin_unreachable();
}

static void append_node(lua_State *L, sl_vm *vm, int index, int depth);

/* The node of a text: the string or number at `index`. */
static void append_text_node(lua_State *L, sl_vm *vm, int index) {
  sl_append_tag(L, vm, SL_TAG_NODE)->slot = 2;
  add_text(L, vm, "kind");
  add_text(L, vm, "text");
  add_text(L, vm, "text");
  sl_append(L, index, true, NULL, NULL, "text");
}

static void append_children(lua_State *L, sl_vm *vm, int table, lua_Integer count, int depth) {
  add_text(L, vm, "children");
  sl_append_tag(L, vm, SL_TAG_SEQUENCE)->slot = (uint32_t)count;
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, table, i);
    append_node(L, vm, lua_gettop(L), depth + 1);
    lua_pop(L, 1);
  }
}

/* The value of a property, which is on top of the stack. Only a `forEach` has functions. */
static void append_property(lua_State *L, sl_vm *vm, const char *name, bool takes_functions) {
  if (lua_type(L, -1) != LUA_TFUNCTION) {
    sl_append(L, -1, true, NULL, NULL, name);
    return;
  }
  if (!takes_functions) {
    refuse(L, "the property '%s' of a node is a function; actions are data, as \"save\" or { \"rename\", { title = \"Milk\" } }", name);
  }
  int captures = sl_note_captured(L, -1);
  size_t at = vm->tapes.to_swift.count;
  sl_append(L, -1, false, NULL, NULL, name);
  vm->tapes.to_swift.items[at].flag = (uint8_t)captures;
}

static void append_table(lua_State *L, sl_vm *vm, int table, int depth) {
  if (depth > DEEPEST) refuse(L, "the nodes of a view are nested deeper than %d", DEEPEST);
  luaL_checkstack(L, 12, "nodes are nested too deeply");
  lua_pushliteral(L, "kind");
  if (lua_rawget(L, table) != LUA_TSTRING) {
    refuse(L, "a node needs a kind; %s", lua_rawlen(L, table) > 0 ? "put a list of nodes into ui.group { … }, ui.row { … } or ui.column { … }"
                                                                  : "make it with a function of scripted.ui");
  }
  bool takes_functions = strcmp(lua_tostring(L, -1), "forEach") == 0;
  lua_pop(L, 1);
  size_t head = vm->tapes.to_swift.count;
  sl_append_tag(L, vm, SL_TAG_NODE);
  uint32_t properties = 0;
  lua_Integer last = 0, children = 0;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    if (lua_type(L, -2) == LUA_TSTRING) {
      sl_value *key = sl_append_tag(L, vm, SL_TAG_STRING);
      key->as.bytes = lua_tostring(L, -2); /* borrowed (+0) from the table */
      key->length = lua_rawlen(L, -2);
      if (!sl_is_utf8(key->as.bytes, key->length)) refuse(L, "%s", SL_REASON_KEY_NOT_UTF8);
      append_property(L, vm, lua_tostring(L, -2), takes_functions);
      properties++;
    } else if (lua_isinteger(L, -2) && lua_tointeger(L, -2) > 0) {
      if (lua_tointeger(L, -2) > last) last = lua_tointeger(L, -2);
      children++;
    } else {
      refuse(L, "a node has a key that is neither a name nor a position (a %s)", luaL_typename(L, -2));
    }
    lua_pop(L, 1);
  }
  if (last > children + MOST_HOLES) refuse(L, "a node has a child at a position that is far behind the others");
  if (last > 0) {
    append_children(L, vm, table, last, depth);
    properties++;
  }
  vm->tapes.to_swift.items[head].slot = properties;
}

static void append_node(lua_State *L, sl_vm *vm, int index, int depth) {
  switch (lua_type(L, index)) {
    case LUA_TNIL: sl_append_tag(L, vm, SL_TAG_NULL); return;
    case LUA_TSTRING:
    case LUA_TNUMBER: append_text_node(L, vm, index); return;
    case LUA_TTABLE: append_table(L, vm, index, depth); return;
    case LUA_TBOOLEAN:
      if (lua_toboolean(L, index)) break;
      sl_append_tag(L, vm, SL_TAG_NULL);
      return;
    default: break;
  }
  refuse(L, "a node is a table that scripted.ui makes, a text or a number, and not %s",
         lua_isboolean(L, index) ? "a boolean (true)"
         : sl_is_null(L, index)  ? "null"
                                 : lua_pushfstring(L, "a %s", luaL_typename(L, index)));
}

struct view {
  const sl_value *arguments;
  int reference, count;
};

static int view_body(lua_State *L) {
  struct view *view = lua_touserdata(L, 1);
  sl_vm *vm = sl_vm_of(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, view->reference);
  sl_push_all(L, view->arguments, view->count);
  lua_call(L, view->count, 1);
  sl_begin_tape(L);
  append_node(L, vm, lua_gettop(L), 1);
  sl_end_tape(vm);
  return 0;
}

int sl_view(sl_vm *vm, lua_State *L, int reference, const sl_value *arguments, int count) {
  struct view view = {arguments, reference, count};
  return sl_protect(vm, L, view_body, &view);
}
