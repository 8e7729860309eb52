"""STATview's temporal ordering, by hindmost: STATview imports `tomod` when it starts, and offers its buttons "TO" if there is one.

    PYTHONPATH=…/integrations/statview HINDMOST_MAP=app.hmap stat-view 00_app.2D.dot

HINDMOST_MAP is the progress map of the program, or the program if the map is inside; HINDMOST names the `hindmost` program where it is not on the
PATH. The functions and `to_tuple` are the interface that STATview's own module, which was never published, had (`to.h` in STAT).

By that interface STATview hands over the children of one node alone, each as a place in the source. In which iterations their
callers are it does not say, and without that a place further down in a function is no later one: the callers may have gone round since. So
this module looks which node STATview is about, takes the whole stacks below that node from STATview's tree, callers and values included, and
lets `hindmost` compare these. Children get an order only where all stacks below the one stand so to all stacks below the other. What
is not known is no order: all of these children have the rank `1.?`.

STATview has bugs on this way, up to version 4.2.1 at least, without whose mending nothing is ordered under Python 3: see `_mend`.
"""

import builtins
import itertools
import os
import subprocess
import sys
import tempfile


class to_tuple:
    """A place: directory, file and line; when ranks are asked for, `basepath` is the string that `get_lex_string` gave, with values."""

    def __init__(self):
        self.basepath = ""
        self.filename = ""
        self.line = 0


# The string of a place. STATview takes what is between the first two # for the function, and orders the children of one function
# among each other; here all are of one, since their order is that of their stacks. It puts the values of the variables in place of what begins with $
# and ends with ). The name says that STATview need not ask for more variables.
_VALUES = "$iter#(values)"
_LEX_STRING = f"hindmost#0#{_VALUES}"

# The children of the node that STATview orders now, by what it tells of each when it asks for the rank; None for several alike.
_children = {}
# Their ranks, as soon as one was asked for.
_ranks = {}


def add_include_path(_path):
    return 0


def clear_program_points():
    """STATview begins with a node, or with those of its children that are in one file."""
    frame = sys._getframe(1)
    # `temp_node` is first given a child: without it this is the beginning.
    if frame.f_code.co_name == "get_children_temporal_order" and "temp_node" not in frame.f_locals:
        _mend(frame.f_globals)
        _begin(frame.f_locals["node"])
    return 0


def add_program_point(_point):
    return 0


def run_to():
    return 0


def get_lex_string(_point):
    return _LEX_STRING


def get_temporal_string(point):
    """The rank of a child among its siblings, from 1, with `.?` if its order with one of them is not known."""
    if not _ranks:
        _ranks.update(_ranked([child for child in _children.values() if child is not None]))
    child = _children.get((point.filename, point.line, point.basepath))
    return _ranks.get(id(child), "1.?") if None not in _children.values() else "1.?"


def _mend(statview):
    """Mends what keeps STATview from any order, in its own names."""
    # It takes numbers out of a range, which in Python 3 is no list.
    statview["range"] = lambda *bounds: list(builtins.range(*bounds))
    # It sorts pairs of a text and a node, and nodes have no order where the texts are alike.
    statview["STATNode"].__lt__ = lambda one, other: id(one) < id(other)
    # It keeps the string of a line with the values of the first node there, for all others there.
    if not isinstance(statview["lex_map"], _Forgetful):
        statview["lex_map"] = _Forgetful()


class _Forgetful(dict):
    def __setitem__(self, _key, _value):
        pass


def _begin(node):
    # It takes the string away from the children of a node that has none itself.
    node.attrs.setdefault("lex_string", "(null)")
    _children.clear()
    _ranks.clear()
    for child in _below(node):
        values = child.attrs.get("vars", "(null)")
        found = values[values.find("=") + 1 :] if values != "(null)" else _VALUES
        key = (child.attrs.get("source"), _line(child), _LEX_STRING.replace(_VALUES, found))
        _children[key] = child if key not in _children else None


def _line(node):
    line = node.attrs.get("line", "").strip(":")
    return int(line) if line.isdigit() else 0


def _below(node):
    return [edge.dst for edge in node.out_edges or []]


def _ranked(children):
    """The rank of each child, by its `id`."""
    try:
        relations = _relations(children)
    except _NoOrder as why:
        sys.stderr.write(f"tomod: no order: {why}\n")
        return {id(child): "1.?" for child in children}
    behind = {one: {other for other in range(len(children)) if relations.get((other, one)) == "before"} for one in range(len(children))}
    unknown = {one for pair, relation in relations.items() if relation not in ("before", "after", "equal") for one in pair}
    # Those that are equally far have the same ones behind them.
    levels = {}
    for one in sorted(behind, key=lambda one: len(behind[one])):
        levels[one] = 1 + max((levels[other] for other in behind[one]), default=0)
    return {id(child): f"{levels[one]}{'.?' if one in unknown else ''}" for one, child in enumerate(children)}


class _NoOrder(Exception):
    """Why nothing can be said of any child."""


def _relations(children):
    """How each child stands to each other one: `before`, `after`, `equal`, or why there is no order."""
    if len(children) < 2:
        return {}
    root = children[0]
    while root.in_edge is not None:
        root = root.in_edge.src
    ends = {}
    for node in _all(root):
        tasks = _tasks(node) - set().union(*(_tasks(child) for child in _below(node)))
        for task in tasks:
            ends.setdefault(task, []).append(node)
    # A task of several ends (samples over time, threads) is nobody's witness: the tree does not tell which of them is which.
    witness = {id(found[0]): task for task, found in ends.items() if len(found) == 1}
    witnesses = []
    for child in children:
        below = [node for node in _all(child) if any(node in found for found in ends.values())]
        if not below or any(id(node) not in witness for node in below):
            raise _NoOrder("the tree does not tell which task is where (counts in place of ranks, several samples, or threads)")
        witnesses.append([witness[id(node)] for node in below])
    pairs = {
        (one, other): list(itertools.product(witnesses[one], witnesses[other]))
        for one, other in itertools.permutations(range(len(children)), 2)
    }
    answers = _compare(_dot(root), sorted({pair for all_of in pairs.values() for pair in all_of}))
    return {key: _common({answers[pair] for pair in all_of}) for key, all_of in pairs.items()}


def _common(relations):
    return relations.pop() if len(relations) == 1 else "unknown"


def _all(node):
    """A node and all below it."""
    nodes = [node]
    for one in nodes:
        nodes += _below(one)
    return nodes


def _tasks(node):
    """The tasks that pass through a node."""
    if node.in_edge is None:
        return set()
    tasks = set()
    text = node.in_edge.attrs.get("bv", "(null)").strip("[]")
    for part in text.split(",") if text != "(null)" else []:
        first, _, last = part.partition("-")
        if not (first.isdigit() and (last or first).isdigit()):
            raise _NoOrder(f"an edge of the tree has the tasks '{part}'")
        tasks.update(range(int(first), int(last or first) + 1))
    return tasks


# What hindmost reads of a node.
_ATTRIBUTES = "function source line module offset vars pc kind".split()


def _dot(root):
    """STATview's tree as STAT writes it."""
    nodes = _all(root)
    numbers = {id(node): number for number, node in enumerate(nodes)}
    lines = ["digraph G {"]
    for number, node in enumerate(nodes):
        attributes = ", ".join(f'{name}="{node.attrs[name]}"' for name in _ATTRIBUTES if name in node.attrs)
        lines.append(f"\t{number} [{attributes}];")
    for node in nodes:
        for edge in node.out_edges or []:
            lines.append(f'\t{numbers[id(node)]} -> {numbers[id(edge.dst)]} [bv="{edge.attrs.get("bv", "(null)")}"]')
    return "\n".join(lines + ["}", ""])


def _compare(dot, pairs):
    """What hindmost says of each pair of tasks, by the map."""
    progress_map = os.environ.get("HINDMOST_MAP")
    if not progress_map:
        raise _NoOrder("HINDMOST_MAP names no map of the program: set it before STATview is started")
    with tempfile.TemporaryDirectory(prefix="hindmost-") as directory:
        names = [os.path.join(directory, name) for name in ("tree.dot", "pairs")]
        for name, text in zip(names, (dot, "".join(f"{one} {other}\n" for one, other in pairs))):
            with open(name, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
        program = os.environ.get("HINDMOST", "hindmost")
        command = [program, "order", "--map", progress_map, "--stacks", names[0], "--pairs", names[1]]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError as error:
            raise _NoOrder(f"{program}: {error.strerror}: HINDMOST names hindmost's program") from error
    lines = done.stdout.decode(errors="replace").splitlines()
    if len(lines) != len(pairs):
        raise _NoOrder(done.stderr.decode(errors="replace").strip() or f"hindmost ended with {done.returncode}")
    return {pair: line.split()[2] for pair, line in zip(pairs, lines)}
