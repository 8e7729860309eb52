// What of the tree is shown: filters, collapsed nodes, the selected one. Every change can be undone.
const view = { filters: [], closed: new Set(), joined: false, selected: nodes.length > 1 ? 1 : 0, hits: [], hit: -1 };
const past = [];
/** What undo has taken back, the last one last. */
let taken = [];
let rows = [];
let rowOf = new Map();

/** Changes the view, and remembers how it was. */
function change(how) {
  past.push(asItIs());
  if (past.length > 100) past.shift();
  taken = [];
  how();
  refresh();
}

const asItIs = () => ({ ...view, filters: [...view.filters], closed: new Set(view.closed) });

/** Goes to the last view of one list, and keeps the present one in the other. */
function goTo(from, to) {
  const other = from.pop();
  if (!other) return;
  to.push(asItIs());
  Object.assign(view, other, { hits: view.hits, hit: view.hit });
  refresh();
}

const undo = () => goTo(past, taken);
const redo = () => goTo(taken, past);

function reset() {
  change(() => {
    view.filters = [];
    view.closed = new Set();
    view.joined = false;
  });
}

/** Adds a filter, in the place of one of the same kind. Nothing happens if it leaves nothing. */
function only(kind, name, keep) {
  if (!keep.some((kept, id) => kept && id > 0)) return false;
  change(() => {
    view.filters = view.filters.filter((filter) => filter.kind !== kind).concat({ kind, name, keep });
    reveal(view.selected);
  });
  return true;
}

/** The nodes that are so, what is below them, and the way to them. */
function waysThrough(isSo) {
  const keep = new Uint8Array(nodes.length);
  for (let id = 1; id < nodes.length; id++) keep[id] = keep[nodes[id].parent] || isSo(nodes[id], id) ? 1 : 0;
  for (let id = nodes.length - 1; id > 0; id--) if (keep[id]) keep[nodes[id].parent] = 1;
  return keep;
}

const focusNode = (id) => only("focus", `at ${nodes[id].label}`, waysThrough((_, at) => at === id));

const focusClass = (temporal) =>
  only(
    "focus",
    `class ${temporal}`,
    waysThrough((node) => node.temporal === temporal || (node.temporal || "").startsWith(`${temporal}.`)),
  );

function focusTasks(text, name) {
  const wanted = ranges(text);
  const keep = Uint8Array.from(nodes, (node) => (meet(tasksOf(node), wanted) ? 1 : 0));
  return only("tasks", name || `tasks ${text}`, keep);
}

function hide(id) {
  if (id === 0) return;
  const next = rows[(rowOf.get(id) ?? 0) - 1];
  const keep = new Uint8Array(nodes.length).fill(1);
  keep.fill(0, id, end[id]);
  only(`hide ${id}`, `without ${nodes[id].label}`, keep);
  select(next ? next.id : (rows[0] || { id: 0 }).id);
}

function toggleCut() {
  if (view.filters.some((filter) => filter.kind === "cut")) return dropFilter("cut");
  const keep = new Uint8Array(nodes.length).fill(1);
  for (let id = 1; id < nodes.length; id++) {
    const parent = nodes[id].parent;
    keep[id] = keep[parent] && !entries.has(parent) ? 1 : 0;
  }
  only("cut", "cut below MPI and threads", keep);
}

function dropFilter(kind) {
  change(() => {
    view.filters = view.filters.filter((filter) => filter.kind !== kind);
  });
}

// The ways to walk: what the JSON says of each end, the smallest first; null takes no part.
const WALKS = {
  "least-progress": (node) => node.progress,
  "most-progress": (node) => (node.progress === null ? null : -node.progress),
  "fewest-tasks": (node) => node.count,
  "most-tasks": (node) => -node.count,
  longest: (_, id) => -depth[id],
  shortest: (_, id) => depth[id],
};
const walked = { kind: "", at: -1 };

/** Shows the way to the first end that a walk picks; again, to the next one. */
function walk(kind) {
  const key = WALKS[kind];
  const ends = [];
  nodes.forEach((node, id) => {
    const value = id && !node.children.length ? key(node, id) : null;
    if (value !== null) ends.push([value, id]);
  });
  ends.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (!ends.length) return;
  const goesOn = walked.kind === kind && view.filters.some((filter) => filter.kind === "focus" && filter.walk);
  walked.at = goesOn ? (walked.at + 1) % ends.length : 0;
  walked.kind = kind;
  const chosen = ends[walked.at][1];
  const keep = new Uint8Array(nodes.length);
  for (let id = chosen; id > 0; id = nodes[id].parent) keep[id] = 1;
  only("focus", `${kind.replace("-", " ")}, ${walked.at + 1} of ${ends.length}`, keep);
  view.filters.forEach((filter) => {
    if (filter.kind === "focus") filter.walk = true;
  });
  select(chosen);
}

/** Opens whatever hides a node. */
function reveal(id) {
  for (let at = nodes[id].parent; at > 0; at = nodes[at].parent) view.closed.delete(at);
}

function setClosed(id, closed) {
  if (!nodes[id].children.length || view.closed.has(id) === closed) return;
  change(() => (closed ? view.closed.add(id) : view.closed.delete(id)));
}

function expandAll() {
  change(() => (view.closed = new Set()));
}

/** Closes everything that is deeper than the first branching point; again, everything. */
function collapseAll() {
  let first = nodes.findIndex((node) => node.children.length > 1);
  if (first < 0) first = 0;
  const below = nodes[first].children;
  const ids = below.every((id) => view.closed.has(id) || !nodes[id].children.length) ? nodes.map((_, id) => id) : below;
  change(() => {
    for (const id of ids) if (id && nodes[id].children.length) view.closed.add(id);
    for (let at = view.selected; at > 0; at = nodes[at].parent) if (view.closed.has(at)) view.selected = at;
  });
}

/** The lines of the tree, from what is kept and open. */
function makeRows() {
  const keeps = view.filters.map((filter) => filter.keep);
  const shown = (id) => nodes[id].children.filter((child) => keeps.every((keep) => keep[child]));
  const joins = (upper, lower) =>
    upper.kind === "frame" && lower.kind === "frame" && upper.same_tasks === lower.same_tasks && upper.stacks === lower.stacks;
  rows = [];
  rowOf = new Map();
  // Not by recursion: a stack of a target may be deeper than ours.
  const work = [];
  const push = (children, level, parent) => {
    for (let at = children.length - 1; at >= 0; at--) work.push([children[at], level, parent, at, children.length]);
  };
  push(shown(0), 0, -1);
  while (work.length) {
    let [id, level, parent, place, siblings] = work.pop();
    const ids = [id];
    const rounds = view.joined ? null : folded(id, shown);
    if (rounds) {
      ids.push(...rounds);
      id = ids[ids.length - 1];
    }
    let children = shown(id);
    while (view.joined && children.length === 1 && !view.closed.has(id) && joins(nodes[id], nodes[children[0]])) {
      [id] = children;
      ids.push(id);
      children = shown(id);
    }
    for (const each of ids) rowOf.set(each, rows.length);
    const open = !view.closed.has(id);
    if (open) push(children, level + 1, rows.length);
    rows.push({ id, ids, level, parent, place, siblings, last: place + 1 === siblings, children: children.length, open, rounds: rounds && nodes[ids[0]].rounds });
  }
}

/** The nodes below one that are further parts of the rounds which begin there; null where one of them is closed or not shown. */
function folded(first, shown) {
  const { rounds } = nodes[first];
  const below = [];
  let at = first;
  while (rounds && below.length + 1 < rounds.calls * rounds.times) {
    const children = shown(at);
    if (children.length !== 1 || view.closed.has(at)) return null;
    [at] = children;
    below.push(at);
  }
  return below.length ? below : null;
}

/** What a search finds: functions, files and values, tasks (0-10), or those of a host. */
function search(text) {
  const wanted = text.trim();
  view.hits = [];
  view.badSearch = "";
  view.hit = -1;
  if (!wanted) return;
  const host = wanted.match(/^host:(.*)$/);
  const isTasks = areRanks && /^(ranks? )?\d+(-\d+)?(,\d+(-\d+)?)*$/.test(wanted);
  if (host || isTasks) {
    const tasks = host
      ? data.hosts.filter((each) => each.host.startsWith(host[1])).flatMap((each) => ranges(each.tasks))
      : ranges(wanted.replace(/^ranks? /, ""));
    tasks.sort((a, b) => a[0] - b[0]);
    // Where they end: a node that has them, and none of whose children has.
    const has = Uint8Array.from(nodes, (node) => (meet(tasksOf(node), tasks) ? 1 : 0));
    view.hits = nodes.flatMap((node, id) => (has[id] && !node.children.some((child) => has[child]) ? [id] : []));
    return;
  }
  let looksSo = (each) => each.toLowerCase().includes(wanted.toLowerCase());
  const pattern = wanted.match(/^\/(.+)\/$/);
  if (pattern) {
    try {
      const regex = new RegExp(pattern[1]);
      looksSo = (each) => regex.test(each);
    } catch (error) {
      view.badSearch = error.message;
      return;
    }
  }
  const named = (node) =>
    !areRanks && tasksOf(node).some(([first, last]) => (tree.names || []).slice(first, last + 1).some((name) => name === wanted));
  const isHit = (node) =>
    [node.label, node.function, node.qualified, node.file, node.module, placeOf(node)].some((each) => each && looksSo(each)) ||
    node.values.some((value) => looksSo(valueText(value))) ||
    (named(node) && !node.children.length);
  view.hits = nodes.flatMap((node, id) => (id && isHit(node) ? [id] : []));
}
