/* Compiling source text. A text can keep Lua's compiler busy for minutes, for example with a name that is searched in
 * hundreds of enclosing functions. So the compiler gets the text in small pieces, and is stopped between two of them. */
#include <string.h>

#include "core/internal.h"
#include "drafts/internal.h"

enum { PIECE = 128 };

/* The stack slot, above the arguments of `load`, that keeps the last string of its reader function alive. */
enum { AT_PIECE = 5 };

/* When the compiler reaches a label, it removes the pending jumps to it from a list, one by one, which is quadratic. */
enum { MOST_JUMPS = 8192 };

struct text {
  sl_vm *vm;
  uint64_t last;  /* the previous bytes of the text */
  size_t jumps;   /* the number of words that may be jumps */
  const char *at;
  size_t left, total;
  bool is_called; /* the function at index 1 provides more text */
};

static void check_size(lua_State *L, const struct text *text) {
  size_t most = text->vm->limits.source;
  if (most > 0 && text->total > most) sl_stop_at_size(L, SL_STOP_SOURCE, text->total);
}

/* 30,000 jumps take half a second, which nothing can interrupt. They are limited only if the number of keys is, as for
 * untrusted scripts. */
static void count_jumps(lua_State *L, struct text *text, const char *piece, size_t size) {
  const uint64_t four = UINT64_C(0xFFFFFFFF), five = UINT64_C(0xFFFFFFFFFF);
  const uint64_t to = UINT64_C(0x676F746F), out = UINT64_C(0x627265616B); /* "goto", "break" */
  for (size_t i = 0; i < size; i++) {
    text->last = text->last << 8 | (unsigned char)piece[i];
    if ((text->last & four) == to || (text->last & five) == out) text->jumps++;
  }
  if (text->jumps > MOST_JUMPS) luaL_error(L, "a text with more than %d words 'goto' and 'break' cannot be compiled", MOST_JUMPS);
}

static void call_for_more(lua_State *L, struct text *text) {
  luaL_checkstack(L, 2, "too many nested functions");
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    return;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
  lua_replace(L, AT_PIECE);
  text->at = lua_tolstring(L, AT_PIECE, &text->left);
  text->total += text->left;
  check_size(L, text);
}

static const char *next_piece(lua_State *L, void *data, size_t *size) {
  struct text *text = data;
  sl_poll(L, text->vm);
  if (text->left == 0 && text->is_called) call_for_more(L, text);
  const char *piece = text->at;
  *size = text->left < PIECE ? text->left : PIECE;
  text->at += *size;
  text->left -= *size;
  if (text->vm->limits.keys > 0) count_jumps(L, text, piece, *size);
  return piece;
}

int sl_compile(lua_State *L, const char *source, size_t length, const char *name, const char *mode) {
  struct text text = {.vm = sl_vm_of(L), .at = source, .left = length, .total = length};
  if (mode[0] == 't') check_size(L, &text);
  return lua_load(L, next_piece, &text, name, mode);
}

/* load(chunk, name, mode, env) for source text. Upvalues: the stock function; the environment of the module. */
int sl_load_text(lua_State *L) {
  bool is_text = lua_isstring(L, 1);
  const char *mode = luaL_optstring(L, 3, "t");
  if (strchr(mode, 't') == NULL) {
    luaL_pushfail(L);
    lua_pushliteral(L, "only text can be loaded (use the mode \"t\")");
    return 2;
  }
  if (!is_text) luaL_checktype(L, 1, LUA_TFUNCTION);
  const char *name = luaL_optstring(L, 2, is_text ? lua_tostring(L, 1) : "=(load)");
  bool has_environment = !lua_isnoneornil(L, 4);
  if (has_environment && !lua_istable(L, 4) && sl_to_ref(L, 4) == NULL) return luaL_typeerror(L, 4, "table");
  lua_settop(L, AT_PIECE);
  struct text text = {.vm = sl_vm_of(L), .is_called = !is_text};
  if (is_text) text.at = lua_tolstring(L, 1, &text.left);
  text.total = text.left;
  check_size(L, &text);
  if (lua_load(L, next_piece, &text, name, "t") == LUA_OK) {
    lua_pushvalue(L, has_environment ? 4 : lua_upvalueindex(2));
    if (lua_setupvalue(L, -2, 1) == NULL) lua_pop(L, 1);
    return 1;
  }
  luaL_pushfail(L);
  lua_insert(L, -2);
  return 2;
}
