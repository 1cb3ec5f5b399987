/* The functions with which scripts make effects, send actions and sleep. Each checks its arguments and calls a hook. */
#include <math.h>
#include <string.h>

#include "effects/internal.h"

#include "core/internal.h"
#include "coroutines/internal.h"
#include "limits/internal.h"
#include "sandbox/internal.h"
#include "values/internal.h"

enum { MOST_SENT = 1024 };

/* Pushes the cached effect that sends the action path at index 1 without a payload, if there is one. [-0, +1, -] */
static bool push_known(lua_State *L, sl_vm *vm) {
  if (lua_type(L, 1) != LUA_TSTRING || !lua_isnoneornil(L, 2)) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, vm->sent.table);
  lua_pushvalue(L, 1);
  if (lua_rawget(L, -2) == LUA_TUSERDATA) return true;
  lua_pop(L, 2);
  return false;
}

/* Makes the box first, so that an out-of-memory error can leak neither an effect nor the references on the tape. */
static int push_effect(lua_State *L, const char *name) {
  sl_vm *vm = sl_vm_of(L);
  void **box = sl_push_empty_box(L, SL_BOX_EFFECT);
  sl_end_tape(vm);
  if (vm->hooks->effect(vm->context, name, vm->tapes.to_swift.items, box) == SL_RAISE) sl_raise(L);
  return 1;
}

/* Called while a tape is being written. It removes what it appends, so the tape is the same afterwards. */
void *sl_box_run(lua_State *L, int index, sl_run *run) {
  sl_vm *vm = sl_vm_of(L);
  size_t count = vm->tapes.to_swift.count, unclaimed = vm->tapes.unclaimed.count;
  luaL_checkstack(L, 4, NULL);
  index = lua_absindex(L, index);
  void **box = sl_push_empty_box(L, SL_BOX_EFFECT);
  sl_append_run(L, index, run);
  vm->tapes.unclaimed.count = unclaimed; /* the receiver owns the references of the run */
  int status = vm->hooks->effect(vm->context, "run", vm->tapes.to_swift.items + count, box);
  vm->tapes.to_swift.count = count;
  if (status == SL_RAISE) sl_raise(L);
  void *object = *box;
  lua_setiuservalue(L, index, SL_RUN_BOX);
  run->is_boxed = true;
  return object;
}

/* Appends a value that must be a value of state, or nil. */
static void append_value(lua_State *L, int index, const char *name) {
  bool is_box = sl_to_box(L, index, &(int){0}) != NULL || sl_to_run(L, index) != NULL;
  if (lua_isfunction(L, index) || is_box) sl_reject_type(L, index, NULL, NULL, name);
  sl_append(L, index, true, NULL, NULL, name);
}

static void append_action(lua_State *L) {
  lua_settop(L, 2);
  sl_begin_tape(L);
  append_value(L, 1, "action");
  append_value(L, 2, "payload");
}

/* Caches the effect on top of the stack by its action path. Effects are immutable, so one per path is enough. [-0, +0, m] */
static void remember(lua_State *L, sl_vm *vm) {
  if (++vm->sent.count > MOST_SENT) {
    lua_newtable(L);
    lua_rawseti(L, LUA_REGISTRYINDEX, vm->sent.table);
    vm->sent.count = 1;
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, vm->sent.table);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -3);
  sl_set_own(L, vm, -3);
  lua_pop(L, 1);
}

/* Raises for a third argument, which would be lost. */
static void check_sent(lua_State *L) {
  if (lua_gettop(L) <= 2 || lua_isnil(L, 3)) return;
  luaL_error(L, "'send' takes an action and one payload; put several values into a table, as "
                "send(\"save\", { id = 3, name = \"Milk\" })");
}

static int make_send(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  check_sent(L);
  if (push_known(L, vm)) return 1;
  bool is_path = lua_type(L, 1) == LUA_TSTRING && lua_isnoneornil(L, 2);
  append_action(L);
  push_effect(L, "send");
  if (is_path) remember(L, vm);
  return 1;
}

/* send(action, payload?). Upvalue: the serial number of the body. */
int sl_send_action(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  check_sent(L);
  uint64_t body = (uint64_t)lua_tointeger(L, lua_upvalueindex(1));
  void *effect = NULL;
  if (lua_type(L, 1) == LUA_TSTRING && lua_isnoneornil(L, 2)) {
    make_send(L);
    effect = *(void **)lua_touserdata(L, -1);
  } else {
    append_action(L);
    sl_end_tape(vm);
  }
  int outcome = vm->hooks->send(vm->context, body, effect, vm->tapes.to_swift.items, lua_isyieldable(L));
  if (outcome == SL_RAISE) return sl_raise(L);
  if (outcome != SL_YIELD) return 0;
  lua_settop(L, 0);
  return lua_yieldk(L, 0, 0, sl_continue);
}

/* Checks the options at `index`: nil, or a table with no other key than `name`. Pushes the value of that key, or nil.
 * [-0, +1, e] */
static void push_option(lua_State *L, int index, const char *name, int type) {
  lua_settop(L, index);
  lua_pushnil(L); /* the result, if there is no option */
  if (lua_isnil(L, index)) return;
  if (!lua_istable(L, index)) {
    const char *example = type == LUA_TFUNCTION ? "fn" : "true";
    const char *got = luaL_typename(L, index);
    luaL_argerror(L, index, lua_pushfstring(L, "a table of options expected, as { %s = %s }, got %s", name, example, got));
  }
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), name) != 0) {
      luaL_argerror(L, index, lua_pushfstring(L, "the only option is '%s', there is no '%s'", name, sl_tolstring(L, -2, NULL)));
    }
    lua_copy(L, -1, index + 1);
  }
  if (!lua_isnil(L, -1) && lua_type(L, -1) != type) {
    luaL_argerror(L, index, lua_pushfstring(L, "the option '%s' must be a %s, not a %s", name, lua_typename(L, type), luaL_typename(L, -1)));
  }
}

/* The sl_run at 1; null for an effect in a box. Raises for anything else. */
static sl_run *check_effect(lua_State *L, const char *method) {
  int kind;
  sl_run *run = sl_to_run(L, 1);
  if (run != NULL) return run;
  if (sl_to_box(L, 1, &kind) == NULL || kind != SL_BOX_EFFECT) {
    const char *got = luaL_typename(L, 1);
    luaL_argerror(L, 1, lua_pushfstring(L, "effect expected, got %s; call it with a colon: effect:%s(…)", got, method));
  }
  return NULL;
}

/* Whether the plain table at `index` has this key. [-0, +0, -] */
static bool has_key(lua_State *L, int index, const char *key) {
  lua_pushstring(L, key);
  bool has = lua_rawget(L, index) != LUA_TNIL;
  lua_pop(L, 1);
  return has;
}

/* Whether the value at `index` was meant as options that contain the id: a table with the name of an option, or with
 * nothing but `id`. Any other table may be an id, as { kind = "load", id = 3 }. [-0, +0, -] */
static bool is_options(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  luaL_checkstack(L, 3, NULL);
  if (has_key(L, index, "cancelInFlight") || has_key(L, index, "latest")) return true;
  if (!has_key(L, index, "id")) return false;
  int count = 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) count++;
  return count == 1;
}

static int native_is_options(lua_State *L) {
  lua_pushboolean(L, is_options(L, 1));
  return 1;
}

/* `form` is how the call is written. */
static void append_id(lua_State *L, int index, const char *form) {
  if (lua_isnoneornil(L, index)) luaL_argerror(L, index, lua_pushfstring(L, "an id expected, got nil; write %s", form));
  if (is_options(L, index)) luaL_argerror(L, index, lua_pushfstring(L, "an id expected, got a table of options; write %s", form));
  append_value(L, index, "id");
}

static void append_seconds(lua_State *L, int index, const char *form) {
  int is_number;
  lua_Number seconds = lua_tonumberx(L, index, &is_number);
  if (!is_number || !(seconds >= 0)) {
    const char *got = is_number ? luaL_tolstring(L, index, NULL) : luaL_typename(L, index);
    luaL_argerror(L, index, lua_pushfstring(L, "a time of zero or more seconds expected, got %s; write %s", got, form));
  }
  lua_pushnumber(L, seconds);
  sl_append(L, -1, false, NULL, NULL, NULL);
  lua_pop(L, 1);
}

/* Pushes an empty sl_run. [-0, +1, m] */
static sl_run *push_run(lua_State *L, int values) {
  sl_run *run = lua_newuserdatauv(L, sizeof *run, values);
  *run = (sl_run){.catches = false};
  lua_rawgeti(L, LUA_REGISTRYINDEX, sl_vm_of(L)->metatables.run);
  lua_setmetatable(L, -2);
  return run;
}

static int make_run(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  push_option(L, 2, "catch", LUA_TFUNCTION);
  bool catches = !lua_isnil(L, -1);
  push_run(L, catches ? SL_RUN_CATCH : SL_RUN_FUNCTION)->catches = catches;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, SL_RUN_FUNCTION);
  if (catches) {
    lua_pushvalue(L, -2);
    lua_setiuservalue(L, -2, SL_RUN_CATCH);
  }
  return 1;
}

/* Longer ids go through Swift, which refuses ids that are too long. */
enum { SHORT_ID = 1024 };

/* Whether the value at `index` is a scalar that can be stored in state. Only such an id is certain to be the same when
 * the effect is returned. [-0, +0, -] */
static bool is_scalar(lua_State *L, int index) {
  size_t length;
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN: return true;
    case LUA_TNUMBER: return lua_isinteger(L, index) || isfinite(lua_tonumber(L, index));
    case LUA_TSTRING: {
      const char *text = lua_tolstring(L, index, &length);
      return length <= SHORT_ID && sl_is_utf8(text, length);
    }
    default: return false;
  }
}

/* Makes a copy of the sl_run at 1 with the id at 2. `cancelInFlight` is on top of the stack. [-0, +1, m] */
static int make_cancellable_run(lua_State *L, bool catches) {
  bool replaces = lua_toboolean(L, -1);
  sl_run *run = push_run(L, catches ? SL_RUN_CATCH : SL_RUN_ID);
  *run = (sl_run){.catches = catches, .has_id = true, .replaces = replaces};
  lua_getiuservalue(L, 1, SL_RUN_FUNCTION);
  lua_setiuservalue(L, -2, SL_RUN_FUNCTION);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, SL_RUN_ID);
  if (catches) {
    lua_getiuservalue(L, 1, SL_RUN_CATCH);
    lua_setiuservalue(L, -2, SL_RUN_CATCH);
  }
  return 1;
}

static int make_cancellable(lua_State *L) {
  const sl_run *run = check_effect(L, "cancellable");
  push_option(L, 3, "cancelInFlight", LUA_TBOOLEAN);
  if (run != NULL && !run->has_id && is_scalar(L, 2)) return make_cancellable_run(L, run->catches);
  sl_begin_tape(L);
  sl_append(L, 1, false, NULL, NULL, NULL);
  append_id(L, 2, "cancellable(\"x\", { cancelInFlight = true })");
  sl_append(L, -1, false, NULL, NULL, NULL);
  return push_effect(L, "cancellable");
}

static int make_cancel(lua_State *L) {
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TSTRING);
  lua_settop(L, 2);
  sl_begin_tape(L);
  append_id(L, 1, "effect.cancel(\"x\")");
  sl_append(L, 2, true, NULL, NULL, NULL);
  return push_effect(L, "cancel");
}

/* Appends the time of an alarm: seconds or a date, and whether it is a date. */
static void append_due(lua_State *L, int index, const char *form) {
  bool is_date = lua_istable(L, index);
  if (is_date) {
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
      if (lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), "at") == 0) continue;
      luaL_argerror(L, index, lua_pushfstring(L, "the only field is 'at', there is no '%s'", sl_tolstring(L, -2, NULL)));
    }
    lua_getfield(L, index, "at");
  } else {
    lua_pushvalue(L, index);
  }
  int is_number;
  lua_Number seconds = lua_tonumberx(L, -1, &is_number);
  if (!is_number || !isfinite(seconds) || (!is_date && seconds < 0)) {
    const char *got = is_number ? luaL_tolstring(L, -1, NULL) : luaL_typename(L, -1);
    const char *expected = is_date ? "a date in seconds since 1970" : "a time of zero or more seconds or { at = date }";
    luaL_argerror(L, index, lua_pushfstring(L, "%s expected, got %s; write %s", expected, got, form));
  }
  lua_pushnumber(L, seconds);
  sl_append(L, -1, false, NULL, NULL, NULL);
  lua_pushboolean(L, is_date);
  sl_append(L, -1, false, NULL, NULL, NULL);
  lua_pop(L, 3);
}

/* alarm(id, seconds or { at = date }, action, payload?) */
static int make_alarm(lua_State *L) {
  static const char form[] = "effect.alarm(\"turn\", 30, \"turnOver\")";
  if (lua_gettop(L) > 4 && !lua_isnil(L, 5)) {
    luaL_error(L, "'alarm' takes an id, a time, an action and one payload; put several values into a table");
  }
  lua_settop(L, 4);
  sl_begin_tape(L);
  append_id(L, 1, form);
  append_due(L, 2, form);
  append_value(L, 3, "action");
  append_value(L, 4, "payload");
  return push_effect(L, "alarm");
}

static int make_cancel_alarm(lua_State *L) {
  lua_settop(L, 1);
  sl_begin_tape(L);
  append_id(L, 1, "effect.cancelAlarm(\"turn\")");
  return push_effect(L, "cancelAlarm");
}

static int make_debounce(lua_State *L) {
  static const char form[] = "debounce(\"x\", 0.3)";
  check_effect(L, "debounce");
  sl_begin_tape(L);
  sl_append(L, 1, false, NULL, NULL, NULL);
  append_id(L, 2, form);
  append_seconds(L, 3, form);
  return push_effect(L, "debounce");
}

static int make_throttle(lua_State *L) {
  static const char form[] = "throttle(\"x\", 0.3, { latest = true })";
  check_effect(L, "throttle");
  push_option(L, 4, "latest", LUA_TBOOLEAN);
  sl_begin_tape(L);
  sl_append(L, 1, false, NULL, NULL, NULL);
  append_id(L, 2, form);
  append_seconds(L, 3, form);
  sl_append(L, -1, false, NULL, NULL, NULL);
  return push_effect(L, "throttle");
}

static int make_map(lua_State *L) {
  check_effect(L, "map");
  luaL_checktype(L, 2, LUA_TFUNCTION);
  sl_begin_tape(L);
  sl_append(L, 1, false, NULL, NULL, NULL);
  sl_append(L, 2, false, NULL, NULL, NULL);
  return push_effect(L, "map");
}

static int make_with_value(lua_State *L, const char *method) {
  check_effect(L, method);
  luaL_argcheck(L, !lua_isnoneornil(L, 2), 2, "value expected");
  sl_begin_tape(L);
  sl_append(L, 1, false, NULL, NULL, NULL);
  append_value(L, 2, method);
  return push_effect(L, method);
}

static int make_transaction(lua_State *L) { return make_with_value(L, "transaction"); }
static int make_animation(lua_State *L) { return make_with_value(L, "animation"); }

static int make_dismiss(lua_State *L) {
  sl_begin_tape(L);
  return push_effect(L, "dismiss");
}

/* sleep(seconds), sleepUntil(time). Upvalue: the box of the clock, or nil for the store's clock. */
static int wait_on_clock(lua_State *L, bool until) {
  sl_vm *vm = sl_vm_of(L);
  int is_number;
  lua_Number seconds = lua_tonumberx(L, 1, &is_number);
  if (!is_number || !(seconds >= 0)) {
    const char *got = is_number ? luaL_tolstring(L, 1, NULL) : luaL_typename(L, 1);
    const char *remedy = lua_isuserdata(L, 1) ? "; call it with a dot: deps.clock.sleep(seconds)" : "";
    return luaL_error(L, "bad argument #1 to 'clock.sleep' (a time of zero or more seconds expected, got %s%s)", got, remedy);
  }
  if (!sl_can_wait(L, "clock.sleep")) return sl_raise(L);
  void **clock = lua_touserdata(L, lua_upvalueindex(1));
  if (vm->hooks->sleep(vm->context, clock == NULL ? NULL : *clock, seconds, until) == SL_RAISE) {
    sl_push_cancelled(L);
    return lua_error(L);
  }
  lua_settop(L, 0);
  return lua_yieldk(L, 0, 0, sl_continue);
}

static int sleep_for(lua_State *L) { return wait_on_clock(L, false); }
static int sleep_until(lua_State *L) { return wait_on_clock(L, true); }

/* clockWaits(clock?): returns sleep and sleepUntil of that clock. */
static int clock_waits(lua_State *L) {
  int kind;
  lua_settop(L, 1);
  if (!lua_isnil(L, 1) && sl_to_box(L, 1, &kind) == NULL) luaL_typeerror(L, 1, "clock");
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, sleep_for, 1);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, sleep_until, 1);
  return 2;
}

/* Adds a table of functions to the natives, which are on top of the stack. [-0, +0, m] */
static void add_table(lua_State *L, const char *name, const luaL_Reg *functions) {
  lua_newtable(L);
  luaL_setfuncs(L, functions, 0);
  lua_setfield(L, -2, name);
}

void sl_open_effects(lua_State *L) {
  /* Each by the name by which scripts call it: effect.send(…). Swift adds those that it makes, `effect.lua` those in Lua. */
  static const luaL_Reg functions[] = {
      {"send", make_send},       {"run", make_run},     {"cancel", make_cancel},
      {"dismiss", make_dismiss}, {"alarm", make_alarm}, {"cancelAlarm", make_cancel_alarm},
      {NULL, NULL}};
  /* The methods of effects: effect:map(…). */
  static const luaL_Reg methods[] = {
      {"cancellable", make_cancellable}, {"debounce", make_debounce},       {"throttle", make_throttle},
      {"map", make_map},                 {"transaction", make_transaction}, {"animation", make_animation},
      {NULL, NULL}};
  static const luaL_Reg natives[] = {
      {"clockWaits", clock_waits}, {"try", sl_native_try}, {"isOptions", native_is_options}, {NULL, NULL}};
  add_table(L, "effectFunctions", functions);
  add_table(L, "effectMethods", methods);
  luaL_setfuncs(L, natives, 0);
  lua_newtable(L);
  sl_vm_of(L)->sent.table = luaL_ref(L, LUA_REGISTRYINDEX);
}

bool sl_is_clock_sleep(sl_vm *vm, int function, void **clock) {
  lua_State *L = vm->L;
  *clock = NULL;
  if (!lua_checkstack(L, 2)) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  bool sleeps = lua_tocfunction(L, -1) == sleep_for;
  if (sleeps && lua_getupvalue(L, -1, 1) != NULL) {
    void **box = lua_touserdata(L, -1);
    if (box != NULL) *clock = *box;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return sleeps;
}
