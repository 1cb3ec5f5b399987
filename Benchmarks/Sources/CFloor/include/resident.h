#ifndef RESIDENT_H
#define RESIDENT_H

#include <stddef.h>

/* Bytes of this process that are in memory, once the allocator has given back what is free; 0 where the system does not
 * say. */
size_t resident_bytes(void);

/* Bytes of the heap that are in use; 0 where the system does not say. Other than above, they do not include what is free between
 * them. */
size_t used_bytes(void);

#endif
