#ifndef EMBEDDEDCOMMIT_H
#define EMBEDDEDCOMMIT_H

// The commit that the program was built from; "" if the build was not told (Package.swift).
const char *embedded_commit(void);

#endif
