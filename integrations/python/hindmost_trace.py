"""Reads traces of calls of hindmost, with nothing but Python's standard library.

Written from docs/trace-format.md alone; the comments name its sections. As a program it prints JSON, one line for each thread:

    python3 hindmost_trace.py DIR     every thread of every process in a directory
    python3 hindmost_trace.py FILE    one .trace, whose functions stay numbers, with what was packed of it

As a module: task(bytes) tells of a process, trace(bytes, packed) of a thread, events(bytes, packed) gives its events: 0 is an exit, any other the number of a function
that is entered; stamps(bytes, packed) tells when. `packed` is the file that the first blocks were packed into, read after the other one.
"""

import json
import os
import struct
import sys
import zlib

__all__ = ["TraceError", "events", "stamps", "task", "trace"]


class TraceError(Exception):
    """The bytes are no trace that this reader understands."""


HEADER = 512
QUEUE_AT = 64
BLOCK = 8192
BLOCKS = 65535
HEAD = 4
ROOM = (BLOCK - HEAD) * 8
TRACE = b"hindmTRC"
STAMPS = b"hindmSTP"
PACKED = "-packed"
ENDED = {1: "thread", 2: "no room", 3: "full"}


def word(data, at):
    """The word with this index."""
    if at * 8 + 8 > len(data):
        raise TraceError("cut off in word %d" % at)
    return struct.unpack_from("<Q", data, at * 8)[0]


# Packed blocks


def number_of(data, at, where):
    """A number of at most 63 bits in LEB128, and where it ends."""
    number = 0
    for shift in range(0, 63, 7):
        if at >= len(data):
            raise TraceError("a number is cut off in " + where)
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise TraceError("a number is too large in " + where)


def part(data, at, most, where):
    """A part of a frame, and where it ends."""
    length, at = number_of(data, at, where)
    length, is_deflated = length >> 1, length & 1
    if length > most:
        raise TraceError("a part is too long in " + where)
    taken = length
    if is_deflated:
        taken, at = number_of(data, at, where)
    if at + taken > len(data):
        raise TraceError("a part is cut off in " + where)
    content = data[at : at + taken]
    if is_deflated:
        inflating = zlib.decompressobj(wbits=-15)
        try:
            content = inflating.decompress(content, length + 1)
        except zlib.error as error:
            raise TraceError("%s in %s" % (error, where)) from error
        if len(content) != length:
            raise TraceError("a part has another length in " + where)
    return content, at + taken


def joined(planes, lengths, where):
    """Tokens of blocks of these lengths out of their planes."""
    ends = [0] * len(planes)

    def take(plane):
        at = ends[plane]
        if at >= len(planes[plane]):
            raise TraceError("a plane is cut off in " + where)
        ends[plane] = at + 1
        return planes[plane][at]

    tokens = bytearray()
    end = 0
    for length in lengths:
        end += length
        while len(tokens) < end:
            first = take(0)
            tokens.append(first)
            if first >> 2 == 63:
                tokens.append(take(1))
                while tokens[-1] >= 0x80:
                    tokens.append(take(1))
            if first & 3 == 3:
                plane = 2
                tokens.append(take(plane))
                while tokens[-1] >= 0x80:
                    plane = min(plane + 1, 4)
                    tokens.append(take(plane))
        if len(tokens) > end:
            raise TraceError("a token is cut off in " + where)
    return bytes(tokens)


def packed_blocks(content, where):
    """The blocks of a frame: the three words of each head, and its bytes."""
    at = 0
    numbers = []
    for _ in range(4):
        number, at = number_of(content, at, where)
        numbers.append(number)
    heads, at = part(content, at, 24 * numbers[1], where)
    if len(heads) != 24 * numbers[1]:
        raise TraceError("heads are missing in " + where)
    heads = list(struct.iter_unpack("<QQQ", heads))
    lengths = [head[0] & 0xFFFFFFFF for head in heads]
    if any(length > ROOM for length in lengths):
        raise TraceError("a head is damaged in " + where)
    kind, at = number_of(content, at, where)
    if kind not in (1, 5):
        raise TraceError("blocks are packed in an unknown way in " + where)
    parts = []
    for _ in range(kind):
        plane, at = part(content, at, sum(lengths), where)
        parts.append(plane)
    tokens = parts[0] if kind == 1 else joined(parts, lengths, where)
    if len(tokens) != sum(lengths):
        raise TraceError("bytes are missing in " + where)
    end = 0
    for head, length in zip(heads, lengths):
        yield head, tokens[end : end + length]
        end += length


def frames(packed):
    """What is whole of a packed file: for each frame the number of its first block, how many it has, and its content. The last may have none."""
    if len(packed) < 24 or packed[:8] != b"hindmTPK" or word(packed, 1) != 1:
        return
    at = 24
    follows = 0
    while at + 8 <= len(packed):
        length, checksum = struct.unpack_from("<II", packed, at)
        content = packed[at + 8 : at + 8 + length]
        if len(content) != length or zlib.adler32(content) != checksum:
            return
        try:
            first, behind = number_of(content, 0, "")
            count, _ = number_of(content, behind, "")
        except TraceError:
            return
        if count and (first != follows or count > 16):
            return
        yield first, count, content
        if not count:
            return
        follows += count
        at += 8 + length


class Blocks:
    """The blocks of a file, those that were packed before the others, and its header."""

    def __init__(self, data, packed):
        # Each with the number of its first block, how many it has, and its content.
        self.frames = []
        self.data = data
        self.header = data[: HEADER * 8]
        self.is_whole = False
        for first, count, content in frames(packed):
            if count:
                self.frames.append((first, count, content))
                continue
            at = 4
            self.header, _ = part(content, at, HEADER * 8, "the last frame")
            if len(self.header) != HEADER * 8:
                raise TraceError("the header is cut off")
            self.is_whole = True

    def __iter__(self):
        """Of each block its head's words before the last, and its bytes."""
        number = 0
        for first, count, content in self.frames:
            yield from packed_blocks(content, "the frame of block %d" % first)
            number = first + count
        if self.is_whole:
            return
        for number in range(number, BLOCKS):
            at = HEADER + number * BLOCK
            if (at + HEAD) * 8 > len(self.data):
                return
            *head, mark = (word(self.data, at + index) for index in range(HEAD))
            if mark == 0:
                break
            used = head[0] & 0xFFFFFFFF
            start = (at + HEAD) * 8
            if mark != number + 1 or used > ROOM:
                raise TraceError("the head of block %d is damaged" % number)
            if start + used > len(self.data):
                raise TraceError("cut off in block %d" % number)
            yield tuple(head), self.data[start : start + used]
        for later in range(number + 1, BLOCKS):
            at = (HEADER + later * BLOCK + 3) * 8
            if at + 8 > len(self.data):
                return
            if word(self.data, at // 8):
                raise TraceError("block %d is missing: it may be in the packed file" % number)


# Tokens


def leb128(tokens, at, where):
    """A number of at most 28 bits, and where it ends."""
    number = 0
    for shift in (0, 7, 14, 21):
        if at >= len(tokens):
            raise TraceError("a token is cut off in " + where)
        byte = tokens[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise TraceError("a number is too large in " + where)


# What is expected

G = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1


class Model:
    """What is expected in a block, from its beginning on."""

    def __init__(self):
        self.long = self.short = self.now = 0
        self.long_choices, self.short_choices, self.places = {}, {}, {}
        self.history = [0] * 65536
        self.match = None
        self.right = 0

    def long_slot(self):
        return (self.long * G & WORD) >> 50

    def short_slot(self):
        return (self.short * G & WORD) >> 52

    def expected(self):
        if self.match is not None and self.right >= 16:
            return self.history[self.match % 65536]
        return self.long_choices.get(self.long_slot(), (0, 0))[0]

    def chosen(self, code):
        if code == 0:
            first, second = self.long_choices.get(self.long_slot(), (0, 0))
            return second if self.expected() == first else first
        return self.short_choices.get(self.short_slot(), (0, 0))[code - 1]

    def learn(self, symbol):
        for choices, slot in ((self.long_choices, self.long_slot()), (self.short_choices, self.short_slot())):
            first = choices.get(slot, (0, 0))[0]
            if first != symbol:
                choices[slot] = (symbol, first)

    def go_on(self, symbol):
        if self.match is not None:
            if self.history[self.match % 65536] == symbol:
                self.match += 1
                self.right += 1
            else:
                self.match = None
        self.history[self.now % 65536] = symbol
        self.now += 1
        self.long = (self.long << 9 & WORD) ^ ((symbol * G & WORD) >> 40)
        self.short = (self.short << 24 | symbol) & ((1 << 48) - 1)
        slot = self.long_slot()
        if self.match is None:
            place = self.places.get(slot)
            if place is not None and self.now - place < 65536:
                self.match, self.right = place, 0
        self.places[slot] = self.now


def block_events(tokens, run, where):
    """The events of one block."""
    model = Model()
    at = 0

    def expected(count):
        for _ in range(count):
            symbol = model.expected()
            model.go_on(symbol)
            yield symbol

    while at < len(tokens):
        first = tokens[at]
        at += 1
        count = first >> 2
        if count == 63:
            more, at = leb128(tokens, at, where)
            count += more
        literal = None
        if first & 3 == 3:
            literal, at = leb128(tokens, at, where)
            if literal >= 1 << 24:
                raise TraceError("a number is too large in " + where)
        yield from expected(count)
        symbol = model.chosen(first & 3) if literal is None else literal
        model.learn(symbol)
        model.go_on(symbol)
        yield symbol
    yield from expected(run)


# The file of a thread


def checked(data, packed, magic, version):
    """The blocks of a file that begins so."""
    blocks = Blocks(data, packed)
    header = blocks.header
    if len(header) < HEADER * 8 or header[:8] != magic:
        raise TraceError("this is no trace of calls" if magic == TRACE else "these are no stamps")
    if word(header, 1) != version:
        raise TraceError("it is of version %d, and this reads version %d" % (word(header, 1), version))
    if word(header, 2) != BLOCK:
        raise TraceError("its blocks have %d words" % word(header, 2))
    return blocks


def trace(data, packed=b""):
    """What the header of a thread's file says."""
    data = checked(data, packed, TRACE, 2).header
    return {
        "ended": ENDED.get(word(data, 3)),
        "lost": word(data, 4),
        "supplied": word(data, 5),
        "ignored": word(data, 6),
        "inherited": word(data, 7),
        "tid": word(data, 8),
        "overrun": word(data, 10) != 0,
    }


def events(data, packed=b""):
    """All events, those of the queue behind the others."""
    blocks = checked(data, packed, TRACE, 2)
    data = blocks.header
    depth = count = last = 0
    for number, ((published, before, deep), tokens) in enumerate(blocks):
        if (before, deep) != (count, depth):
            raise TraceError("block %d does not begin where the one before it ends" % number)
        for symbol in block_events(tokens, published >> 32, "block %d" % number):
            depth += 1 if symbol else -1
            if depth < 0:
                raise TraceError("event %d leaves a function, but the thread is in none" % count)
            count += 1
            last = symbol
            yield symbol
    queue = [word(data, QUEUE_AT + index) for index in range(min(word(data, 9), HEADER - QUEUE_AT))]
    taking = word(data, 11)
    if taking >> 48:
        taken, then = (taking >> 48) - 1, taking & ((1 << 48) - 1)
        if count > then and taken < len(queue) and queue[taken] == last:
            taken += 1
        queue = queue[taken:]
    for symbol in queue:
        if symbol or depth:
            depth += 1 if symbol else -1
            yield symbol


# Stamps


TIES = ("sends", "receives", "enters", "leaves")


def stamps(data, packed=b""):
    """All stamps: behind how many events, when in nanoseconds since the epoch, and for what."""
    blocks = checked(data, packed, STAMPS, 1)
    monotonic, epoch = word(blocks.header, 9), word(blocks.header, 10)
    for number, ((_, behind, time), content) in enumerate(blocks):
        where = "block %d of the stamps" % number
        known = []
        at = 0

        def next_number():
            nonlocal at
            value, shift = 0, 0
            while shift < 64:
                if at >= len(content):
                    raise TraceError("a stamp is cut off in " + where)
                byte = content[at]
                at += 1
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    return value & WORD
                shift += 7
            raise TraceError("a number is too large in " + where)

        def communicator():
            nonlocal at
            index = next_number()
            if index < len(known):
                return known[index]
            if index != len(known) or at + 8 > len(content):
                raise TraceError("a communicator is damaged in " + where)
            identity = struct.unpack_from("<Q", content, at)[0]
            at += 8
            if index < 16:
                known.append(identity)
            return identity

        while at < len(content):
            first = content[at]
            at += 1
            kind = first & 7
            behind += first >> 3
            if first >> 3 == 31:
                behind += next_number()
            time += next_number()
            stamp = {"behind": behind, "time": epoch + time - monotonic}
            if kind in (1, 2):
                tie = {"communicator": communicator(), "peer": next_number()}
                tag = next_number()
                tie["tag"] = tag >> 1 ^ -(tag & 1)
                tie["ordinal"] = next_number()
                stamp[TIES[kind - 1]] = tie
            elif kind in (3, 4):
                tie = {"communicator": communicator()}
                root = next_number()
                tie["root"] = root - 1 if root else None
                tie["ordinal"] = next_number()
                stamp[TIES[kind - 1]] = tie
            elif kind:
                raise TraceError("a stamp is of an unknown kind in " + where)
            yield stamp


# The file of a process


def text(data, at, length):
    return data[at * 8 : at * 8 + length].split(b"\0")[0].decode("utf-8", "replace")


def task(data):
    """Who a process is, and its functions: module and address of each, number 1 first."""
    if data[:8] != b"hindmTSK":
        raise TraceError("this is no file of a traced process")
    if word(data, 1) != 1:
        raise TraceError("it is of version %d, and this reads version 1" % word(data, 1))
    modules = []
    for number in range(min(word(data, 8), 256)):
        at = 64 + number * 64
        length = min(word(data, at + 1), 32)
        build_id = data[(at + 2) * 8 : (at + 2) * 8 + length].hex()
        modules.append({"build_id": build_id, "path": text(data, at + 7, min(word(data, at + 6), 456))})
    functions = []
    for number in range(min(word(data, 9), 131071)):
        place = word(data, 16448 + number)
        module = (place >> 48) - 1
        known = {"module": module if 0 <= module < len(modules) else None, "address": place & ((1 << 48) - 1)}
        functions.append(known if place else None)
    rank, size, parent = word(data, 5), word(data, 6), word(data, 11)
    return {
        "pid": word(data, 2),
        "image": word(data, 3),
        "started": word(data, 4),
        "rank": rank - 1 if rank else None,
        "size": size or None,
        "lost": word(data, 10),
        "forked_from": parent or None,
        "host": text(data, 16, 64),
        "job": text(data, 24, 64),
        "modules": modules,
        "functions": functions,
    }


def read(path):
    """A file; nothing if it is not there: it may have been packed to its end."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def read_both(path, started=None):
    """A file and what was packed of it, in this order, so that nothing is missed that is packed meanwhile."""
    data, packed = read(path), read(path + PACKED)
    is_its = started is None or (len(packed) >= 24 and word(packed, 2) == started)
    return data, packed if is_its else b""


def threads(path):
    """What is printed: one dictionary for each thread."""
    if not os.path.isdir(path):
        if path.endswith(PACKED):
            path = path[: -len(PACKED)]
        files = read_both(path)
        if not any(files):
            raise TraceError("there is no such file")
        yield {"about": trace(*files), "events": list(events(*files))}
        return
    names = sorted(os.listdir(path))
    for name in names:
        if not name.endswith(".task"):
            continue
        process = task(read(os.path.join(path, name)))
        stem = name[: -len(".task")] + "-"
        own = {other[: -len(PACKED)] if other.endswith(PACKED) else other for other in names if other.startswith(stem)}
        for other in sorted(other for other in own if other.endswith(".trace")):
            files = read_both(os.path.join(path, other), process["started"])
            moments = read_both(os.path.join(path, other[: -len("trace")] + "stamps"), process["started"])
            yield {
                "file": other,
                "process": process,
                "about": trace(*files),
                "events": list(events(*files)),
                "stamps": list(stamps(*moments)) if any(moments) else [],
            }


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        for thread in threads(arguments[0]):
            print(json.dumps(thread))
    except (OSError, TraceError) as error:
        print("%s: %s" % (arguments[0], error), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
