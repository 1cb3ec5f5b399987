#include "resident.h"

#include <stdio.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

size_t used_bytes(void) {
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

size_t resident_bytes(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  unsigned long all = 0, resident = 0;
  int read = fscanf(file, "%lu %lu", &all, &resident);
  fclose(file);
  return read == 2 ? resident * (size_t)sysconf(_SC_PAGESIZE) : 0;
}
