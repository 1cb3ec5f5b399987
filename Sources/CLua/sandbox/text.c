/* Text that scripts make: `tostring`, `print`, and string.format.
 *
 * Stock Lua writes an address for a table, a function or a userdata. An address reveals the layout of the memory and
 * differs between runs. So such a value has a number here instead, which it gets when it is first requested. */
#include <stdio.h>
#include <string.h>

#include "drafts/internal.h"
#include "limits/internal.h"
#include "sandbox/internal.h"
#include "values/internal.h"

/* Registry key of the table from value to number. It has weak keys, so it keeps no value alive. */
static const char identities = 0;

/* The number of the value at `index`. [-0, +0, m] */
static lua_Integer identity(lua_State *L, int index) {
  index = lua_absindex(L, index);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &identities) != LUA_TTABLE) {
    lua_pop(L, 1);
    sl_push_weak_keys(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &identities);
  }
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) != LUA_TNUMBER) {
    lua_pop(L, 1);
    lua_pushinteger(L, (lua_Integer)++sl_vm_of(L)->sandbox.next_identity);
    lua_pushvalue(L, index);
    lua_pushvalue(L, -2);
    sl_set_own(L, sl_vm_of(L), -4);
  }
  lua_Integer number = lua_tointeger(L, -1);
  lua_pop(L, 2);
  return number;
}

const char *sl_tolstring(lua_State *L, int index, size_t *length) {
  index = lua_absindex(L, index);
  int type = lua_type(L, index);
  bool has_address = type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TTHREAD ||
                     type == LUA_TUSERDATA || type == LUA_TLIGHTUSERDATA;
  if (!has_address) return luaL_tolstring(L, index, length);
  if (sl_to_ref(L, index) != NULL) { /* also for dead ones */
    lua_pushfstring(L, "table: %I", (LUAI_UACINT)identity(L, index));
  } else if (luaL_callmeta(L, index, "__tostring")) {
    if (!lua_isstring(L, -1)) luaL_error(L, "'__tostring' must return a string");
  } else {
    int name = luaL_getmetafield(L, index, "__name"); /* pushes nothing if there is none */
    lua_pushfstring(L, "%s: %I", name == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, index),
                    (LUAI_UACINT)identity(L, index));
    if (name != LUA_TNIL) lua_remove(L, -2); /* `luaL_addvalue` needs its buffer directly below the result */
  }
  return lua_tolstring(L, -1, length);
}

int sl_tostring(lua_State *L) {
  luaL_checkany(L, 1);
  sl_tolstring(L, 1, NULL);
  return 1;
}

bool sl_is_hidden(uint32_t scalar) {
  if (scalar < 0x20) return scalar != '\n' && scalar != '\t';
  return (scalar >= 0x7F && scalar < 0xA0) || scalar == 0x061C || scalar == 0x200E || scalar == 0x200F ||
         (scalar >= 0x2028 && scalar <= 0x202E) || (scalar >= 0x2066 && scalar <= 0x2069);
}

/* Pushes a text in which hidden characters, and bytes that are not UTF-8, are escaped as in a Lua string. [-0, +1, m] */
static void push_visible(lua_State *L, const char *bytes, size_t length) {
  const char *at = bytes, *end = bytes + length, *plain = at;
  luaL_Buffer visible;
  luaL_buffinit(L, &visible);
  while (at < end) {
    uint32_t scalar = 0;
    size_t count = sl_decode_utf8(at, end, &scalar);
    if (count > 0 && !sl_is_hidden(scalar)) {
      at += count;
      continue;
    }
    luaL_addlstring(&visible, plain, (size_t)(at - plain));
    char escape[16];
    bool is_byte = count < 2;
    int size = is_byte ? snprintf(escape, sizeof escape, "\\%03d", (unsigned char)*at)
                       : snprintf(escape, sizeof escape, "\\u{%x}", scalar);
    luaL_addlstring(&visible, escape, (size_t)size);
    at += is_byte ? 1 : count;
    plain = at;
  }
  luaL_addlstring(&visible, plain, (size_t)(end - plain));
  luaL_pushresult(&visible);
}

static int append_shown(lua_State *L) {
  sl_append(L, 1, true, NULL, NULL, NULL);
  return 0;
}

/* Pushes a table, draft or view as Lua source text. Returns false, and pushes nothing, if it cannot be a value of state.
 * [-0, +1, e] */
static bool push_layout(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE && sl_to_ref(L, index) == NULL) return false;
  sl_vm *vm = sl_vm_of(L);
  luaL_checkstack(L, 4, NULL);
  sl_begin_tape(L);
  lua_pushcfunction(L, append_shown);
  lua_pushvalue(L, index);
  bool was_stopping = vm->stop.reason != SL_STOP_NONE;
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    if (!was_stopping) sl_end_memory_stop(L);
    /* Scripts must not survive a stop or a cancellation. */
    if (vm->stop.reason != SL_STOP_NONE || sl_is_cancelled(L, -1)) lua_error(L);
    lua_pop(L, 1);
    sl_end_tape(vm);
    return false;
  }
  sl_end_tape(vm);
  if (vm->hooks->show(vm->context, vm->tapes.to_swift.items) == SL_RAISE) return false;
  lua_pushlstring(L, vm->error.message.bytes, vm->error.message.count);
  return true;
}

/* Bytes of output that one test may print. */
enum { MOST_OUTPUT = 1 << 20 };

/* Standard error is often a terminal, so control characters are escaped there. */
void sl_write_output(lua_State *L, const char *bytes, size_t length) {
  sl_vm *vm = sl_vm_of(L);
  if (vm->testing.collects_output) {
    if (vm->testing.output.count < MOST_OUTPUT) sl_text_append(&vm->testing.output, bytes, length);
    return;
  }
  push_visible(L, bytes, length);
  bytes = lua_tolstring(L, -1, &length);
  fwrite(bytes, 1, length, stderr);
  lua_pop(L, 1);
}

/* Each line is one write, so that lines of two threads do not mix. */
void sl_write_line(lua_State *L, void (*push)(lua_State *L, int index)) {
  int count = lua_gettop(L);
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  for (int i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&line, '\t');
    push(L, i);
    luaL_addvalue(&line);
  }
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
  size_t length;
  const char *bytes = lua_tolstring(L, -1, &length);
  sl_write_output(L, bytes, length);
}

static void push_printed(lua_State *L, int index) {
  if (!push_layout(L, index)) sl_tolstring(L, index, NULL);
}

/* print, to standard error, because standard output is for the results of the host. */
int sl_print(lua_State *L) {
  sl_write_line(L, push_printed);
  return 0;
}

/* Of string.format, which takes microseconds per argument. */
enum { MOST_ARGUMENTS = 1000 };

/* string.format as in stock Lua, except that `%s` uses `sl_tolstring`, and that `%p` is refused, because it writes an
 * address. */
static int string_format(lua_State *L) {
  size_t length;
  const char *at = luaL_checklstring(L, 1, &length), *end = at + length;
  int argument = 1, count = lua_gettop(L);
  luaL_argcheck(L, count <= MOST_ARGUMENTS, MOST_ARGUMENTS, "too many arguments");
  while (at < end) {
    if (*at++ != '%') continue;
    if (at < end && *at == '%') {
      at++;
      continue;
    }
    at += strspn(at, "-+ #0123456789.");
    argument++;
    if (at >= end) break;
    if (*at == 'p') {
      return luaL_error(L, "'%%p' is not available to scripts: addresses differ from run to run; use '%%s'");
    }
    if (*at == 's' && argument <= count) {
      sl_tolstring(L, argument, NULL);
      lua_replace(L, argument);
    }
    at++;
  }
  return sl_stock(L);
}

const luaL_Reg sl_text_functions[] = {{"format", string_format}, {"rep", sl_string_rep}, {NULL, NULL}};
