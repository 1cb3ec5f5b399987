/* Protected calls, and what is recorded when one fails. */
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "drafts/internal.h"
#include "limits/internal.h"
#include "sandbox/internal.h"
#include "values/internal.h"

void sl_clear_failure(sl_failure *failure) {
  failure->reason = SL_STOP_NONE;
  failure->line = -1;
  failure->has_value = false;
  failure->is_thrown = false;
  sl_text_set(&failure->script, "", 0);
  sl_text_set(&failure->message, "", 0);
  sl_text_set(&failure->traceback, "", 0);
}

void sl_copy_failure_location(sl_failure *failure, const sl_failure *other) {
  failure->line = other->line;
  sl_text_set(&failure->script, other->script.bytes, other->script.count);
  sl_text_set(&failure->traceback, other->traceback.bytes, other->traceback.count);
}

void sl_copy_failure(sl_failure *failure, const sl_failure *other) {
  sl_clear_failure(failure);
  sl_copy_failure_location(failure, other);
  sl_text_set(&failure->message, other->message.bytes, other->message.count);
  failure->reason = other->reason;
  failure->allowed = other->allowed;
  failure->reached = other->reached;
}

/* Sets a text to the string at `index`. [-0, +0, -] */
static void set_text(sl_text *text, lua_State *L, int index) {
  size_t length;
  const char *bytes = lua_tolstring(L, index, &length);
  sl_text_set(text, bytes, length);
}

void sl_take_failure_location(lua_State *L, sl_vm *vm) {
  set_text(&vm->failure.script, L, -3);
  vm->failure.line = (int)lua_tointeger(L, -2);
  set_text(&vm->failure.traceback, L, -1);
  lua_pop(L, 3);
}

void sl_free_failure(sl_failure *failure) {
  free(failure->script.bytes);
  free(failure->message.bytes);
  free(failure->traceback.bytes);
}

/* `lua_getstack` walks from the innermost function to the level, so that a walk over all levels of a deep recursion costs the
 * square of its depth. This many levels are looked at from each end of the stack. */
enum { NEAR_LEVELS = 200 };

int sl_count_levels(lua_State *L) {
  lua_Debug frame;
  int below = -1, above = 1;
  while (lua_getstack(L, above, &frame)) {
    below = above;
    above *= 2;
  }
  while (above - below > 1) {
    int middle = below + (above - below) / 2;
    if (lua_getstack(L, middle, &frame)) {
      below = middle;
    } else {
      above = middle;
    }
  }
  return above;
}

sl_levels sl_levels_from(int level) { return (sl_levels){.next = level, .skip = level + NEAR_LEVELS}; }

bool sl_next_level(lua_State *from, sl_levels *levels, lua_Debug *frame) {
  if (levels->next >= levels->skip && levels->skip > 0) {
    int last = sl_count_levels(from) - NEAR_LEVELS;
    if (last > levels->next) levels->next = last;
    levels->skip = 0;
  }
  return lua_getstack(from, levels->next++, frame) != 0;
}

const char *sl_find_script(lua_State *from, int level, lua_Debug *frame) {
  for (sl_levels levels = sl_levels_from(level); sl_next_level(from, &levels, frame);) {
    lua_getinfo(from, "Sl", frame);
    if (frame->currentline > 0 && frame->source[0] != '=') return frame->source + (frame->source[0] == '@');
  }
  return NULL;
}

void sl_locate(sl_failure *failure, lua_State *from, int level) {
  lua_Debug frame;
  const char *name = sl_find_script(from, level, &frame);
  failure->line = name == NULL ? -1 : frame.currentline;
  if (name != NULL) sl_text_set(&failure->script, name, strlen(name));
}

void sl_add_position(lua_State *L) {
  lua_Debug frame;
  if (sl_find_script(L, 1, &frame) == NULL) return;
  lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
  lua_insert(L, -2);
  lua_concat(L, 2);
}

/* The levels that a traceback shows at both ends of the stack, as in Lua's luaL_traceback. */
enum { FIRST_LEVELS = 10, LAST_LEVELS = 11 };

static void trace_level(lua_State *from, int level, lua_Debug *frame, sl_text *text) {
  lua_getinfo(from, "Slnt", frame);
  /* The innermost function is a message handler of this library, so it is left out. */
  if (level == 0 && frame->what[0] == 'C' && frame->namewhat[0] == '\0') return;
  sl_text_print(text, "\n\t%s:", frame->short_src);
  if (frame->currentline > 0) sl_text_print(text, "%d:", frame->currentline);
  if (frame->namewhat[0] != '\0') {
    sl_text_print(text, " in %s '%.60s'", frame->namewhat, frame->name);
  } else if (frame->what[0] == 'm') {
    sl_text_print(text, " in main chunk");
  } else if (frame->what[0] == 'C') {
    sl_text_print(text, " in ?");
  } else {
    sl_text_print(text, " in function <%s:%d>", frame->short_src, frame->linedefined);
  }
  if (frame->istailcall) sl_text_print(text, "\n\t(...tail calls...)");
}

void sl_trace(lua_State *from, sl_text *text) {
  text->count = 0;
  sl_text_print(text, "stack traceback:");
  int levels = sl_count_levels(from);
  lua_Debug frame;
  for (int level = 0; level < levels && lua_getstack(from, level, &frame); level++) {
    if (level == FIRST_LEVELS && levels > FIRST_LEVELS + LAST_LEVELS) {
      int skipped = levels - FIRST_LEVELS - LAST_LEVELS;
      sl_text_print(text, "\n\t...\t(skipping %d levels)", skipped);
      level += skipped - 1;
      continue;
    }
    trace_level(from, level, &frame, text);
  }
}

static int append_value(lua_State *L) {
  sl_append(L, 1, true, NULL, NULL, "error");
  return 0;
}

static int make_text(lua_State *L) {
  sl_tolstring(L, 1, NULL);
  return 1;
}

bool sl_push_error_text(lua_State *L, int index) {
  int type = lua_type(L, index);
  if ((type != LUA_TTABLE && type != LUA_TUSERDATA) || sl_to_ref(L, index) != NULL) return false;
  luaL_checkstack(L, 6, NULL);
  index = lua_absindex(L, index);
  if (luaL_getmetafield(L, index, "__tostring") == LUA_TNIL) return false;
  lua_pop(L, 1);
  lua_pushcfunction(L, make_text);
  lua_pushvalue(L, index);
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) return true;
  const char *raised = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, -1);
  lua_pushfstring(L, "error value: %s, whose `__tostring` failed: %s", luaL_typename(L, index), raised);
  lua_remove(L, -2);
  return true;
}

static int push_text(lua_State *L) { return sl_push_error_text(L, 1) ? 1 : 0; }

/* Stores the text of the error value on top of L in vm->failure, if it has one. Its `__tostring` may call the host, which
 * may call Lua, which may fail and record that. So the current record is set aside meanwhile. [-0, +0, -] */
static void record_text(lua_State *L, sl_vm *vm) {
  sl_failure noted = vm->failure;
  vm->failure = (sl_failure){.line = -1};
  lua_pushcfunction(L, push_text);
  lua_pushvalue(L, -2);
  bool is_made = lua_pcall(L, 1, 1, 0) == LUA_OK;
  sl_free_failure(&vm->failure);
  vm->failure = noted;
  if (is_made && lua_type(L, -1) == LUA_TSTRING) set_text(&vm->failure.message, L, -1);
  lua_pop(L, 1);
}

void sl_record_value(lua_State *L, sl_vm *vm) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    set_text(&vm->failure.message, L, -1);
    vm->failure.is_thrown = sl_is_thrown(L);
    lua_pop(L, 1);
    return;
  }
  /* A value that can be stored in state is passed as that value, any other one as a reference. */
  vm->failure.has_value = true;
  bool is_stopped = vm->stop.reason != SL_STOP_NONE;
  sl_begin_tape(L);
  lua_pushcfunction(L, append_value);
  lua_pushvalue(L, -2);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    lua_pop(L, 1);
    if (!is_stopped) sl_end_memory_stop(L);
    record_text(L, vm);
    sl_begin_tape(L);
    sl_append(L, -1, false, NULL, NULL, NULL);
  }
  sl_end_tape(vm);
  lua_pop(L, 1);
}

void sl_record_traceback(lua_State *L, sl_vm *vm, lua_State *from, int level) {
  luaL_traceback(L, from, NULL, level);
  set_text(&vm->failure.traceback, L, -1);
  lua_pop(L, 1);
}

/* The message handler. It runs while the stack of the error still exists. The error value is recorded later, because
 * `<close>` variables that are closed in between may use the tape. [-1, +1, m] */
static int record_location(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  if (vm->stop.reason != SL_STOP_NONE) sl_record_stop_location(vm, L);
  sl_clear_failure(&vm->failure);
  sl_locate(&vm->failure, L, 1);
  sl_record_traceback(L, vm, L, 1);
  return 1;
}

static int record_value(lua_State *L) {
  sl_record_value(L, sl_vm_of(L));
  return 0;
}

/* Records Lua's own message. There is nothing better if no message handler ran, or if it failed. [-0, +0, -] */
static void record_own_message(lua_State *L, sl_vm *vm) {
  bool has_text = lua_type(L, -1) == LUA_TSTRING;
  sl_clear_failure(&vm->failure);
  sl_text_print(&vm->failure.message, "%s", has_text ? lua_tostring(L, -1) : "error in error handling");
}

static int protect(sl_vm *vm, lua_State *L, lua_CFunction body, void *data) {
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 8)) {
    sl_clear_failure(&vm->failure);
    sl_text_print(&vm->failure.message, "stack overflow");
    return LUA_ERRMEM;
  }
  lua_pushcfunction(L, record_location);
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, data);
  int status = lua_pcall(L, 1, 0, top + 1);
  if (status != LUA_OK && vm->stop.reason) {
    if (status == LUA_ERRRUN) sl_take_stop_location(vm);
    status = sl_copy_stop_to_failure(vm);
  } else if (status == LUA_ERRRUN) {
    lua_pushcfunction(L, record_value);
    lua_pushvalue(L, -2); /* the error value stays on the stack, because the tape borrows its strings */
    int recorded = lua_pcall(L, 1, 0, 0);
    if (vm->stop.reason) { /* `__tostring` of the error value was stopped */
      status = sl_copy_stop_to_failure(vm);
    } else if (recorded != LUA_OK) {
      record_own_message(L, vm);
      status = recorded;
    }
  } else if (status != LUA_OK) {
    record_own_message(L, vm);
  }
  lua_settop(L, top);
  return status;
}

int sl_protect(sl_vm *vm, lua_State *L, lua_CFunction body, void *data) {
  if (L == NULL) { /* the VM released a host object when it was closed, and the `deinit` of that object calls the VM */
    sl_clear_failure(&vm->failure);
    sl_text_print(&vm->failure.message, "this VM is closed");
    return LUA_ERRRUN;
  }
  sl_begin_turn(vm);
  int status = protect(vm, L, body, data);
  sl_end_turn(vm);
  return status;
}

struct making {
  lua_CFunction body;
  void *data;
  int *reference;
};

static int make_reference(lua_State *L) {
  const struct making *making = lua_touserdata(L, 1);
  lua_pushlightuserdata(L, making->data);
  lua_replace(L, 1);
  making->body(L);
  *making->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int sl_make_reference(sl_vm *vm, lua_CFunction body, void *data, int *reference) {
  struct making making = {body, data, reference};
  *reference = LUA_NOREF;
  return sl_protect(vm, vm->L, make_reference, &making);
}
