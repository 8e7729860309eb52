"""Opens a tree in STATview, presses its button "TO least" until nothing more is ordered, and prints each node: traverse.py SCRIPTS TREE."""

import json
import sys

# Last: it holds an xdot of Python 2, in the place of which the installed one is to be taken.
sys.path.append(sys.argv[1])

import STATview  # noqa: E402


def trouble(text, *_arguments, **_named):
    # A dialog would wait for somebody who closes it.
    print(text, file=sys.stderr)


STATview.show_error_dialog = trouble
assert STATview.HAVE_TOMOD
STATview.window = window = STATview.STATDotWindow()
window.set_dotcode("", sys.argv[2], 0)
graph = window.get_current_graph()
STATview.stat_wait_dialog.update_progress_bar = lambda _part: None
depth = 1
while graph.to_traverse_least_progress(window.get_current_widget(), depth):
    depth += 1


def path(node):
    return (path(node.in_edge.src) if node.in_edge is not None else []) + [node.attrs["function"]]


for node in graph.nodes:
    if node.in_edge is not None:
        order = graph.get_to_string(node)
        print(json.dumps({"path": path(node), "line": node.attrs["line"], "tasks": node.in_edge.attrs["bv"], "order": order}))
