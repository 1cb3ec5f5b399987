/* Bodies of effects: coroutines that Swift's scheduler runs.
 *
 *    idle --- sl_body_start ---> running --- a function waits: it yields ------------> waiting
 *     ^                           | ^ | ^                                                |
 *     |                           | | | +--------------- sl_body_resume -----------------+
 *     +-- finished, cancelled, ---+ | +--- its slice ends: the count hook yields ---> suspended
 *         failed                    +--------------------- sl_body_resume ---------------+
 *
 * Invariants:
 * 1. A body runs inside `body_main`, a C function with lua_pcallk. So its `<close>` variables are closed inside the
 *    coroutine, where they may wait.
 * 2. A wait is a C function that yields. Its continuation `sl_continue` does what the scheduler has decided: it returns
 *    values, raises an error, or raises effect.cancelled.
 * 3. A Lua thread whose body has ended can run the next body, unless the start or resumption returned a status other than
 *    LUA_OK. */
#include <string.h>

#include "core/internal.h"
#include "coroutines/internal.h"
#include "effects/internal.h"
#include "values/internal.h"

/* ---- Waiting -------------------------------------------------------------------------------------------------------- */

int sl_continue(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  switch (sl_vm_of(L)->body.resumption) {
    case SL_RESUME_ERROR: return sl_raise(L);
    case SL_RESUME_ERROR_VALUE: return sl_throw(L, sl_begin_throw(L));
    case SL_RESUME_CANCELLED: sl_push_cancelled(L); return lua_error(L);
    default: return lua_gettop(L);
  }
}

const char *sl_library_name(lua_State *L, lua_Debug *frame) {
  const char *name = NULL;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 8)) return NULL;
  lua_getinfo(L, "f", frame);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  for (lua_pushnil(L); name == NULL && lua_next(L, top + 2); lua_pop(L, 1)) {
    if (!lua_istable(L, -1)) continue;
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
      if (!lua_rawequal(L, -1, top + 1)) continue;
      name = lua_tostring(L, -2); /* borrowed (+0) from the table of the library */
      lua_pop(L, 2);
      break;
    }
  }
  lua_settop(L, top);
  return name;
}

/* The library function whose callback is running: the innermost one, except for functions that take no callback. */
static const char *callback_runner(lua_State *L) {
  lua_Debug frame;
  for (sl_levels levels = sl_levels_from(1); sl_next_level(L, &levels, &frame);) {
    lua_getinfo(L, "Sn", &frame);
    if (frame.what[0] != 'C') continue;
    const char *name = sl_library_name(L, &frame);
    /* Each module has its own `load` and `require`, which only this name identifies. */
    if (name == NULL && strcmp(frame.namewhat, "global") == 0) name = frame.name;
    if (name == NULL || strcmp(name, "error") == 0 || strcmp(name, "assert") == 0 || strcmp(name, "pcall") == 0) continue;
    return name;
  }
  return NULL;
}

bool sl_can_wait(lua_State *L, const char *name) {
  sl_vm *vm = sl_vm_of(L);
  bool is_in_body = vm->body.thread != NULL && vm->drafts.valid.generation == 0;
  if (is_in_body && lua_isyieldable(L)) return true;
  sl_text *message = &vm->error.message;
  message->count = 0;
  const char *runner = is_in_body ? callback_runner(L) : NULL;
  if (runner != NULL) {
    sl_text_print(message, "%s cannot wait in a function that %s calls; do it outside of that", name, runner);
  } else if (is_in_body) {
    sl_text_print(message, "%s cannot wait here, in a function that a library function calls", name);
  } else {
    sl_text_print(message, "%s waits, which only the function of an effect.run may: return effect.run(function(send, deps) … end)",
                  name);
  }
  return false;
}

/* ---- Running -------------------------------------------------------------------------------------------------------- */

/* The stack indices of body_main. The arguments of the function follow. */
enum { AT_CATCH = 1, AT_FUNCTION, AT_SEND, AT_DEPENDENCIES, AT_LOCATION, AT_HANDLER, AT_CALL };

/* The message handler of a body. It runs while the stack of the error still exists. It stores the location on the stack of
 * body_main, because `<close>` variables may wait before the body ends, and other bodies may fail meanwhile. [-1, +1, m] */
static int record_error_location(lua_State *L) {
  if (sl_is_cancelled(L, 1)) return 1;
  sl_vm *vm = sl_vm_of(L);
  if (vm->stop.reason != SL_STOP_NONE) sl_record_stop_location(vm, L);
  sl_clear_failure(&vm->failure);
  sl_locate(&vm->failure, L, 1);
  luaL_checkstack(L, 8, NULL);
  lua_createtable(L, 3, 0);
  lua_pushlstring(L, vm->failure.script.bytes, vm->failure.script.count);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, vm->failure.line);
  lua_rawseti(L, -2, 2);
  luaL_traceback(L, L, NULL, 1);
  lua_rawseti(L, -2, 3);
  lua_Debug outermost;
  lua_getstack(L, sl_count_levels(L) - 1, &outermost);
  lua_setlocal(L, &outermost, AT_LOCATION);
  /* The traceback of a deep stack takes long, so a stop may have begun meanwhile. */
  if (vm->stop.reason != SL_STOP_NONE) sl_record_stop_location(vm, L);
  return 1;
}

/* Moves what `record_error_location` has stored, which is on top of L, to vm->failure. [-1, +0, m] */
static void take_error_location(lua_State *L, sl_vm *vm) {
  sl_clear_failure(&vm->failure);
  if (lua_istable(L, -1)) {
    for (int i = 1; i <= 3; i++) lua_rawgeti(L, -i, i);
    sl_take_failure_location(L, vm);
  }
  lua_pop(L, 1);
}

/* Runs after the function of the body, and after its `catch` function. `catches`: the latter has run. Returns the error value
 * and its location, if the body has failed. */
static int body_ended(lua_State *L, int status, lua_KContext catches) {
  sl_vm *vm = sl_vm_of(L);
  if (status == LUA_OK || status == LUA_YIELD) {
    vm->body.outcome = SL_BODY_FINISHED;
    return 0;
  }
  if (sl_is_cancelled(L, -1)) {
    vm->body.outcome = SL_BODY_CANCELLED;
    return 0;
  }
  if (!catches && !vm->stop.reason && lua_isfunction(L, AT_CATCH)) {
    lua_pushnil(L); /* this error is caught, and Lua calls no message handler when memory ends */
    lua_replace(L, AT_LOCATION);
    lua_pushvalue(L, AT_CATCH);
    lua_insert(L, -2);
    lua_pushvalue(L, AT_SEND);
    lua_pushvalue(L, AT_DEPENDENCIES);
    return body_ended(L, lua_pcallk(L, 3, 0, AT_HANDLER, true, body_ended), true);
  }
  vm->body.outcome = SL_BODY_FAILED;
  lua_pushvalue(L, AT_LOCATION);
  return 2;
}

/* Releases the functions that the body owns. [-0, +0, -] */
static void release_functions(lua_State *L, sl_body *body) {
  if (!body->owns) return;
  luaL_unref(L, LUA_REGISTRYINDEX, body->catching);
  luaL_unref(L, LUA_REGISTRYINDEX, body->function);
  body->owns = false;
}

/* The argument is an sl_body in a light userdata. An out-of-memory error here is raised inside the coroutine, like an
 * error of the body. */
static int body_main(lua_State *L) {
  sl_body *body = lua_touserdata(L, 1);
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, body->catching); /* nil for LUA_NOREF */
  lua_rawgeti(L, LUA_REGISTRYINDEX, body->function);
  release_functions(L, body);
  if (body->serial == 0) {
    lua_pushnil(L);
    lua_pushnil(L);
  } else {
    lua_pushinteger(L, (lua_Integer)body->serial);
    lua_pushcclosure(L, sl_send_action, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, body->dependencies);
  }
  lua_pushnil(L); /* no error has a location yet */
  lua_pushcfunction(L, record_error_location);
  lua_pushvalue(L, AT_FUNCTION);
  if (body->serial != 0) {
    lua_pushvalue(L, AT_SEND);
    lua_pushvalue(L, AT_DEPENDENCIES);
  }
  return body_ended(L, lua_pcallk(L, lua_gettop(L) - AT_CALL, 0, AT_HANDLER, false, body_ended), false);
}

struct failed {
  lua_State *thread;
  int status, raised;
};

/* Records in vm->failure why a body failed, and makes a reference (+1) to the error value. */
static int note_failure(lua_State *L) {
  struct failed *failed = lua_touserdata(L, 1);
  sl_vm *vm = sl_vm_of(L);
  if (failed->status == LUA_OK) {
    lua_xmove(failed->thread, L, 2);
    take_error_location(L, vm);
  } else { /* body_main itself failed */
    sl_clear_failure(&vm->failure);
    sl_record_traceback(L, vm, failed->thread, 0);
    lua_xmove(failed->thread, L, 1);
  }
  lua_pushvalue(L, -1);
  failed->raised = luaL_ref(L, LUA_REGISTRYINDEX);
  sl_record_value(L, vm);
  return 0;
}

/* Resumes a Lua thread with the `count` values on top of its stack, or starts it with the function below them. lua_resume
 * catches what the coroutine raises, so this needs no protected call. */
static int run(sl_vm *vm, lua_State *thread, int resumption, int count, int *outcome, int *raised) {
  lua_State *outer = vm->L;
  int results = 0;
  vm->L = thread; /* calls from Swift into Lua run on this Lua thread meanwhile */
  vm->body.resumption = resumption;
  sl_begin_turn(vm);
  sl_begin_slice(vm, thread, resumption);
  lua_State *outside = sl_enter_thread(vm, thread);
  if (vm->body.is_cancelled) sl_set_count_hook(thread);
  int status = lua_resume(thread, outer, count, &results);
  bool is_stopped = vm->stop.reason && status != LUA_YIELD && (status != LUA_OK || vm->body.outcome == SL_BODY_FAILED);
  if (is_stopped) sl_copy_stop_to_failure(vm);
  sl_leave_thread(vm, outside);
  sl_end_slice(vm);
  sl_end_turn(vm);
  vm->L = outer;
  *raised = LUA_NOREF;
  if (status == LUA_YIELD) {
    lua_pop(thread, results);
    *outcome = vm->body.slice.is_suspended ? SL_BODY_SUSPENDED : SL_BODY_WAITING;
    return LUA_OK;
  }
  *outcome = status == LUA_OK ? vm->body.outcome : SL_BODY_FAILED;
  if (*outcome != SL_BODY_FAILED) return LUA_OK;
  if (is_stopped) return LUA_ERRRUN;
  struct failed failed = {.thread = thread, .status = status, .raised = LUA_NOREF};
  int noted = sl_protect(vm, outer, note_failure, &failed);
  *raised = failed.raised;
  if (vm->stop.reason) return sl_copy_stop_to_failure(vm); /* `__tostring` of the error value was stopped */
  return noted != LUA_OK ? noted : status;
}

int sl_body_start(sl_vm *vm, lua_State *thread, sl_body *body, int *outcome, int *raised) {
  lua_pushcfunction(thread, body_main); /* a Lua thread that runs nothing has stack slots for these */
  lua_pushlightuserdata(thread, body);
  int status = run(vm, thread, SL_RESUME_VALUES, 1, outcome, raised);
  release_functions(vm->L, body); /* it may have failed before body_main released them */
  return status;
}

struct values {
  lua_State *thread;
  const sl_value *tape;
  int count;
};

static int push_values(lua_State *L) {
  struct values *values = lua_touserdata(L, 1);
  sl_push_all(L, values->tape, values->count);
  if (!lua_checkstack(values->thread, values->count + 8)) return luaL_error(L, "too many results");
  lua_xmove(L, values->thread, values->count);
  return 0;
}

int sl_body_resume(sl_vm *vm, lua_State *thread, int resumption, const sl_value *tape, int count, int *outcome, int *raised) {
  if (count > 0) {
    struct values values = {thread, tape, count};
    *outcome = SL_BODY_FAILED;
    *raised = LUA_NOREF;
    int status = sl_protect(vm, vm->L, push_values, &values);
    if (status != LUA_OK) return status;
  }
  return run(vm, thread, resumption, count, outcome, raised);
}

const char *sl_body_definition(lua_State *thread, int *line) {
  lua_Debug frame;
  const char *source = NULL;
  for (sl_levels levels = sl_levels_from(0); sl_next_level(thread, &levels, &frame);) {
    lua_getinfo(thread, "S", &frame);
    if (frame.what[0] == 'C' || frame.source[0] == '=') continue;
    source = frame.source; /* borrowed (+0) from the prototype of the function, which is on the stack */
    *line = frame.linedefined;
  }
  return source;
}
