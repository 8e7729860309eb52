// What is known of the selected call: its tasks, its place in the order with the reasons, its source.
const RELATIONS = {
  before: "is behind",
  after: "is ahead of",
  equal: "is as far as",
  incomparable: "has no order with",
  unknown: "has no known order with",
};

/** The source around a line, with the line marked and what is to be said about it below it. */
function sourceView(path, line, marks, notes) {
  const source = path && sources.get(path);
  if (!source || !line) return null;
  const head = el("figcaption", {}, `${path}:${line}`);
  if (source.changed) {
    return el("figure", { class: "source" }, head, el("p", { class: "empty" }, "The file has changed since the map was made."));
  }
  const near = source.lines.filter(([number]) => Math.abs(number - line) <= 8);
  if (!near.some(([number]) => number === line)) return null;
  const shown = near.flatMap(([number, text]) => {
    const mark = number === line ? marks : null;
    const made = [el("div", { class: mark }, el("span", { class: "no" }, mark ? `▶ ${number}` : number))];
    made[0].append(document.createTextNode(cleanLine(text) || " "));
    if (mark) made.push(...(notes || []).map((note) => el("div", { class: "note" }, note)));
    return made;
  });
  return el("figure", { class: "source" }, head, el("div", { class: "lines", tabindex: "0" }, shown));
}

/** The nearest call at or above a node whose source is here. */
function withSource(id) {
  for (let at = id; at > 0; at = nodes[at].parent) if (nodes[at].line && sources.has(nodes[at].file)) return nodes[at];
  return null;
}

/** How a node stands to its siblings, as the JSON says it. */
function standings(id) {
  const said = [];
  for (const sibling of nodes[nodes[id].parent].children) {
    for (const other of nodes[sibling].siblings) {
      if (sibling === id || other.node === id) said.push({ a: sibling, b: other.node, ...other });
    }
  }
  return said;
}

/** The nearest at or above a node that has siblings with an order to it. */
function branchOf(id) {
  for (let at = id; at > 0; at = nodes[at].parent) if (nodes[at].mark !== "none") return at;
  return 0;
}

const jump = (id, text) => el("button", { type: "button", class: "link", onclick: () => select(id) }, text || nodes[id].label);

function showNode() {
  const id = view.selected;
  const node = nodes[id];
  const facts = [];
  const fact = (name, value) => value && facts.push(el("dt", {}, name), el("dd", {}, value));
  fact("name", node.qualified);
  fact("place", [node.file && (node.line ? `${node.file}:${node.line}` : node.file), node.module && `${node.module}${node.pc ? `+${node.pc}` : ""}`].filter(Boolean).join("  "));
  fact("values", node.values.map(valueText).join("  "));
  fact("tasks", edgeLabel(node, 3000));
  fact("temporal rank", node.temporal);
  fact("samples", (node.samples || []).join(" "));
  fact("inlined", node.inlined ? "into its caller" : "");
  const held = withSource(id);
  const branch = branchOf(id);
  const said = branch ? standings(branch) : [];
  const order = said.slice(0, 12).map((each) =>
    el("li", {}, jump(each.a), ` ${RELATIONS[each.relation] || "stands to"} `, jump(each.b), `: ${each.reason}`),
  );
  const kind = { here: "Tasks that are at the caller's place, in no further call", threads: "Threads besides the main ones; they take no part in the order", unreadable: "Tasks whose stack could not be read", missing: "Ranks of which nothing was seen" }[node.kind];
  byId("node").replaceChildren(
    el("h3", {}, node.label),
    kind ? el("p", { class: "soft" }, kind) : "",
    el("dl", {}, facts),
    el(
      "div",
      { class: "actions" },
      el("button", { type: "button", onclick: () => focusNode(id) }, "Only this way"),
      node.temporal ? el("button", { type: "button", onclick: () => focusClass(node.temporal) }, `Only ${node.temporal}`) : null,
      el("button", { type: "button", onclick: () => focusTasks(node.tasks, `tasks ${members(node.tasks, 24)}`) }, "Only its tasks"),
      el("button", { type: "button", onclick: () => hide(id) }, "Hide"),
    ),
    order.length ? el("h3", {}, branch === id ? "Order" : `Order of ${nodes[branch].label}`) : "",
    order.length ? el("ul", {}, order, said.length > order.length ? el("li", { class: "soft" }, `and ${said.length - order.length} more`) : null) : "",
    (held && sourceView(held.file, held.line, node.hindmost && held === node ? "here" : "call")) || "",
  );
}
