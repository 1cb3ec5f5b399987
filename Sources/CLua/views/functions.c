/* Compares functions by what they do. Each run of a view makes new functions, as the row function of a `forEach`; if a new one does
 * the same as the old one, the rows that the old one has made stay. */
#include <string.h>

#include "core/internal.h"
#include "drafts/internal.h"
#include "views/internal.h"

/* Functions that are upvalues of functions. Each may have 255 upvalues, and all of them the same function, so every visit checks
 * whether scripts are being stopped. */
enum { DEEPEST = 4 };

/* The bytes of one function, while those of another one are compared with them. */
struct code {
  sl_text *text;
  size_t at;
};

static int compare_code(lua_State *L, const void *bytes, size_t length, void *data) {
  (void)L;
  struct code *code = data;
  if (code->at + length > code->text->count || memcmp(code->text->bytes + code->at, bytes, length) != 0) return 1;
  code->at += length;
  return 0;
}

/* Whether two script functions have the same bytecode. The place of their definition is compared first, since it tells most
 * functions apart. */
static bool have_same_code(lua_State *L, int a, int b) {
  lua_Debug first, second;
  lua_pushvalue(L, a);
  lua_getinfo(L, ">Su", &first);
  lua_pushvalue(L, b);
  lua_getinfo(L, ">Su", &second);
  if (first.linedefined != second.linedefined || first.lastlinedefined != second.lastlinedefined || first.nups != second.nups ||
      first.nparams != second.nparams || strcmp(first.source, second.source) != 0) {
    return false;
  }
  sl_text *text = &sl_vm_of(L)->tapes.text;
  text->count = 0;
  struct code code = {text, 0};
  lua_pushvalue(L, a);
  bool is_stored = lua_dump(L, sl_append_bytes, text, 1) == 0;
  lua_pop(L, 1);
  if (!is_stored) return false;
  lua_pushvalue(L, b);
  bool is_same = lua_dump(L, compare_code, &code, 1) == 0 && code.at == text->count;
  lua_pop(L, 1);
  return is_same;
}

static bool are_same(lua_State *L, int a, int b, int depth);

/* Compares the values of the upvalues on top of the stack. [-2, +0, e] */
static bool top_is_same(lua_State *L, int depth) {
  int a = lua_gettop(L) - 1, b = a + 1;
  bool is_same = lua_rawequal(L, a, b);
  if (!is_same && lua_type(L, a) == lua_type(L, b)) {
    if (lua_isfunction(L, a)) {
      is_same = are_same(L, a, b, depth + 1);
    } else {
      const sl_ref *first = sl_to_ref(L, a), *second = sl_to_ref(L, b);
      is_same = first != NULL && second != NULL && first->kind == SL_TAG_VIEW && second->kind == SL_TAG_VIEW &&
                first->tag == second->tag && first->bits == second->bits;
    }
  }
  lua_pop(L, 2);
  return is_same;
}

static bool are_same(lua_State *L, int a, int b, int depth) {
  if (lua_rawequal(L, a, b)) return true;
  if (depth > DEEPEST || lua_iscfunction(L, a) || lua_iscfunction(L, b)) return false;
  sl_poll(L, sl_vm_of(L));
  luaL_checkstack(L, 8, NULL);
  if (!have_same_code(L, a, b)) return false;
  for (int i = 1; lua_getupvalue(L, a, i) != NULL; i++) {
    if (lua_getupvalue(L, b, i) == NULL) {
      lua_pop(L, 1);
      return false;
    }
    if (!top_is_same(L, depth)) return false;
  }
  return true;
}

bool sl_functions_are_same(lua_State *L, int a, int b) { return are_same(L, lua_absindex(L, a), lua_absindex(L, b), 0); }

static int note_captured(lua_State *L, int function, int depth) {
  int captures = 0;
  if (depth > DEEPEST || lua_iscfunction(L, function)) return 0;
  sl_poll(L, sl_vm_of(L));
  luaL_checkstack(L, 8, NULL);
  for (int i = 1; lua_getupvalue(L, function, i) != NULL; i++) {
    int value = lua_gettop(L);
    const sl_ref *ref = sl_to_ref(L, value);
    if (lua_isfunction(L, value)) {
      captures |= note_captured(L, value, depth + 1);
    } else if (ref != NULL && ref->kind == SL_TAG_VIEW && ref->slot != 0) {
      sl_vm *vm = sl_vm_of(L);
      captures |= SL_CAPTURES_STATE;
      if (vm->hooks->captured(vm->context, ref)) captures |= SL_CAPTURES_ARGUMENT;
    }
    lua_settop(L, value - 1);
  }
  return captures;
}

int sl_note_captured(lua_State *L, int index) { return note_captured(L, lua_absindex(L, index), 0); }

struct comparison {
  int a, b;
  bool is_same;
};

static int same_body(lua_State *L) {
  struct comparison *comparison = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, comparison->a);
  lua_rawgeti(L, LUA_REGISTRYINDEX, comparison->b);
  comparison->is_same = sl_functions_are_same(L, -2, -1);
  return 0;
}

bool sl_same_function(sl_vm *vm, int a, int b) {
  struct comparison comparison = {a, b, false};
  return sl_protect(vm, vm->L, same_body, &comparison) == LUA_OK && comparison.is_same;
}
