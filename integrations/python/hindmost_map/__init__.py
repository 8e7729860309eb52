"""Reads progress maps (.hmap) of hindmost, with nothing but Python's standard library.

Written from docs/map-format.md alone; the comments name its sections. As a program it prints JSON:

    python3 -m hindmost_map app.hmap              the whole map
    python3 -m hindmost_map app.hmap functions    name, file and lines of every function
    python3 -m hindmost_map app.hmap loops        every loop with its function and order variables
    python3 -m hindmost_map app.hmap lovs         every order variable with its loop

As a module: read(bytes) gives the same as dictionaries, of a map or of a program with a map inside; records(bytes) takes
concatenated maps apart; embedded(bytes) gives the map inside a program as it is.
"""

import json
import signal
import struct
import sys
import zlib
from typing import Any, Dict, Iterator, List, Sequence

__all__ = ["MapError", "VERSION", "embedded", "read", "records", "summary"]

VERSION = 3
MAGIC = b"\x89HMAP\r\n\x1a"
BOUND = {b"BIND", b"BSTR", b"ROWS", b"BFUN", b"BINL", b"BVAR", b"BCAL", b"BMRG", b"BMPI"}
KNOWN = {b"STRS", b"FILE", b"HEAD", b"BODY", b"DIAG", b"MPIC", b"HAND"} | BOUND

CONFIDENCE = ["clean", "repaired", "partial"]
READING = ["as_written", "preprocessed", "exactly"]
SEVERITY = ["note", "warning", "error"]
POINT = ["eval", "branch", "call", "indirect_call", "macro_call", "entry", "exit", "return"]
SCOPE = ["function", "block", "loop", "branch", "arm", "loop"]
LOOP = ["while", "do", "for", "goto"]
CLASS = ["strict", "weak"]
DIRECTION = ["up", "down", "sign_of_step"]
GROWTH = ["additive", "multiplicative", "floating"]
ACROSS = ["same_sequence", "relative", "nothing"]
ASSUMPTION = ["proven", "assumed", "rank_dependent"]
INSTANCE = ["anywhere", "concrete", "inlined"]
ENCODING = ["signed", "unsigned", "float", "address"]

WORD = 1 << 32
ADDRESS = 1 << 64


class MapError(Exception):
    """The bytes are not a map that this reader understands."""


# Record


def sections(data):
    """The (tag, content) pairs of the one record that `data` holds, checksums verified."""
    if data[:8] != MAGIC:
        raise MapError("not a progress map")
    if len(data) < 32:
        raise MapError("truncated in the header")
    version, count, length, _, checksum = struct.unpack_from("<IIQII", data, 8)
    if version > VERSION:
        raise MapError(f"format version {version} is newer than this reader knows ({VERSION})")
    if version < VERSION:
        raise MapError(f"format version {version} is older than this reader knows ({VERSION}): make the map again")
    table = data[32 : 32 + 24 * count]
    if len(table) < 24 * count or len(data) < length:
        raise MapError(f"truncated at byte {len(data)} of {length}")
    if zlib.crc32(table, zlib.crc32(data[:28])) != checksum:
        raise MapError("checksum of the header differs")
    if len(data) > length:
        raise MapError(f"the map ends at byte {length}, but the data goes on")
    found = []
    at = 32 + 24 * count
    for index in range(count):
        tag, flags, size, checksum, _ = struct.unpack_from("<4sIQII", table, 24 * index)
        content = data[at : at + size]
        at += size
        if len(content) != size or zlib.crc32(content) != checksum:
            raise MapError(f"checksum of section {index} ({tag.decode('latin-1')}) differs")
        if tag in KNOWN:
            # A BIND begins another round of the sections of a binding.
            round = [other for other, _ in found]
            if tag in BOUND and b"BIND" in round:
                round = round[len(round) - round[::-1].index(b"BIND") - 1 :]
            if tag not in (b"BODY", b"BIND") and tag in round:
                raise MapError(f"a second section {tag.decode()}")
            found.append((tag, content))
        elif flags & 1:
            raise MapError(f"section {index} ({tag!r}) must be understood and is not known")
    return found


def records(data: bytes) -> Iterator[bytes]:
    """Takes concatenated records apart; zero bytes between them are padding."""
    at = 0
    while True:
        while at < len(data) and data[at] == 0:
            at += 1
        if at == len(data):
            return
        if data[at : at + 8] != MAGIC or len(data) - at < 24:
            raise MapError(f"no progress map at byte {at}")
        (length,) = struct.unpack_from("<Q", data, at + 16)
        if length < 32:
            raise MapError(f"no progress map at byte {at}")
        yield data[at : at + length]
        at += length


# Section, Numbers


# Inside programs


def embedded(program: bytes) -> bytes:
    """The map inside a program: the content of its section .hindmost.map."""
    if program[:6] != b"\x7fELF\x02\x01":
        raise MapError("not an ELF file of 64 bits, lowest byte first")
    try:
        table = struct.unpack_from("<Q", program, 40)[0]
        size, count, names = struct.unpack_from("<HHH", program, 58)
        if table == 0 or size != 64:
            raise MapError("the program has no section table")

        def section(index):
            name, _, _, _, offset, length, link = struct.unpack_from("<IIQQQQI", program, table + index * 64)
            return name, offset, length, link

        # So many sections that the header cannot count them are counted in the first one.
        count = count or section(0)[2]
        names = section(0)[3] if names == 0xFFFF else names
        if table + count * 64 > len(program) or names >= count:
            raise MapError("the program's section table is damaged")
        _, at, length, _ = section(names)
        texts = program[at : at + length]
        for index in range(count):
            name, offset, length, _ = section(index)
            if texts[name : name + 14] == b".hindmost.map\0":
                if offset + length > len(program):
                    raise MapError("the map is longer than the program that it is in")
                return program[offset : offset + length]
    except struct.error as error:
        raise MapError(f"the program's headers are damaged: {error}") from error
    raise MapError("the program has no map inside")


class Column:
    """One inflated column and a read position."""

    def __init__(self, data=b""):
        self.data = data
        self.at = 0

    def more(self):
        return self.at < len(self.data)

    def byte(self):
        if self.at >= len(self.data):
            raise MapError("a column ends too early")
        self.at += 1
        return self.data[self.at - 1]

    def take(self, count):
        if count > len(self.data) - self.at:
            raise MapError("a column ends too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def rest(self):
        return self.take(len(self.data) - self.at)

    def u(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        if value >= ADDRESS:
            raise MapError("a number has more than 64 bits")
        return value

    def s(self):
        value = self.u()
        return -(value + 1 >> 1) if value & 1 else value >> 1

    def near(self, base, modulus=WORD):
        return (base + self.s()) % modulus

    def after(self, base, modulus=WORD):
        return (base + self.u()) % modulus

    def near64(self, base):
        return self.near(base, ADDRESS)

    def after64(self, base):
        return self.after(base, ADDRESS)

    def option(self):
        value = self.u()
        return None if value == 0 else value - 1

    def parent(self, index):
        distance = self.option()
        return None if distance is None else (index - distance) % WORD


class Columns:
    """A section's columns by number; one that is absent is empty."""

    def __init__(self, content, strings=None):
        self.strings = strings
        directory = Column(content)
        entries = [(directory.u(), directory.u(), directory.u()) for _ in range(directory.u())]
        self.columns = {}
        self.known = set()
        for number, raw, stored in entries:
            data = directory.take(stored)
            if stored < raw:
                data = zlib.decompress(data, wbits=-15, bufsize=raw)
            if len(data) != raw:
                raise MapError(f"column {number} does not inflate to the length that it states")
            self.columns[number] = Column(data)
        if directory.more():
            raise MapError("a section is longer than its columns")

    def __getitem__(self, number):
        self.known.add(number)
        return self.columns.setdefault(number, Column())

    def string(self, number):
        return self.strings[self[number].u()].decode()

    def blob(self, number):
        return self.strings[self[number].u()].hex()

    def span(self, first, line, column):
        line = self[first].near(line)
        column = self[first + 1].near(column)
        end_line = self[first + 2].after(line)
        end_column = self[first + 3].after(column if end_line == line else 0)
        return [line, column, end_line, end_column]

    def finish(self):
        for number, column in self.columns.items():
            # A later writer may have added columns.
            if number in self.known and column.more():
                raise MapError(f"column {number} is longer than its content")


# Static half


def read_strings(columns):
    strings = []
    while columns[0].more():
        strings.append(columns[1].take(columns[0].u()))
    columns.finish()
    return strings


def read_files(columns):
    files = []
    path = b""
    while columns[0].more():
        path = path[: columns[0].u()] + columns[2].take(columns[1].u())
        files.append({"path": path.decode(), "hash": columns[3].take(32).hex()})
    columns.finish()
    return files


def read_heads(columns):
    heads = []
    name = file = end_line = 0
    tells_reading = columns[10].more()
    while columns[1].more():
        flags = columns[1].byte()
        name = columns[0].near(name)
        head = {
            "name": columns.strings[name].decode(),
            "linkage_name": columns.string(2) if flags & 8 else None,
            "is_static": bool(flags & 1),
            "confidence": CONFIDENCE[flags >> 1 & 3],
            "confidence_reason": columns.string(3) if flags & 16 else None,
            "reading": READING[columns[10].byte() if tells_reading else 0],
        }
        previous_file, file = file, columns[4].near(file)
        head["file"] = file
        head["span"] = columns.span(5, end_line if file == previous_file else 0, 0)
        end_line = head["span"][2]
        heads.append(head)
    blocks = []
    while columns[9].more():
        blocks.append(columns[9].u())
    columns.finish()
    return heads, blocks


def read_body(columns, function):
    points, edges, scopes, loops = (columns[0].u() for _ in range(4))
    function["scopes"] = read_scopes(columns, function["span"], scopes)
    function["points"] = read_points(columns, function, points)
    function["edges"] = read_edges(columns, points)
    if len(function["edges"]) != edges:
        raise MapError(f"function {function['name']} does not have the edges that it states")
    function["loops"] = read_loops(columns, function, loops)


def read_scopes(columns, function_span, count):
    scopes = []
    # By parent: where its last child ended and the number of its next arm.
    sibling_end, next_arm, next_loop = {}, {}, 0
    for index in range(count):
        kind = columns[14].byte()
        code = columns[15].u()
        if code == 0:
            parent = None
        elif code & 1:
            parent = index - 1
            for _ in range(code >> 1):
                parent = scopes[parent]["parent"]
        else:
            parent = (index - (code >> 1)) % WORD
        if parent is None or parent >= index:
            start, end, arm = function_span[0], function_span[2], 0
        else:
            start = sibling_end.get(parent, scopes[parent]["line"])
            end = scopes[parent]["end_line"]
            arm = next_arm.get(parent, 0)
        scope = {"kind": SCOPE[kind], "parent": parent}
        if kind == 2:
            scope["loop"] = columns[18].near(next_loop)
            next_loop = scope["loop"] + 1
        elif kind == 5:
            scope["loop"] = None
        elif kind == 4:
            scope["arm"] = columns[18].near(arm)
            next_arm[parent] = scope["arm"] + 1
        scope["line"] = columns[16].near(start)
        length = columns[17].option()
        scope["end_line"] = end if length is None else (scope["line"] + length) % WORD
        sibling_end[parent] = scope["end_line"]
        scopes.append(scope)
    return scopes


def read_points(columns, function, count):
    scopes = function["scopes"]
    points = []
    line, column, group = function["span"][0], 0, 0
    scope, unseen = 0, 1
    last_loop, loop_in_scope = 0, {}
    for _ in range(count):
        kind = columns[1].byte()
        whole, kind = kind & 8, kind & ~8
        point = {"kind": POINT[kind]}
        if kind in (2, 4):
            point["callee"] = columns.string(2)
        code = columns[7].u()
        if code & 1:
            scope = (unseen + (code >> 1)) % WORD
        else:
            for _ in range(code >> 1):
                scope = scopes[scope]["parent"]
        unseen = max(unseen, scope + 1)
        point["scope"] = scope
        if scope in loop_in_scope:
            expected = loop_in_scope[scope]
        elif scopes[scope].get("loop") is not None:
            expected = scopes[scope]["loop"] + 1
        elif scopes[scope]["parent"] in loop_in_scope:
            expected = loop_in_scope[scopes[scope]["parent"]]
        else:
            expected = last_loop
        last_loop = loop_in_scope[scope] = columns[8].near(expected)
        point["innermost_loop"] = last_loop - 1 if last_loop else None
        if whole:
            point["span"] = function["span"]
        else:
            point["span"] = columns.span(3, line, column)
            line, column = point["span"][:2]
        point["unsequenced"] = []
        for _ in range(columns[9].u()):
            group = columns[10].near(group)
            point["unsequenced"].append([group, columns[11].u()])
        points.append(point)
    return points


def read_edges(columns, count):
    edges = []
    for point in range(count):
        code = columns[12].u()
        if not code & 1:
            edges.append([point, point + 1])
        for _ in range(code >> 1):
            edges.append([point, columns[13].near(point)])
    return sorted(edges)


def read_loops(columns, function, count):
    loops = []
    header = 0
    scopes, points = function["scopes"], function["points"]
    # By loop: the last line of its statement and the first point in it.
    statement_end, first_point = {}, {}
    for scope in scopes:
        if scope.get("loop") is not None:
            statement_end.setdefault(scope["loop"], scope["end_line"])
    for index, point in enumerate(points):
        if point["scope"] < len(scopes) and scopes[point["scope"]].get("loop") is not None:
            first_point.setdefault(scopes[point["scope"]]["loop"], index)
    for index in range(count):
        parent = columns[20].parent(index)
        kind = columns[21].byte()
        header = columns[22].near(first_point.get(index, header))
        near = list(points[header]["span"] if header < len(points) else function["span"])
        near[2] = statement_end.get(index, near[2])
        loop = {
            "parent": parent,
            "source": LOOP[kind & 3],
            "reducible": not kind & 4,
            "header": header,
            "span": [columns[23 + i].near(near[i]) for i in range(4)],
        }
        lovs, refused = columns[27].u(), columns[28].u()
        reasons = Reasons(columns, function["span"][0], loop["span"][0])
        loop["lovs"] = [read_lov(columns, function, header, reasons) for _ in range(lovs)]
        loop["refused"] = [{"name": columns.string(32), **reasons.read()} for _ in range(refused)]
        loops.append(loop)
    return loops


# Why a variable does not order its loop, by code, with what follows: a line, a value, a term, names, or (p) the code of what changes the path.
REFUSALS = {
    0: ("divided-among-threads", ""),
    1: ("step-unknown", "l"),
    2: ("step-fraction", "l"),
    3: ("step-too-large", "lv"),
    4: ("step-may-be-too-large", "l"),
    5: ("steps-both-ways", ""),
    6: ("steps-cancel-out", ""),
    7: ("steps-of-unknown-direction", "t"),
    8: ("steps-of-two-kinds", ""),
    9: ("start-not-positive", ""),
    10: ("grows-without-bound", ""),
    11: ("stands-at-zero", ""),
    12: ("wraps-around", "v"),
    13: ("function-read-in-part", "vln"),
    32: ("no-variable", ""),
    33: ("changed-through-pointer", ""),
    34: ("changed-by-other-calls", ""),
    35: ("address-taken", ""),
    36: ("member-address-taken", "n"),
    37: ("in-union", "n"),
    38: ("path-changed-through-pointer", "n"),
    39: ("changed-by-other-path", "l"),
    40: ("path-assigned", "l"),
    41: ("pointer-write", "l"),
    42: ("name-hidden", "l"),
    43: ("unsequenced", "l"),
    44: ("operand-changed-in-loop", ""),
    45: ("operand-changed-before-loop", ""),
    46: ("set-by-call", "l"),
    47: ("changed-by-function", "n"),
    48: ("written-over", "n"),
    49: ("changed-by-macro", "n"),
    50: ("changed-by-unmapped-function", "n"),
    51: ("changed-by-call-back", "nn"),
    52: ("promised-constant", "n"),
    53: ("taken-to-stay", "n"),
    54: ("range-taken-to-stay", ""),
    55: ("path-changed", "p"),
}


class Reasons:
    """The reasons of one loop, whose lines are near each other."""

    def __init__(self, columns, function_line, line):
        self.columns = columns
        self.function_line = function_line
        self.line = line

    def next_line(self):
        self.line = self.columns[58].near(self.line)
        return self.line

    def read(self):
        found, why = {}, []
        while not why or why[-1] == "path-changed":
            code = self.columns[61].byte()
            if code not in REFUSALS:
                raise MapError(f"no reason has the code {code}")
            word, needs = REFUSALS[code]
            why.append(word)
            for need in needs:
                if need == "l":
                    found["line"] = self.next_line()
                elif need == "v":
                    found["value"] = self.columns[59].s()
                elif need == "t":
                    found["step"] = read_term(self.columns, self.function_line)
                elif need == "n":
                    found.setdefault("names", []).append(self.columns.string(60))
        return {**found, "why": why}


MOVES = ("moves-by-same-amount", "moves-on-every-cycle", "moves-on-some-cycles", "may-round-off")
# What decides whether a value is the same on every task, by code less two, with what follows: a variable, a function, a line.
PROVENANCE = (
    ("too-much-to-follow", ""),
    ("build-choice", "l"),
    ("memory", "l"),
    ("address", "l"),
    ("not-understood", "l"),
    ("unknown-call", ""),
    ("computed-by-call", "f"),
    ("returned-by-call", "f"),
    ("returned-by-unmapped-function", "f"),
    ("written-by-call", "f"),
    ("changed-through-pointer", "v"),
    ("promised-constant", "v"),
    ("named-as-rank", "v"),
    ("command-line", ""),
    ("argument-of-unknown-callers", "vf"),
    ("argument-left-out", "vf"),
    ("taken-for-constant", "v"),
    ("defined-elsewhere", "v"),
    ("initial-value", "v"),
    ("exception", "v"),
    ("global", "v"),
    ("unknown-callers", "f"),
    ("unknown-start", ""),
    ("structure-copied", ""),
    ("element-address", ""),
)


def read_grounds(columns, reasons):
    grounds = {"moves": MOVES[columns[62].byte()], "provenance": None, "unseen": None}
    code = columns[63].byte()
    if code == 1:
        grounds["provenance"] = {"kept": reasons.read()}
    elif code:
        if code - 2 >= len(PROVENANCE):
            raise MapError(f"no provenance has the code {code}")
        word, needs = PROVENANCE[code - 2]
        grounds["provenance"] = {
            "kind": word,
            "variable": columns.string(60) if "v" in needs else "",
            "function": columns.string(60) if "f" in needs else "",
            "line": reasons.next_line() if "l" in needs else 0,
        }
    if columns[56].byte():
        grounds["unseen"] = reasons.read()
    return grounds


def read_lov(columns, function, header, reasons):
    lov = {"name": columns.string(29)}
    traits = columns[30].byte()
    for trait, words in (
        ("class", CLASS),
        ("direction", DIRECTION),
        ("growth", GROWTH),
        ("across", ACROSS),
        ("assumption", ASSUMPTION),
    ):
        traits, digit = divmod(traits, len(words))
        lov[trait] = words[digit]
    lov["grounds"] = read_grounds(columns, reasons)
    line = function["span"][0]
    lov["storage"] = read_storage(columns, line, lov["name"])
    lov["updates"] = []
    point = header
    for _ in range(columns[34].u()):
        point = columns[35].near(point)
        lov["updates"].append(point)
    cut = columns[36].u()
    if cut == 0:
        lov["cut"] = "updates"
    else:
        offsets = []
        point = header
        for _ in range(cut - 1):
            point = columns[37].near(point)
            offsets.append([point, columns[38].s()])
        lov["cut"] = {"offsets": offsets, "per_iteration": columns[39].s()}
    lov["step"] = read_term(columns, line)
    lov["start"] = read_term(columns, line)
    lov["unsigned_bits"] = columns[57].byte() or None
    return lov


def read_term(columns, line):
    kind = columns[40].byte()
    if kind == 0:
        return None
    if kind == 1:
        return columns[41].s()
    if kind == 2:
        return struct.unpack("<d", columns[42].take(8))[0]
    if 5 <= kind <= 9:
        return {"op": "+-*/%"[kind - 5], "operands": [read_term(columns, line), read_term(columns, line)]}
    if kind > 9:
        raise MapError(f"no term of kind {kind}")
    name = columns.string(43)
    return {"name": name, "storage": read_storage(columns, line, name), "negated": kind == 4}


def read_storage(columns, line, listed):
    """The base variable, then the steps from it."""
    shape = columns[44].u()
    storage = {"base": "global" if shape & 1 else "local"}
    storage["name"] = columns.string(45) if shape >= 2 else listed
    if not shape & 1:
        storage["line"] = columns[46].near(line)
    storage["steps"] = []
    for _ in range((shape - 2) // 2 if shape >= 2 else 0):
        step = columns[47].byte()
        if step > 4:
            raise MapError(f"no step of kind {step}")
        member = columns.string(48) if step in (1, 2) else ""
        storage["steps"].append(["*", ".", "->", "index", "position"][step] + member)
    return storage


def read_diagnostics(columns):
    diagnostics = []
    line = 0
    while columns[0].more():
        diagnostic = {
            "severity": SEVERITY[columns[0].byte()],
            "subject": columns.string(1),
            "message": columns.string(2),
            "span": columns.span(3, line, 0),
        }
        line = diagnostic["span"][0]
        diagnostics.append(diagnostic)
    columns.finish()
    return diagnostics


# Binding


def rounds(found):
    """The sections of each binding: a BIND begins a round, and the program's comes first."""
    tables = []
    for tag, content in found:
        if tag == b"BIND":
            tables.append({})
        if tables:
            tables[-1][tag] = content
    return tables


def read_binding(tables):
    strings = read_strings(Columns(tables[b"BSTR"]))

    def columns(tag):
        return Columns(tables[tag], strings)

    build = columns(b"BIND")
    binding = {
        "build_id": build[0].rest().hex(),
        "text_hash": build[1].take(32).hex(),
        "executable": build.string(2),
        "producer": build.string(2),
        "other_files": [],
    }
    while build[3].more():
        binding["other_files"].append(build.string(3))
    build.finish()
    binding["rows"] = read_rows(columns(b"ROWS"))
    binding["functions"] = read_bound_functions(columns(b"BFUN"))
    binding["inlines"] = read_inlines(columns(b"BINL"))
    binding["variables"] = read_variables(columns(b"BVAR"), binding)
    binding["calls"] = read_calls(columns(b"BCAL")) if b"BCAL" in tables else []
    binding["merges"] = read_merges(columns(b"BMRG")) if b"BMRG" in tables else []
    binding["mpi_calls"] = read_passed(columns(b"BMPI")) if b"BMPI" in tables else []
    return binding


def read_passed(columns):
    """What calls of MPI functions passed."""
    calls = []
    address = 0
    while columns[0].more():
        address = columns[0].after64(address)
        arguments = []
        for _ in range(columns[1].u()):
            index = columns[2].byte()
            arguments.append([index, columns.blob(3)])
        calls.append({"return_address": address, "arguments": arguments})
    columns.finish()
    return calls


def read_merges(columns):
    """Calls that may stand for others of the same function."""
    merges = []
    function = shown = address = 0
    has_addresses = columns[3].more()
    while columns[0].more():
        function = columns[0].near(function)
        shown = columns[1].near(shown)
        if has_addresses:
            address = columns[3].near64(address)
        merge = {"function": function, "shown": shown, "other": columns[2].near(shown)}
        merges.append(merge | {"return_address": address or None})
    columns.finish()
    return merges


def read_calls(columns):
    calls = []
    address = callee = 0
    while columns[0].more():
        address = columns[0].after64(address)
        call = {"return_address": address, "callees": [], "passed": []}
        for _ in range(columns[1].u()):
            callee = columns[2].near(callee)
            call["callees"].append(callee)
        for _ in range(columns[3].u()):
            register = columns[4].byte()
            call["passed"].append([register, columns.blob(5)])
        calls.append(call)
    columns.finish()
    return calls


def file_of(code):
    return {"other" if code & 1 else "file": code >> 1}


def read_rows(columns):
    rows = []
    end = file = line = 0
    while columns[4].more():
        start = columns[0].after64(end)
        end = columns[1].after64(start)
        file = columns[2].near64(file)
        line = columns[3].near(line)
        code = columns[4].u()
        rows.append([start, end, file_of(file), line, code >> 1, code & 1 == 1])
    columns.finish()
    return rows


def read_bound_functions(columns):
    functions = []
    end = function = 0
    while columns[4].more():
        start = columns[0].after64(end)
        end = columns[1].after64(start)
        function = columns[2].near(function)
        functions.append(
            {
                "start": start,
                "end": end,
                "function": function - 1 if function else None,
                "name": columns.string(3),
                "frame_base": columns.blob(4),
                "optimised": columns[5].u() != 0,
            }
        )
    columns.finish()
    return functions


def read_inlines(columns):
    inlines = []
    function = file = line = 0
    while columns[8].more():
        parent = columns[5].parent(len(inlines))
        if parent is None:
            near = inlines[-1]["start"] if inlines else 0
        else:
            near = inlines[parent]["start"] if parent < len(inlines) else 0
        start = columns[0].near64(near)
        end = columns[1].after64(start)
        function = columns[2].near(function)
        name = columns.string(3)
        file = columns[6].near64(file)
        line = columns[7].near(line)
        inlines.append(
            {
                "start": start,
                "end": end,
                "parent": parent,
                "function": function - 1 if function else None,
                "name": name,
                "call": [file_of(file), line, columns[8].u()],
            }
        )
    columns.finish()
    return inlines


def read_variables(columns, binding):
    variables = []
    last = [0, 0, 0]
    while columns[0].more():
        kind = columns[0].byte()
        index = last[kind] = columns[1].near(last[kind])
        base = 0 if kind == 0 else binding["functions" if kind == 1 else "inlines"][index]["start"]
        variable = {"instance": [INSTANCE[kind], index], "name": columns.string(2), "scope": []}
        end = base
        for _ in range(columns[3].u()):
            start = columns[4].near64(end)
            end = columns[5].after64(start)
            variable["scope"].append([start, end])
        count = columns[6].u()
        if count == 1:
            variable["locations"] = [[0, ADDRESS - 1, columns.blob(9)]]
        else:
            variable["locations"] = []
            end = base
            for _ in range(max(count - 1, 0)):
                start = columns[7].near64(end)
                end = columns[8].after64(start)
                variable["locations"].append([start, end, columns.blob(9)])
        variable["path"] = [
            columns[12].u() if columns[11].byte() else "deref" for _ in range(columns[10].u())
        ]
        variable["encoding"] = [ENCODING[columns[13].byte()], columns[13].byte()]
        variables.append(variable)
    columns.finish()
    return variables


def read_mpi_calls(columns, functions):
    """What the source gives to MPI calls."""
    calls = []
    function = 0
    while columns[0].more():
        function = columns[0].near(function)
        call = {"function": function, "point": columns[1].u(), "arguments": []}
        line = functions[function]["span"][0]
        for _ in range(columns[2].u()):
            argument = {"index": columns[3].byte(), "text": columns.string(4), "term": read_term(columns, line)}
            argument["settled"] = bool(columns[5].byte())
            call["arguments"].append(argument)
        calls.append(call)
    columns.finish()
    return calls


def read_handed(columns, functions):
    """Variables that calls hand to their callees unchanged."""
    handed = []
    function = callee = 0

    def local(column, near):
        return {"base": "local", "name": columns.string(column), "line": columns[column + 1].near(near), "steps": []}

    while columns[0].more():
        function = columns[0].near(function)
        each = {"function": function, "point": columns[1].u()}
        each["variable"] = local(2, functions[function]["span"][0])
        callee = columns[4].near(callee)
        each["callee"] = callee
        each["parameter"] = local(5, functions[callee]["span"][0])
        handed.append(each)
    columns.finish()
    return handed


def read(data: bytes) -> Dict[str, Any]:
    """The map in `data`, or inside the program that it is, as dictionaries and lists that JSON can hold."""
    if data[:4] == b"\x7fELF":
        data = next(records(embedded(data)), b"")
    found = sections(data)
    tables = dict(found)
    bodies = [content for tag, content in found if tag == b"BODY"]
    missing = [tag.decode() for tag in (b"STRS", b"FILE", b"HEAD", b"DIAG") if tag not in tables]
    if missing:
        raise MapError(f"sections are missing: {missing}")
    try:
        strings = read_strings(Columns(tables[b"STRS"]))
        functions, blocks = read_heads(Columns(tables[b"HEAD"], strings))
        if len(blocks) != len(bodies) or sum(blocks) != len(functions):
            raise MapError("the BODY sections do not hold all functions")
        bindings = [read_binding(tables) for tables in rounds(found)]
        first = 0
        for content, count in zip(bodies, blocks):
            columns = Columns(content, strings)
            for function in functions[first : first + count]:
                read_body(columns, function)
            columns.finish()
            first += count
        return {
            "version": VERSION,
            "files": read_files(Columns(tables[b"FILE"])),
            "functions": functions,
            "diagnostics": read_diagnostics(Columns(tables[b"DIAG"], strings)),
            "mpi_calls": read_mpi_calls(Columns(tables[b"MPIC"], strings), functions) if b"MPIC" in tables else [],
            "handed": read_handed(Columns(tables[b"HAND"], strings), functions) if b"HAND" in tables else [],
            "binding": bindings[0] if bindings else None,
            "libraries": bindings[1:],
        }
    except (IndexError, KeyError, TypeError, UnicodeDecodeError, zlib.error) as error:
        raise MapError(f"malformed: {error}") from error


def summary(progress_map: Dict[str, Any], what: str) -> List[Dict[str, Any]]:
    """A flat list of functions, loops or order variables, for people and small scripts."""
    entries = []
    for function in progress_map["functions"]:
        file = progress_map["files"][function["file"]]["path"]
        place = {"function": function["name"], "file": file}
        if what == "functions":
            lines = [function["span"][0], function["span"][2]]
            entries.append({**place, "lines": lines, "points": len(function["points"])})
            continue
        for loop in function["loops"]:
            at = {**place, "line": loop["span"][0], "source": loop["source"]}
            if what == "loops":
                names = [lov["name"] for lov in loop["lovs"]]
                entries.append({**at, "lovs": names, "refused": loop["refused"]})
            else:
                entries.extend({**at, **lov} for lov in loop["lovs"])
    return entries


def main(arguments: Sequence[str]) -> int:
    # Ends quietly when a reader such as `head` has seen enough.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    what = arguments[1] if len(arguments) == 2 else "all"
    if len(arguments) not in (1, 2) or what not in ("all", "functions", "loops", "lovs"):
        print("usage: python3 -m hindmost_map FILE [all|functions|loops|lovs]", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], "rb") as file:
            progress_map = read(file.read())
    except (OSError, MapError) as error:
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    json.dump(progress_map if what == "all" else summary(progress_map, what), sys.stdout, indent=1)
    print()
    return 0


def command() -> None:
    """The command hindmost-map, as the package installs it."""
    sys.exit(main(sys.argv[1:]))
