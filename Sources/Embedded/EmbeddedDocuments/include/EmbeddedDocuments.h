#ifndef EMBEDDEDDOCUMENTS_H
#define EMBEDDEDDOCUMENTS_H

#include <stddef.h>

// The pages that `runner docs` shows, and the definitions that `runner new` writes for the Lua language server.
// Each function returns the bytes of a file and sets `*length` to their number. The bytes are there as long as the process.
const unsigned char *document_guide(size_t *length);
const unsigned char *document_getting_started(size_t *length);
const unsigned char *document_tutorial(size_t *length);
const unsigned char *document_state_and_drafts(size_t *length);
const unsigned char *document_actions(size_t *length);
const unsigned char *document_composition(size_t *length);
const unsigned char *document_effects(size_t *length);
const unsigned char *document_dependencies(size_t *length);
const unsigned char *document_testing(size_t *length);
const unsigned char *document_navigation(size_t *length);
const unsigned char *document_forms(size_t *length);
const unsigned char *document_shared_state(size_t *length);
const unsigned char *document_views(size_t *length);
const unsigned char *document_recipes(size_t *length);
const unsigned char *document_hot_reload(size_t *length);
const unsigned char *document_debugging(size_t *length);
const unsigned char *document_durable_stores(size_t *length);
const unsigned char *document_performance(size_t *length);
const unsigned char *document_untrusted_scripts(size_t *length);
const unsigned char *document_from_tca(size_t *length);
const unsigned char *document_from_redux(size_t *length);
const unsigned char *document_glossary(size_t *length);
const unsigned char *document_warnings(size_t *length);
const unsigned char *document_script_api(size_t *length);
const unsigned char *document_view_api(size_t *length);
const unsigned char *document_runner(size_t *length);
const unsigned char *document_serve(size_t *length);
const unsigned char *document_journal(size_t *length);
const unsigned char *document_busted(size_t *length);
const unsigned char *document_security(size_t *length);
const unsigned char *types_busted(size_t *length);
const unsigned char *types_sandbox(size_t *length);
const unsigned char *types_scripted(size_t *length);
const unsigned char *types_test(size_t *length);
const unsigned char *types_ui(size_t *length);

#endif
