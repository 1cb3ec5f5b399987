#include <stddef.h>
#include <string.h>

// A part of C23 that clang has in all versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

// A file that is compiled into the program. Its bytes end with a 0, so no file may have one.
struct embedded_file {
  const char *name;
  const unsigned char *bytes;
};

// The bytes of the file of this name; NULL if none of the files, which end with one without a name, has it.
static const unsigned char *embedded_file(const struct embedded_file *file, const char *name) {
  while (file->name && strcmp(file->name, name) != 0) file++;
  return file->bytes;
}
