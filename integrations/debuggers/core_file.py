"""A core file of a live process, of what a debugger knows of it, for debuggers that write none (lldb before 15).

It has what the kernel writes: registers of all threads, mapped files, auxiliary vector, and the memory that is in no file.
Layouts are those of Linux on x86-64 (`elfcore.h`, core(5)).
"""

import collections
import os
import struct


# A thread: its id, the signal that it has taken (0 for none), its general registers by their names, and the 16 bytes of each of
# xmm0 to xmm15.
HindmostThread = collections.namedtuple("HindmostThread", "tid signal registers vectors")


class HindmostCoreFile:
    """Writes a process's core. `read` gives bytes of its memory (address, length), or None where there are none."""

    # `struct user_regs_struct`. What a debugger does not tell is 0, and orig_rax that of a thread in no system call.
    REGISTERS = (
        "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs rflags rsp ss fs_base gs_base ds es fs gs"
    ).split()
    PAGE = 4096
    # How much is read at once.
    PIECE = 1 << 20

    def __init__(self, pid, read):
        self.pid = pid
        self.read = read
        self.areas = []
        self.files = []
        for start, end, flags, offset, path, own in self._mappings():
            if path.startswith("/"):
                self.files.append((start, end, offset, path))
            if own and flags & 4:
                self.areas.append((start, end, flags))

    def _mappings(self):
        """The process's mappings: start, end, permissions as in ELF, offset, path, and whether memory of theirs is in no file."""
        with open(f"/proc/{self.pid}/smaps", encoding="utf-8", errors="surrogateescape") as smaps:
            mapping = None
            for line in smaps:
                words = line.rstrip("\n").split(None, 5)
                if not words[0].endswith(":"):
                    if mapping:
                        yield tuple(mapping)
                    start, end = (int(word, 16) for word in words[0].split("-"))
                    flags = 4 * ("r" in words[1]) | 2 * ("w" in words[1]) | ("x" in words[1])
                    path = words[5] if len(words) > 5 else ""
                    # The vdso is the kernel's; what it maps beside that for the vdso's own use cannot be read.
                    mapping = [start, end, flags, int(words[2], 16), path, path == "[vdso]"]
                elif words[0] in ("Anonymous:", "Swap:") and words[1] != "0":
                    mapping[5] = True
            if mapping:
                yield tuple(mapping)

    def _notes(self, threads):
        with open(f"/proc/{self.pid}/auxv", "rb") as auxv:
            auxiliary = auxv.read()
        # Of `struct elf_prpsinfo` the process id alone.
        notes = [(3, struct.pack("<24xI108x", self.pid))]
        for thread in threads:
            registers = [thread.registers.get(name, 0) for name in self.REGISTERS]
            notes.append((1, struct.pack("<12xH18xI76x27Q8x", thread.signal, thread.tid, *registers)))
            notes.append((2, struct.pack("<160x256s96x", b"".join(thread.vectors))))
        entries = b"".join(struct.pack("<QQQ", start, end, offset // self.PAGE) for start, end, offset, _ in self.files)
        paths = b"".join(os.fsencode(path) + b"\0" for _, _, _, path in self.files)
        notes += [(6, auxiliary), (0x46494C45, struct.pack("<QQ", len(self.files), self.PAGE) + entries + paths)]
        return b"".join(
            struct.pack("<III8s", 5, len(value), kind, b"CORE") + value + bytes(-len(value) % 4) for kind, value in notes
        )

    def write(self, path, threads):
        """Writes the file; the first of the threads is the one that the debugger looks at."""
        notes = self._notes(threads)
        notes_at = 64 + 56 * (1 + len(self.areas))
        at = -(-(notes_at + len(notes)) // self.PAGE) * self.PAGE
        segments = [struct.pack("<IIQQQQQQ", 4, 0, notes_at, 0, 0, len(notes), len(notes), 4)]
        places = []
        for start, end, flags in self.areas:
            segments.append(struct.pack("<IIQQQQQQ", 1, flags, at, start, 0, end - start, end - start, self.PAGE))
            places.append(at)
            at += end - start
        ident = b"\x7fELF\x02\x01\x01" + bytes(9)
        header = struct.pack("<16sHHIQQQIHHHHHH", ident, 4, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as core:
            core.write(header + b"".join(segments) + notes)
            for place, (start, end, _) in zip(places, self.areas):
                self._copy(core, place, start, end)
            core.truncate(at)

    def _copy(self, core, place, start, end):
        for address in range(start, end, self.PIECE):
            piece = self.read(address, min(self.PIECE, end - address))
            # What cannot be read stays a hole, as does what is zero.
            if piece and piece.count(0) != len(piece):
                core.seek(place + address - start)
                core.write(piece)
