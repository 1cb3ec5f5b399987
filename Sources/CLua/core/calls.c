/* The operations that Swift calls. Each runs as a protected call. */
#include "core/internal.h"
#include "core/protect.h"
#include "drafts/internal.h"
#include "sandbox/internal.h"
#include "values/internal.h"

struct load {
  const char *source, *name, *mode;
  size_t length;
  int environment, reference, status;
};

static int load_body(lua_State *L) {
  struct load *load = lua_touserdata(L, 1);
  load->status = sl_compile(L, load->source, load->length, load->name, load->mode);
  if (load->status != LUA_OK) return lua_error(L);
  if (load->environment != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, load->environment);
    lua_setupvalue(L, -2, 1);
  }
  load->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static int load_as(sl_vm *vm, const char *source, size_t length, const char *name, const char *mode, int environment, int *reference) {
  struct load load = {source, name, mode, length, environment, LUA_NOREF, LUA_OK};
  int status = sl_protect(vm, vm->L, load_body, &load);
  *reference = load.reference;
  /* `load_body` raises the error again, so the protected call has lost its status. */
  if (status == LUA_ERRRUN && load.status != LUA_OK) sl_set_failure_status(vm, status = load.status);
  return status;
}

int sl_load(sl_vm *vm, const char *source, size_t length, const char *name, int environment, int *reference) {
  return load_as(vm, source, length, name, "t", environment, reference);
}

struct dump {
  sl_text *text;
  int reference;
};

static int append_bytes(lua_State *L, const void *bytes, size_t length, void *text) {
  (void)L;
  return sl_text_append(text, bytes, length) ? 0 : 1;
}

static int dump_body(lua_State *L) {
  struct dump *dump = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, dump->reference);
  if (lua_dump(L, append_bytes, dump->text, 0) != 0) return luaL_error(L, "not enough memory");
  return 0;
}

int sl_dump(sl_vm *vm, int reference, sl_text *bytecode) {
  struct dump dump = {bytecode, reference};
  bytecode->count = 0;
  return sl_protect(vm, vm->L, dump_body, &dump);
}

int sl_undump(sl_vm *vm, const void *bytecode, size_t length, int environment, int *reference) {
  return load_as(vm, bytecode, length, "=?", "b", environment, reference);
}

struct call {
  sl_vm *vm;
  const sl_value *tape;
  int reference, arguments, results;
  bool as_values;
};

int sl_append_results(lua_State *L, int first, bool as_values) {
  int count = lua_gettop(L) - first;
  sl_begin_tape(L);
  for (int i = 1; i <= count; i++) sl_append(L, first + i, as_values, NULL, NULL, "result");
  sl_end_tape(sl_vm_of(L));
  return count;
}

void sl_push_all(lua_State *L, const sl_value *tape, int count) {
  luaL_checkstack(L, count + 8, "too many arguments");
  size_t at = 0;
  for (int i = 0; i < count; i++) sl_push(L, tape, &at);
}

static int call_body(lua_State *L) {
  struct call *call = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, call->reference);
  sl_push_all(L, call->tape, call->arguments);
  lua_call(L, call->arguments, LUA_MULTRET);
  call->results = sl_append_results(L, 1, call->as_values);
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
  const sl_run *run = sl_to_run(L, -1);
  if (run != NULL) {
    sl_begin_tape(L);
    sl_append_run(L, -1, run);
    sl_end_tape(sl_vm_of(L));
    result->tag = SL_TAG_RUN;
    return 0;
  }
  int kind;
  void *object = sl_to_box(L, -1, &kind);
  if (object != NULL) {
    /* Lua may collect the userdata once it is off the stack, so the result is owned (+1). */
    sl_vm_of(L)->hooks->retain(object);
    result->tag = SL_TAG_BOX;
    result->slot = (uint32_t)kind;
    result->as.object = object;
    return 0;
  }
  result->tag = SL_TAG_OTHER;
  if (sl_to_ref(L, -1) != NULL) {
    sl_check_ref(L, -1);
    result->as.bytes = "table";
  } else {
    result->as.bytes = luaL_typename(L, -1);
  }
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

struct measure {
  int64_t *length;
  int reference;
};

static int measure_body(lua_State *L) {
  struct measure *measure = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, measure->reference);
  *measure->length = (int64_t)lua_rawlen(L, -1);
  return 0;
}

int sl_raw_length(sl_vm *vm, int reference, int64_t *length) {
  struct measure measure = {length, reference};
  return sl_protect(vm, vm->L, measure_body, &measure);
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

struct kept {
  const sl_value *tape;
  int *reference;
};

static int new_reference_body(lua_State *L) {
  struct kept *kept = lua_touserdata(L, 1);
  size_t at = 0;
  sl_push(L, kept->tape, &at);
  *kept->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int sl_new_reference(sl_vm *vm, const sl_value *tape, int *reference) {
  struct kept kept = {tape, reference};
  return sl_protect(vm, vm->L, new_reference_body, &kept);
}

static int new_environment_body(lua_State *L) {
  int *reference = lua_touserdata(L, 1);
  sl_push_environment(L);
  *reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int sl_new_environment(sl_vm *vm, int *reference) { return sl_protect(vm, vm->L, new_environment_body, reference); }

static int copy_body(lua_State *L) {
  int *reference = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, *reference);
  *reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

int sl_copy_reference(sl_vm *vm, int reference, int *copy) {
  *copy = reference;
  int status = sl_protect(vm, vm->L, copy_body, copy);
  if (status != LUA_OK) *copy = LUA_NOREF;
  return status;
}

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
  describe->script = frame.source; /* borrowed (+0) from the prototype of the function, which the reference keeps alive */
  return 0;
}

int sl_parameters(sl_vm *vm, int reference, int *line, const char **script) {
  struct describe describe = {reference, 255, -1, ""};
  sl_protect(vm, vm->L, describe_body, &describe);
  *line = describe.line;
  *script = describe.script;
  return describe.parameters;
}
