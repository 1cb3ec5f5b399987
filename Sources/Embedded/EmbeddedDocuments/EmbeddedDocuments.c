#include "EmbeddedDocuments.h"

// A part of C23 that clang has in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define EMBEDDED(file) \
  const unsigned char *file(size_t *length) { \
    *length = sizeof file##_bytes; \
    return file##_bytes; \
  }

static const unsigned char document_guide_bytes[] = {
#embed "../../../docs/guide/README.md"
};
EMBEDDED(document_guide)

static const unsigned char document_getting_started_bytes[] = {
#embed "../../../docs/guide/getting-started.md"
};
EMBEDDED(document_getting_started)

static const unsigned char document_tutorial_bytes[] = {
#embed "../../../docs/tutorial/README.md"
};
EMBEDDED(document_tutorial)

static const unsigned char document_state_and_drafts_bytes[] = {
#embed "../../../docs/guide/state-and-drafts.md"
};
EMBEDDED(document_state_and_drafts)

static const unsigned char document_actions_bytes[] = {
#embed "../../../docs/guide/actions.md"
};
EMBEDDED(document_actions)

static const unsigned char document_composition_bytes[] = {
#embed "../../../docs/guide/composition.md"
};
EMBEDDED(document_composition)

static const unsigned char document_effects_bytes[] = {
#embed "../../../docs/guide/effects.md"
};
EMBEDDED(document_effects)

static const unsigned char document_dependencies_bytes[] = {
#embed "../../../docs/guide/dependencies.md"
};
EMBEDDED(document_dependencies)

static const unsigned char document_testing_bytes[] = {
#embed "../../../docs/guide/testing.md"
};
EMBEDDED(document_testing)

static const unsigned char document_navigation_bytes[] = {
#embed "../../../docs/guide/navigation.md"
};
EMBEDDED(document_navigation)

static const unsigned char document_forms_bytes[] = {
#embed "../../../docs/guide/forms.md"
};
EMBEDDED(document_forms)

static const unsigned char document_shared_state_bytes[] = {
#embed "../../../docs/guide/shared-state.md"
};
EMBEDDED(document_shared_state)

static const unsigned char document_views_bytes[] = {
#embed "../../../docs/views.md"
};
EMBEDDED(document_views)

static const unsigned char document_recipes_bytes[] = {
#embed "../../../docs/guide/recipes.md"
};
EMBEDDED(document_recipes)

static const unsigned char document_hot_reload_bytes[] = {
#embed "../../../docs/guide/hot-reload.md"
};
EMBEDDED(document_hot_reload)

static const unsigned char document_debugging_bytes[] = {
#embed "../../../docs/guide/debugging.md"
};
EMBEDDED(document_debugging)

static const unsigned char document_durable_stores_bytes[] = {
#embed "../../../docs/guide/durable-stores.md"
};
EMBEDDED(document_durable_stores)

static const unsigned char document_performance_bytes[] = {
#embed "../../../docs/guide/performance.md"
};
EMBEDDED(document_performance)

static const unsigned char document_untrusted_scripts_bytes[] = {
#embed "../../../docs/guide/untrusted-scripts.md"
};
EMBEDDED(document_untrusted_scripts)

static const unsigned char document_from_tca_bytes[] = {
#embed "../../../docs/guide/from-tca.md"
};
EMBEDDED(document_from_tca)

static const unsigned char document_from_redux_bytes[] = {
#embed "../../../docs/guide/from-redux.md"
};
EMBEDDED(document_from_redux)

static const unsigned char document_glossary_bytes[] = {
#embed "../../../docs/guide/glossary.md"
};
EMBEDDED(document_glossary)

static const unsigned char document_warnings_bytes[] = {
#embed "../../../docs/guide/warnings.md"
};
EMBEDDED(document_warnings)

static const unsigned char document_script_api_bytes[] = {
#embed "../../../docs/script-api.md"
};
EMBEDDED(document_script_api)

static const unsigned char document_view_api_bytes[] = {
#embed "../../../docs/view-api.md"
};
EMBEDDED(document_view_api)

static const unsigned char document_runner_bytes[] = {
#embed "../../../docs/runner.md"
};
EMBEDDED(document_runner)

static const unsigned char document_serve_bytes[] = {
#embed "../../../docs/serve.md"
};
EMBEDDED(document_serve)

static const unsigned char document_journal_bytes[] = {
#embed "../../../docs/journal.md"
};
EMBEDDED(document_journal)

static const unsigned char document_busted_bytes[] = {
#embed "../../../docs/busted.md"
};
EMBEDDED(document_busted)

static const unsigned char document_security_bytes[] = {
#embed "../../../docs/security.md"
};
EMBEDDED(document_security)

static const unsigned char types_busted_bytes[] = {
#embed "../../../scripts/types/busted.lua"
};
EMBEDDED(types_busted)

static const unsigned char types_sandbox_bytes[] = {
#embed "../../../scripts/types/sandbox.lua"
};
EMBEDDED(types_sandbox)

static const unsigned char types_scripted_bytes[] = {
#embed "../../../scripts/types/scripted.lua"
};
EMBEDDED(types_scripted)

static const unsigned char types_test_bytes[] = {
#embed "../../../scripts/types/test.lua"
};
EMBEDDED(types_test)

static const unsigned char types_ui_bytes[] = {
#embed "../../../scripts/types/ui.lua"
};
EMBEDDED(types_ui)
