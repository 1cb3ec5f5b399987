"""PNG files as Python's own library reads and writes them, and what differs between two pictures."""

import struct
import zlib

BLOCK = 8
# By how much the mean of a block may differ in a colour, of 255, and in how many blocks it may be more.
TOLERANCE, FEW = 5, 3


class Picture:
    """Rows of bytes: red, green and blue of each pixel."""

    def __init__(self, width, rows):
        self.width, self.rows = width, rows

    @property
    def height(self):
        return len(self.rows)

    @staticmethod
    def decode(data):
        """A picture of a PNG file with 8 bits for each of red, green and blue, with alpha or without, as Chromium makes them."""
        assert data[:8] == b"\x89PNG\r\n\x1a\n", "this is no PNG file"
        at, pixels = 8, b""
        while at < len(data):
            length, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + length]
            if kind == b"IHDR":
                width, height, *form = struct.unpack(">IIBBBBB", body)
                assert form in ([8, 2, 0, 0, 0], [8, 6, 0, 0, 0]), f"PNG files of the form {form} are not read"
            elif kind == b"IDAT":
                pixels += body
            at += 12 + length
        step = 3 if form[1] == 2 else 4
        pixels = zlib.decompress(pixels)
        stride = width * step
        above, rows = bytes(stride), []
        for y in range(height):
            begin = y * (stride + 1)
            above = unfiltered(pixels[begin], pixels[begin + 1:begin + 1 + stride], above, step)
            rows.append(above)
        if step == 4:
            rows = [bytes(byte for i, byte in enumerate(row) if i % 4 != 3) for row in rows]
        return Picture(width, rows)

    def encode(self):
        """A PNG file. Each row is what it differs by from the row above, which is nothing for most of a screen."""
        lines, above = [], bytes(3 * self.width)
        for row in self.rows:
            lines.append(b"\2" + bytes((a - b) & 255 for a, b in zip(row, above)))
            above = row
        chunks = ((b"IHDR", struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)),
                  (b"IDAT", zlib.compress(b"".join(lines), 9)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks)

    def means(self):
        """The mean of red, green and blue of each block, by the block's column and row."""
        found = {}
        for top in range(0, self.height, BLOCK):
            rows = self.rows[top:top + BLOCK]
            # A row that is like the one above it has been added up already.
            sums = None
            last = None
            for row in rows:
                if row != last:
                    last = row
                    ours = [[sum(row[x + part:min(x + 3 * BLOCK, len(row)):3]) for part in range(3)] for x in range(0, len(row), 3 * BLOCK)]
                sums = ours if sums is None else [[a + b for a, b in zip(one, other)] for one, other in zip(sums, ours)]
            for column, block in enumerate(sums):
                count = len(rows) * min(BLOCK, self.width - column * BLOCK)
                found[column, top // BLOCK] = [part / count for part in block]
        return found


def unfiltered(kind, line, above, step):
    """A row of a PNG file without its filter: 0 none, 1 the pixel before, 2 the one above, 3 their mean, 4 the likest (Paeth)."""
    if kind == 0:
        return line
    if kind == 2:
        return bytes((a + b) & 255 for a, b in zip(line, above))
    row = bytearray(line)
    if kind == 1:
        for i in range(step, len(row)):
            row[i] = (row[i] + row[i - step]) & 255
    elif kind == 3:
        for i in range(len(row)):
            row[i] = (row[i] + ((row[i - step] if i >= step else 0) + above[i]) // 2) & 255
    else:
        for i in range(len(row)):
            left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
            up = above[i]
            far = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            row[i] = (row[i] + (left if far[0] <= far[1] and far[0] <= far[2] else up if far[1] <= far[2] else corner)) & 255
    return bytes(row)


def difference(one, other):
    """Nothing, or a sentence on what differs between two pictures.

    Compared are the means of blocks of 8 × 8 pixels, so that it does not matter how the edges of letters are smoothed. Two pictures differ if
    in more than 3 blocks the mean of red, green or blue differs by more than 5 of 255. A row that has moved by 4 pixels, and a colour of a
    button that is another one by a twentieth, are found: `references_tests.py` has the proof.
    """
    if (one.width, one.height) != (other.width, other.height):
        return f"the size is {other.width} × {other.height}, not {one.width} × {one.height}"
    before, after = one.means(), other.means()
    blocks = [at for at in before if max(abs(a - b) for a, b in zip(before[at], after[at])) > TOLERANCE]
    if len(blocks) <= FEW:
        return None
    (left, right), (top, bottom) = [(min(part) * BLOCK, (max(part) + 1) * BLOCK) for part in zip(*blocks)]
    return f"{len(blocks)} blocks differ, from ({left}, {top}) to ({right}, {bottom})"
