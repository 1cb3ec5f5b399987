#include "EmbeddedDocuments.h"

#include "../embedded_files.h"

static const struct embedded_file files[] = {
    {"guide", (const unsigned char[]){
#embed "../../../docs/guide/README.md" suffix(, 0)
    }},
    {"getting-started", (const unsigned char[]){
#embed "../../../docs/guide/getting-started.md" suffix(, 0)
    }},
    {"tutorial", (const unsigned char[]){
#embed "../../../docs/tutorial/README.md" suffix(, 0)
    }},
    {"state-and-drafts", (const unsigned char[]){
#embed "../../../docs/guide/state-and-drafts.md" suffix(, 0)
    }},
    {"actions", (const unsigned char[]){
#embed "../../../docs/guide/actions.md" suffix(, 0)
    }},
    {"composition", (const unsigned char[]){
#embed "../../../docs/guide/composition.md" suffix(, 0)
    }},
    {"effects", (const unsigned char[]){
#embed "../../../docs/guide/effects.md" suffix(, 0)
    }},
    {"dependencies", (const unsigned char[]){
#embed "../../../docs/guide/dependencies.md" suffix(, 0)
    }},
    {"testing", (const unsigned char[]){
#embed "../../../docs/guide/testing.md" suffix(, 0)
    }},
    {"navigation", (const unsigned char[]){
#embed "../../../docs/guide/navigation.md" suffix(, 0)
    }},
    {"forms", (const unsigned char[]){
#embed "../../../docs/guide/forms.md" suffix(, 0)
    }},
    {"shared-state", (const unsigned char[]){
#embed "../../../docs/guide/shared-state.md" suffix(, 0)
    }},
    {"views", (const unsigned char[]){
#embed "../../../docs/views.md" suffix(, 0)
    }},
    {"recipes", (const unsigned char[]){
#embed "../../../docs/guide/recipes.md" suffix(, 0)
    }},
    {"hot-reload", (const unsigned char[]){
#embed "../../../docs/guide/hot-reload.md" suffix(, 0)
    }},
    {"debugging", (const unsigned char[]){
#embed "../../../docs/guide/debugging.md" suffix(, 0)
    }},
    {"durable-stores", (const unsigned char[]){
#embed "../../../docs/guide/durable-stores.md" suffix(, 0)
    }},
    {"performance", (const unsigned char[]){
#embed "../../../docs/guide/performance.md" suffix(, 0)
    }},
    {"untrusted-scripts", (const unsigned char[]){
#embed "../../../docs/guide/untrusted-scripts.md" suffix(, 0)
    }},
    {"from-tca", (const unsigned char[]){
#embed "../../../docs/guide/from-tca.md" suffix(, 0)
    }},
    {"from-redux", (const unsigned char[]){
#embed "../../../docs/guide/from-redux.md" suffix(, 0)
    }},
    {"glossary", (const unsigned char[]){
#embed "../../../docs/guide/glossary.md" suffix(, 0)
    }},
    {"warnings", (const unsigned char[]){
#embed "../../../docs/guide/warnings.md" suffix(, 0)
    }},
    {"script-api", (const unsigned char[]){
#embed "../../../docs/script-api.md" suffix(, 0)
    }},
    {"view-api", (const unsigned char[]){
#embed "../../../docs/view-api.md" suffix(, 0)
    }},
    {"runner", (const unsigned char[]){
#embed "../../../docs/runner.md" suffix(, 0)
    }},
    {"serve", (const unsigned char[]){
#embed "../../../docs/serve.md" suffix(, 0)
    }},
    {"journal", (const unsigned char[]){
#embed "../../../docs/journal.md" suffix(, 0)
    }},
    {"busted", (const unsigned char[]){
#embed "../../../docs/busted.md" suffix(, 0)
    }},
    {"security", (const unsigned char[]){
#embed "../../../docs/security.md" suffix(, 0)
    }},
    {"busted.lua", (const unsigned char[]){
#embed "../../../scripts/types/busted.lua" suffix(, 0)
    }},
    {"sandbox.lua", (const unsigned char[]){
#embed "../../../scripts/types/sandbox.lua" suffix(, 0)
    }},
    {"scripted.lua", (const unsigned char[]){
#embed "../../../scripts/types/scripted.lua" suffix(, 0)
    }},
    {"test.lua", (const unsigned char[]){
#embed "../../../scripts/types/test.lua" suffix(, 0)
    }},
    {"ui.lua", (const unsigned char[]){
#embed "../../../scripts/types/ui.lua" suffix(, 0)
    }},
    {NULL, NULL},
};

const unsigned char *documentation_file(const char *name) { return embedded_file(files, name); }
