/* Coroutines that Swift runs (``LuaCoroutine``). */
#include "core/internal.h"
#include "coroutines/internal.h"
#include "values/internal.h"

struct thread {
  lua_State *thread;
  const sl_value *tape;
  int function, arguments;
  int status;
};

static int thread_new_body(lua_State *L) {
  struct thread *data = lua_touserdata(L, 1);
  data->thread = lua_newthread(L);
  if (data->function == LUA_NOREF) return 1;
  lua_rawgeti(L, LUA_REGISTRYINDEX, data->function);
  lua_xmove(L, data->thread, 1);
  return 1;
}

int sl_thread_new(sl_vm *vm, int function, int *reference, lua_State **thread) {
  struct thread data = {.function = function};
  int status = sl_make_reference(vm, thread_new_body, &data, reference);
  *thread = data.thread;
  return status;
}

static int resume_body(lua_State *L) {
  struct thread *data = lua_touserdata(L, 1);
  sl_push_all(L, data->tape, data->arguments);
  if (!lua_checkstack(data->thread, data->arguments + 8)) return luaL_error(L, "too many arguments");
  lua_xmove(L, data->thread, data->arguments);
  int results = 0;
  sl_vm *vm = sl_vm_of(L);
  vm->body.resumption = SL_RESUME_VALUES;
  lua_State *outside = sl_enter_thread(vm, data->thread);
  data->status = lua_resume(data->thread, L, data->arguments, &results);
  sl_leave_thread(vm, outside);
  if (data->status == LUA_OK || data->status == LUA_YIELD) {
    luaL_checkstack(L, results + 8, "too many results");
    lua_xmove(data->thread, L, results);
    sl_append_results(L, 2, false);
  } else { /* the stack of the error still exists */
    sl_clear_failure(&vm->failure);
    sl_locate(&vm->failure, data->thread, 0);
    sl_record_traceback(L, vm, data->thread, 0);
  }
  return 0;
}

static int end_body(lua_State *L) {
  struct thread *data = lua_touserdata(L, 1);
  lua_State *outside = sl_enter_thread(sl_vm_of(L), data->thread);
  data->status = lua_resetthread(data->thread);
  sl_leave_thread(sl_vm_of(L), outside);
  if (data->status == LUA_OK) return 0;
  lua_xmove(data->thread, L, 1);
  lua_settop(data->thread, 0);
  sl_record_value(L, sl_vm_of(L));
  return 0;
}

/* Ends a Lua thread that failed or waits. Its `<close>` variables are closed and get the error, if there is one; an error
 * that they raise replaces it. The error is then in vm->failure. */
static int end_thread(sl_vm *vm, struct thread *data) {
  int status = sl_protect(vm, vm->L, end_body, data);
  return status != LUA_OK ? status : data->status;
}

/* Resumes in one protected call and ends a failed thread in another one, because both may need memory for a message,
 * outside of what the Lua thread catches. */
int sl_resume(sl_vm *vm, lua_State *thread, const sl_value *tape, int arguments) {
  struct thread data = {.thread = thread, .tape = tape, .arguments = arguments};
  sl_begin_turn(vm);
  int status = sl_protect(vm, vm->L, resume_body, &data);
  if (status == LUA_OK && (data.status == LUA_OK || data.status == LUA_YIELD)) {
    status = data.status;
  } else {
    int ended = end_thread(vm, &data);
    if (status == LUA_OK) status = ended;
    if (vm->stop.reason) status = sl_copy_stop_to_failure(vm);
  }
  sl_end_turn(vm);
  return status;
}

int sl_thread_close(sl_vm *vm, lua_State *thread) {
  struct thread data = {.thread = thread};
  sl_clear_failure(&vm->failure);
  return end_thread(vm, &data);
}
