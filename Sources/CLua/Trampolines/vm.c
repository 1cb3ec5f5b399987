/* The life of a VM, its memory, and protected calls. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "clua.h"

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

/* Counts, and refuses growth over the limit or on behalf of a test; a shrink is never refused, as Lua requires. */
static void *allocate(void *user, void *pointer, size_t old_size, size_t size) {
  sl_vm *vm = user;
  size_t before = pointer ? old_size : 0;
  if (size == 0) {
    free(pointer);
    vm->used -= before;
    return NULL;
  }
  if (size > before) {
    if (vm->fail_at == 0) {
      if (vm->fail_count > 0) {
        vm->fail_count--;
        return NULL;
      }
    } else if (vm->fail_at > 0) {
      vm->fail_at--;
    }
    if (vm->limit != 0 && vm->used + (size - before) > vm->limit) return NULL;
  }
  void *moved = realloc(pointer, size);
  if (moved == NULL) return size <= before ? pointer : NULL;
  vm->used = vm->used - before + size;
  if (vm->used > vm->peak) vm->peak = vm->used;
  return moved;
}

bool sl_tape_reserve(sl_tape *tape, size_t more) {
  size_t needed = tape->count + more;
  if (needed <= tape->capacity) return true;
  size_t capacity = tape->capacity * 2 > needed ? tape->capacity * 2 : needed + 30;
  sl_value *items = realloc(tape->items, capacity * sizeof *items);
  if (items == NULL) return false;
  tape->items = items;
  tape->capacity = capacity;
  return true;
}

bool sl_text_append(sl_text *text, const char *bytes, size_t length) {
  size_t needed = text->count + length + 1;
  if (needed > text->capacity) {
    size_t capacity = text->capacity * 2 > needed ? text->capacity * 2 : needed + 100;
    char *grown = realloc(text->bytes, capacity);
    if (grown == NULL) return false;
    text->bytes = grown;
    text->capacity = capacity;
  }
  memcpy(text->bytes + text->count, bytes, length);
  text->count += length;
  text->bytes[text->count] = '\0';
  return true;
}

static void set_text(sl_text *text, const char *bytes, size_t length) {
  text->count = 0;
  sl_text_append(text, bytes, length);
}

void sl_set_error(sl_vm *vm, const char *bytes, size_t length) { set_text(&vm->error, bytes, length); }

/* ---- Failures ------------------------------------------------------------------------------------------------------ */

static void clear_failure(sl_vm *vm, int status) {
  sl_failure *failure = &vm->failure;
  failure->status = status;
  failure->line = -1;
  failure->has_value = false;
  set_text(&failure->script, "", 0);
  set_text(&failure->message, "", 0);
  set_text(&failure->traceback, "", 0);
}

void sl_fail(sl_vm *vm, int status, const char *message) {
  clear_failure(vm, status);
  set_text(&vm->failure.message, message, strlen(message));
}

/* The innermost function of a script on `from`, starting at `level`. Chunks whose name begins with `=` are our own. */
static void locate(sl_vm *vm, lua_State *from, int level) {
  lua_Debug frame;
  for (; lua_getstack(from, level, &frame); level++) {
    lua_getinfo(from, "Sl", &frame);
    if (frame.currentline > 0 && frame.source[0] != '=') {
      const char *name = frame.source[0] == '@' ? frame.source + 1 : frame.source;
      vm->failure.line = frame.currentline;
      set_text(&vm->failure.script, name, strlen(name));
      return;
    }
  }
}

void sl_where(lua_State *L) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (frame.currentline > 0 && frame.source[0] != '=') {
      lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
      return;
    }
  }
  lua_pushliteral(L, "");
}

static int append_value(lua_State *L) {
  sl_append(L, 1, true, NULL, NULL, "error");
  return 0;
}

/* Puts the error value at the top of L, which it pops, into vm->failure. [-1, +0, m] */
static void record_value(lua_State *L, sl_vm *vm) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    size_t length;
    const char *text = lua_tolstring(L, -1, &length);
    set_text(&vm->failure.message, text, length);
    lua_pop(L, 1);
    return;
  }
  /* A value of the state's kind survives as that; anything else as a reference. */
  vm->failure.has_value = true;
  sl_begin_tape(L);
  lua_pushcfunction(L, append_value);
  lua_pushvalue(L, -2);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    lua_pop(L, 1);
    sl_begin_tape(L);
    sl_append(L, -1, false, NULL, NULL, NULL);
  }
  sl_end_tape(vm);
  lua_pop(L, 1);
}

static void record_traceback(lua_State *L, sl_vm *vm, lua_State *from, int level) {
  luaL_traceback(L, from, NULL, level);
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  set_text(&vm->failure.traceback, text, length);
  lua_pop(L, 1);
}

/* The message handler: the stack of the error is still there. [-1, +1, m] */
static int record_failure(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  clear_failure(vm, LUA_ERRRUN);
  locate(vm, L, 1);
  record_traceback(L, vm, L, 1);
  lua_pushvalue(L, 1);
  record_value(L, vm);
  return 1;
}

int sl_protect(sl_vm *vm, lua_State *L, lua_CFunction body, void *data) {
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 8)) {
    sl_fail(vm, LUA_ERRMEM, "stack overflow");
    return LUA_ERRMEM;
  }
  lua_pushcfunction(L, record_failure);
  lua_pushcfunction(L, body);
  lua_pushlightuserdata(L, data);
  int status = lua_pcall(L, 1, 0, top + 1);
  if (status != LUA_OK) {
    if (status != LUA_ERRRUN) { /* without the handler, or it failed itself: Lua's own message is the best there is */
      clear_failure(vm, status);
      size_t length = 0;
      const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : NULL;
      if (text == NULL) {
        text = "error in error handling";
        length = strlen(text);
      }
      set_text(&vm->failure.message, text, length);
    }
    lua_settop(L, top);
    return status;
  }
  lua_settop(L, top);
  return LUA_OK;
}

/* ---- VM ------------------------------------------------------------------------------------------------------------ */

static int open_vm(lua_State *L) {
  sl_vm *vm = sl_vm_of(L);
  luaL_openlibs(L); /* the sandbox copies from these; scripts never see them */
  vm->refs_metatable = vm->refs_cache = vm->anchors = LUA_NOREF;
  sl_open_boxes(L);
  sl_open_null(L);
  sl_open_drafts(L);
  sl_open_sandbox(L);
  return 0;
}

sl_vm *sl_vm_new(const sl_hooks *hooks, void *context, size_t limit) {
  sl_vm *vm = calloc(1, sizeof *vm);
  if (vm == NULL) return NULL;
  vm->hooks = hooks;
  vm->context = context;
  vm->limit = limit;
  vm->fail_at = -1;

  vm->L = lua_newstate(allocate, vm);
  if (vm->L == NULL) {
    free(vm);
    return NULL;
  }
  *(sl_vm **)lua_getextraspace(vm->L) = vm; /* threads inherit it */
  lua_gc(vm->L, LUA_GCINC, 0, 0, 0);
  if (sl_protect(vm, vm->L, open_vm, NULL) != LUA_OK) {
    sl_vm_free(vm);
    return NULL;
  }
  return vm;
}

void sl_vm_free(sl_vm *vm) {
  lua_close(vm->L);
  free(vm->tape.items);
  free(vm->unclaimed.items);
  free(vm->results.items);
  free(vm->text.bytes);
  free(vm->error.bytes);
  free(vm->failure.script.bytes);
  free(vm->failure.message.bytes);
  free(vm->failure.traceback.bytes);
  free(vm);
}

/* ---- Protected operations ------------------------------------------------------------------------------------------ */

struct load {
  const char *source, *name;
  size_t length;
  int environment, reference, status;
};

static int load_body(lua_State *L) {
  struct load *load = lua_touserdata(L, 1);
  load->status = luaL_loadbufferx(L, load->source, load->length, load->name, "t");
  if (load->status != LUA_OK) return lua_error(L);
  if (load->environment != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, load->environment);
    lua_setupvalue(L, -2, 1);
  }
  load->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int sl_load(sl_vm *vm, const char *source, size_t length, const char *name, int environment, int *reference) {
  struct load load = {source, name, length, environment, LUA_NOREF, LUA_OK};
  int status = sl_protect(vm, vm->L, load_body, &load);
  *reference = load.reference;
  /* Raised on from `load_body`, the error only says that it was raised. */
  if (status == LUA_ERRRUN && load.status != LUA_OK) vm->failure.status = status = load.status;
  return status;
}

struct call {
  sl_vm *vm;
  const sl_value *tape;
  int reference, arguments, results;
  bool as_values;
};

/* Values first + 1 … top of L onto vm->tape. [-0, +0, e] */
static int append_results(lua_State *L, int first, bool as_values) {
  int count = lua_gettop(L) - first;
  sl_begin_tape(L);
  for (int i = 1; i <= count; i++) sl_append(L, first + i, as_values, NULL, NULL, "result");
  sl_end_tape(sl_vm_of(L));
  return count;
}

static void push_all(lua_State *L, const sl_value *tape, int count) {
  luaL_checkstack(L, count + 8, "too many arguments");
  size_t at = 0;
  for (int i = 0; i < count; i++) sl_push(L, tape, &at);
}

static int call_body(lua_State *L) {
  struct call *call = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, call->reference);
  push_all(L, call->tape, call->arguments);
  lua_call(L, call->arguments, LUA_MULTRET);
  call->results = append_results(L, 1, call->as_values);
  return 0;
}

int sl_call(sl_vm *vm, lua_State *L, int reference, const sl_value *tape, int arguments, bool as_values, int *results) {
  struct call call = {vm, tape, reference, arguments, 0, as_values};
  int status = sl_protect(vm, L, call_body, &call);
  *results = call.results;
  return status;
}

struct handle {
  const sl_value *arguments;
  sl_value *result;
  int reference, count;
};

static int handle_body(lua_State *L) {
  struct handle *handle = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, handle->reference);
  size_t at = 0;
  for (int i = 0; i < handle->count; i++) sl_push(L, handle->arguments, &at);
  lua_call(L, handle->count, 1);
  sl_value *result = handle->result;
  if (lua_isnil(L, -1)) {
    result->tag = SL_TAG_ABSENT;
    return 0;
  }
  sl_vm *vm = sl_vm_of(L);
  if (lua_type(L, -1) == LUA_TUSERDATA) {
    sl_begin_tape(L); /* a reference that may come stays unclaimed, and goes with the next tape */
    sl_append(L, -1, false, NULL, NULL, NULL);
    if (vm->tape.items[0].tag == SL_TAG_BOX) {
      *result = vm->tape.items[0];
      /* Lua may collect the userdata once it is off the stack. */
      vm->hooks->retain(result->as.object);
      return 0;
    }
  }
  result->tag = SL_TAG_OTHER;
  result->as.bytes = sl_to_ref(L, -1) != NULL ? "table" : luaL_typename(L, -1);
  return 0;
}

int sl_handle(sl_vm *vm, lua_State *L, int reference, const sl_value *arguments, int count, sl_value *result) {
  struct handle handle = {arguments, result, reference, count};
  return sl_protect(vm, L, handle_body, &handle);
}

struct field {
  const sl_value *key, *tape;
  int reference, entries;
  bool as_value;
};

static int get_field_body(lua_State *L) {
  struct field *field = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, field->reference);
  sl_push_value(L, field->key);
  lua_gettable(L, -2);
  sl_begin_tape(L);
  sl_append(L, -1, field->as_value, NULL, NULL, "field");
  sl_end_tape(sl_vm_of(L));
  return 0;
}

int sl_get_field(sl_vm *vm, int reference, const sl_value *key, bool as_value) {
  struct field field = {key, NULL, reference, 0, as_value};
  return sl_protect(vm, vm->L, get_field_body, &field);
}

static int set_field_body(lua_State *L) {
  struct field *field = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, field->reference);
  sl_push_value(L, field->key);
  size_t at = 0;
  sl_push(L, field->tape, &at);
  lua_rawset(L, -3);
  return 0;
}

int sl_set_field(sl_vm *vm, int reference, const sl_value *key, const sl_value *tape) {
  struct field field = {key, tape, reference, 0, false};
  return sl_protect(vm, vm->L, set_field_body, &field);
}

static int entries_body(lua_State *L) {
  struct field *field = lua_touserdata(L, 1);
  sl_begin_tape(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, field->reference);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    sl_append(L, -2, false, NULL, NULL, NULL);
    sl_append(L, -1, false, NULL, NULL, NULL);
    lua_pop(L, 1);
    field->entries++;
  }
  sl_end_tape(sl_vm_of(L));
  return 0;
}

int sl_entries(sl_vm *vm, int reference, int *entries) {
  struct field field = {NULL, NULL, reference, 0, false};
  int status = sl_protect(vm, vm->L, entries_body, &field);
  *entries = field.entries;
  return status;
}

struct convert {
  const char *what;
  int reference;
};

static int to_tape_body(lua_State *L) {
  struct convert *convert = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, convert->reference);
  sl_begin_tape(L);
  sl_append(L, -1, true, NULL, NULL, convert->what);
  sl_end_tape(sl_vm_of(L));
  return 0;
}

int sl_to_tape(sl_vm *vm, int reference, const char *what) {
  struct convert convert = {what, reference};
  return sl_protect(vm, vm->L, to_tape_body, &convert);
}

static int new_table_body(lua_State *L) {
  int *reference = lua_touserdata(L, 1);
  lua_newtable(L);
  *reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int sl_new_table(sl_vm *vm, int *reference) { return sl_protect(vm, vm->L, new_table_body, reference); }

static int new_environment_body(lua_State *L) {
  int *reference = lua_touserdata(L, 1);
  sl_push_environment(L);
  *reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int sl_new_environment(sl_vm *vm, int *reference) { return sl_protect(vm, vm->L, new_environment_body, reference); }

/* here(): `script:line` of the innermost function that is a script's. */
static int native_here(lua_State *L) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (frame.currentline > 0 && frame.source[0] != '=') {
      lua_pushfstring(L, "%s:%d", frame.source[0] == '@' ? frame.source + 1 : frame.source, frame.currentline);
      return 1;
    }
  }
  lua_pushliteral(L, "?");
  return 1;
}

static int call_entry(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* entry(f): a C function that calls f. Unlike a Lua function it leaves the frame of a caller in tail position. */
static int native_entry(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, call_entry, 1);
  return 1;
}

/* setEffectIndex(f): what `__index` of effects is. */
static int native_set_effect_index(lua_State *L) {
  lua_settop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, sl_vm_of(L)->box_metatables[SL_BOX_EFFECT]);
  lua_insert(L, 1);
  lua_setfield(L, 1, "__index");
  return 0;
}

static int native_body(lua_State *L) {
  static const luaL_Reg natives[] = {
      {"array", sl_native_array},         {"object", sl_native_object}, {"replace", sl_native_replace},
      {"find", sl_native_find},           {"rearrange", sl_native_rearrange}, {"here", native_here},
      {"entry", native_entry},            {"setEffectIndex", native_set_effect_index},
      {NULL, NULL}};
  int *reference = lua_touserdata(L, 1);
  luaL_newlib(L, natives);
  sl_push_null(L);
  lua_setfield(L, -2, "null");
  *reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int sl_new_natives(sl_vm *vm, int *reference) { return sl_protect(vm, vm->L, native_body, reference); }

struct describe {
  int reference, parameters, line;
  const char *script;
};

static int describe_body(lua_State *L) {
  struct describe *describe = lua_touserdata(L, 1);
  lua_Debug frame;
  lua_rawgeti(L, LUA_REGISTRYINDEX, describe->reference);
  lua_getinfo(L, ">Su", &frame);
  describe->parameters = frame.what[0] == 'C' ? 255 : frame.isvararg ? -1 : frame.nparams;
  describe->line = frame.linedefined;
  describe->script = frame.source; /* belongs to the function's prototype, which the reference keeps */
  return 0;
}

int sl_parameters(sl_vm *vm, int reference, int *line, const char **script) {
  struct describe describe = {reference, 255, -1, ""};
  sl_protect(vm, vm->L, describe_body, &describe);
  *line = describe.line;
  *script = describe.script;
  return describe.parameters;
}

void sl_release(sl_vm *vm, int reference) { luaL_unref(vm->L, LUA_REGISTRYINDEX, reference); }

void sl_forget_drafts(sl_vm *vm) {
  int cache = LUA_NOREF;
  if (sl_new_table(vm, &cache) != LUA_OK) return; /* later, then */
  luaL_unref(vm->L, LUA_REGISTRYINDEX, vm->refs_cache);
  vm->refs_cache = cache;
}

void sl_collect(sl_vm *vm, bool full) {
  if (full) {
    lua_gc(vm->L, LUA_GCCOLLECT);
  } else {
    lua_gc(vm->L, LUA_GCSTEP, 0);
  }
}

/* ---- Coroutines ---------------------------------------------------------------------------------------------------- */

struct thread {
  lua_State *thread;
  const sl_value *tape;
  int function, reference, arguments, results;
  int status;
};

static int thread_new_body(lua_State *L) {
  struct thread *data = lua_touserdata(L, 1);
  data->thread = lua_newthread(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, data->function);
  lua_xmove(L, data->thread, 1);
  data->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int sl_thread_new(sl_vm *vm, int function, int *reference, lua_State **thread) {
  struct thread data = {.function = function, .reference = LUA_NOREF};
  int status = sl_protect(vm, vm->L, thread_new_body, &data);
  *reference = data.reference;
  *thread = data.thread;
  return status;
}

static int resume_push_body(lua_State *L) {
  struct thread *data = lua_touserdata(L, 1);
  push_all(L, data->tape, data->arguments);
  if (!lua_checkstack(data->thread, data->arguments + 8)) return luaL_error(L, "too many arguments");
  lua_xmove(L, data->thread, data->arguments);
  return 0;
}

static int resume_results_body(lua_State *L) {
  struct thread *data = lua_touserdata(L, 1);
  luaL_checkstack(L, data->results + 8, "too many results");
  lua_xmove(data->thread, L, data->results);
  data->results = append_results(L, 1, false);
  return 0;
}

/* While the stack of the error is still there. */
static int resume_trace_body(lua_State *L) {
  struct thread *data = lua_touserdata(L, 1);
  sl_vm *vm = sl_vm_of(L);
  clear_failure(vm, data->status);
  locate(vm, data->thread, 0);
  record_traceback(L, vm, data->thread, 0);
  return 0;
}

static int resume_value_body(lua_State *L) {
  struct thread *data = lua_touserdata(L, 1);
  lua_xmove(data->thread, L, 1);
  record_value(L, sl_vm_of(L));
  return 0;
}

/* Ends a thread, whether it failed or waits: its `<close>` variables are closed, and see the error if there is one. What they
 * raise takes its place. Leaves the error in vm->failure. */
static int end_thread(sl_vm *vm, struct thread *data) {
  data->status = lua_resetthread(data->thread);
  int status = data->status;
  if (status != LUA_OK) {
    vm->failure.status = status;
    int recorded = sl_protect(vm, vm->L, resume_value_body, data);
    if (recorded != LUA_OK) status = recorded;
  }
  lua_settop(data->thread, 0);
  return status;
}

int sl_resume(sl_vm *vm, lua_State *thread, const sl_value *tape, int arguments, int *results) {
  struct thread data = {.thread = thread, .tape = tape, .arguments = arguments};
  *results = 0;
  int status = sl_protect(vm, vm->L, resume_push_body, &data);
  if (status != LUA_OK) {
    lua_resetthread(thread);
    return status;
  }
  data.status = lua_resume(thread, vm->L, arguments, &data.results);
  if (data.status == LUA_OK || data.status == LUA_YIELD) {
    status = sl_protect(vm, vm->L, resume_results_body, &data);
    *results = data.results;
    if (status == LUA_OK) return data.status;
    lua_resetthread(thread);
    return status;
  }
  status = sl_protect(vm, vm->L, resume_trace_body, &data);
  int ended = end_thread(vm, &data);
  return status != LUA_OK ? status : ended;
}

int sl_thread_close(sl_vm *vm, lua_State *thread) {
  struct thread data = {.thread = thread};
  clear_failure(vm, LUA_OK);
  return end_thread(vm, &data);
}
