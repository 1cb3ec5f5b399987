#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <string.h>
#include <zlib.h>

/// Compresses in gzip format, as small as possible. Returns the number of bytes, 0 if they do not fit into the output.
static inline size_t czlib_gzip(const unsigned char *input, size_t count, unsigned char *output, size_t room) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  // 15 bits of window, and 16 for the format gzip.
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (unsigned char *)input;
  stream.avail_in = (uInt)count;
  stream.next_out = output;
  stream.avail_out = (uInt)room;
  size_t written = deflate(&stream, Z_FINISH) == Z_STREAM_END ? stream.total_out : 0;
  deflateEnd(&stream);
  return written;
}

#endif
