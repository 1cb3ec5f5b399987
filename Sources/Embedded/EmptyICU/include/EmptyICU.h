#ifndef EMPTYICU_H
#define EMPTYICU_H

// Nothing: the linker finds `empty_icu_data` by its name (RELEASE in the Makefile).

#endif
