# Run by gdb: stops the program at planned addresses and writes down, for every frame, the registers, the CFA and what
# gdb itself reads for every planned expression; and at every stop the memory that those values lie in.
#
# plan.txt holds lines `break ADDRESS` (as linked), `data START END` (as linked), `main ADDRESS` (as linked) and
# `value FUNCTION EXPRESSION`.
import gdb
import struct

plan = [line.rstrip("\n").split(" ", 2) for line in open("plan.txt")]
names = {}
for words in plan:
    if words[0] == "value":
        names.setdefault(words[1], []).append(words[2])
out = open("record.txt", "w")
registers = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split()
for setting in ("pagination off", "confirm off", "print entry-values no"):
    gdb.execute("set " + setting)
gdb.execute("break main", to_string=True)
gdb.execute("run > /dev/null", to_string=True)
linked_main = next(int(words[1], 16) for words in plan if words[0] == "main")
bias = int(gdb.parse_and_eval("(long)&main")) - linked_main
gdb.execute("delete", to_string=True)
out.write("bias %x\n" % bias)
planned = {}
for words in plan:
    if words[0] == "break":
        address = int(words[1], 16) + bias
        planned[address] = gdb.Breakpoint("*0x%x" % address, internal=True)
        planned[address].silent = True


def number(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_FLT:
        return struct.unpack("<Q", struct.pack("<d", float(value)))[0]
    return int(value) & 0xFFFFFFFFFFFFFFFF


def read(name):
    try:
        value = gdb.parse_and_eval(name)
        if value.is_optimized_out:
            return "gone"
        return "%x" % number(value)
    except (gdb.error, gdb.MemoryError, OverflowError, ValueError):
        return "error"


def memory(start, end):
    try:
        data = gdb.selected_inferior().read_memory(start, end - start)
        out.write("memory %x %s\n" % (start, bytes(data).hex()))
    except gdb.MemoryError:
        pass


hits = {}
for stop in range(1500):
    pc = int(gdb.selected_frame().pc())
    hits[pc] = hits.get(pc, 0) + 1
    if hits[pc] <= 3:
        out.write("stop\n")
        stack = int(gdb.parse_and_eval("(long)$rsp")) - 128
        # The stack may end at the next page: little stands above main where the environment is small.
        page = (stack + 4096) & ~4095
        memory(stack, page)
        memory(page, stack + 4096)
        for words in plan:
            if words[0] == "data":
                memory(int(words[1], 16) + bias, int(words[2], 16) + bias)
        frame, physical, newer = gdb.newest_frame(), 0, None
        while frame is not None and frame.is_valid():
            if newer is not None and newer.type() != gdb.INLINE_FRAME:
                physical += 1
            newer = frame
            name = frame.name() or "?"
            if name in names:
                frame.select()
                text = gdb.execute("info frame", to_string=True)
                cfa = text.split("frame at ")[1].split(":")[0]
                values = " ".join("%x" % (int(frame.read_register(r)) & 0xFFFFFFFFFFFFFFFF) for r in registers)
                out.write("frame %s %x %d %s %s\n" % (name, frame.pc() - bias, physical, cfa, values))
                for expression in names[name]:
                    out.write("value %s %s\n" % (read(expression), expression))
            if name == "main":
                break
            frame = frame.older()
        gdb.newest_frame().select()
    elif pc in planned:
        planned.pop(pc).delete()
    try:
        gdb.execute("continue", to_string=True)
    except gdb.error:
        break
    if gdb.selected_thread() is None:
        break
out.close()
