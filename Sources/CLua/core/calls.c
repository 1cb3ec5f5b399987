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

/* An operation on the value of a reference. */
struct operation {
  int reference; /* of the value; or the new reference (+1) */
  const sl_value *key, *tape;
  const char *what; /* the name of the value in the error that it cannot be stored in state */
  bool as_value;
  int64_t count; /* the length of a table, or the number of its entries */
};

/* Pushes the value of the operation. [-0, +1, -] */
static struct operation *push_subject(lua_State *L) {
  struct operation *operation = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, operation->reference);
  return operation;
}

/* Stores the value on top of the stack on vm->tapes.to_swift. [-0, +0, e] */
static int store(lua_State *L, const struct operation *operation) {
  sl_begin_tape(L);
  sl_append(L, -1, operation->as_value, NULL, NULL, operation->what);
  sl_end_tape(sl_vm_of(L));
  return 0;
}

/* Makes a reference to the value on top of the stack. [-1, +0, m] */
static int keep(lua_State *L) {
  struct operation *operation = lua_touserdata(L, 1);
  operation->reference = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

/* Runs an operation that makes a reference. */
static int make_reference(sl_vm *vm, lua_CFunction body, struct operation operation, int *reference) {
  int status = sl_protect(vm, vm->L, body, &operation);
  *reference = status == LUA_OK ? operation.reference : LUA_NOREF;
  return status;
}

static int get_field(lua_State *L) {
  const struct operation *operation = push_subject(L);
  sl_push_value(L, operation->key);
  lua_gettable(L, -2);
  return store(L, operation);
}

int sl_get_field(sl_vm *vm, int reference, const sl_value *key, bool as_value) {
  struct operation operation = {.reference = reference, .key = key, .as_value = as_value, .what = "field"};
  return sl_protect(vm, vm->L, get_field, &operation);
}

static int set_field(lua_State *L) {
  const struct operation *operation = push_subject(L);
  sl_push_value(L, operation->key);
  size_t at = 0;
  sl_push(L, operation->tape, &at);
  lua_rawset(L, -3);
  return 0;
}

int sl_set_field(sl_vm *vm, int reference, const sl_value *key, const sl_value *tape) {
  struct operation operation = {.reference = reference, .key = key, .tape = tape};
  return sl_protect(vm, vm->L, set_field, &operation);
}

static int store_entries(lua_State *L) {
  sl_begin_tape(L);
  struct operation *operation = push_subject(L);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    sl_append(L, -2, false, NULL, NULL, NULL);
    sl_append(L, -1, false, NULL, NULL, NULL);
    lua_pop(L, 1);
    operation->count++;
  }
  sl_end_tape(sl_vm_of(L));
  return 0;
}

int sl_entries(sl_vm *vm, int reference, int *entries) {
  struct operation operation = {.reference = reference};
  int status = sl_protect(vm, vm->L, store_entries, &operation);
  *entries = (int)operation.count;
  return status;
}

static int measure(lua_State *L) {
  struct operation *operation = push_subject(L);
  operation->count = (int64_t)lua_rawlen(L, -1);
  return 0;
}

int sl_raw_length(sl_vm *vm, int reference, int64_t *length) {
  struct operation operation = {.reference = reference, .count = *length};
  int status = sl_protect(vm, vm->L, measure, &operation);
  *length = operation.count;
  return status;
}

static int store_subject(lua_State *L) { return store(L, push_subject(L)); }

int sl_to_tape(sl_vm *vm, int reference, const char *what) {
  struct operation operation = {.reference = reference, .as_value = true, .what = what};
  return sl_protect(vm, vm->L, store_subject, &operation);
}

static int new_table(lua_State *L) {
  lua_newtable(L);
  return keep(L);
}

int sl_new_table(sl_vm *vm, int *reference) { return make_reference(vm, new_table, (struct operation){0}, reference); }

static int new_reference(lua_State *L) {
  const struct operation *operation = lua_touserdata(L, 1);
  size_t at = 0;
  sl_push(L, operation->tape, &at);
  return keep(L);
}

int sl_new_reference(sl_vm *vm, const sl_value *tape, int *reference) {
  return make_reference(vm, new_reference, (struct operation){.tape = tape}, reference);
}

static int new_environment(lua_State *L) {
  sl_push_environment(L);
  return keep(L);
}

int sl_new_environment(sl_vm *vm, int *reference) {
  return make_reference(vm, new_environment, (struct operation){0}, reference);
}

static int copy_reference(lua_State *L) {
  push_subject(L);
  return keep(L);
}

int sl_copy_reference(sl_vm *vm, int reference, int *copy) {
  return make_reference(vm, copy_reference, (struct operation){.reference = reference}, copy);
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
