// The drawn tree: only the lines in sight are in the document, whatever the size of the tree.
const treeBox = byId("tree");
const rowBox = byId("rows");
const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

const rowHeight = () => parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 28;

/** How far a level is indented: deep trees must leave room for the names. */
function indentation() {
  const room = treeBox.clientWidth * 0.38;
  const deepest = rows.reduce((most, row) => Math.max(most, row.level), 1);
  const step = Math.max(5, Math.min(20, Math.floor(room / (deepest + 1))));
  return { step, most: Math.max(2, Math.floor(room / step)) };
}

let indent = { step: 20, most: 20 };
let drawn = "";

function draw(force) {
  const height = rowHeight();
  const first = Math.max(0, Math.floor(treeBox.scrollTop / height) - 6);
  const last = Math.min(rows.length, Math.ceil((treeBox.scrollTop + treeBox.clientHeight) / height) + 6);
  const key = `${first} ${last}`;
  if (!force && key === drawn) return;
  drawn = key;
  const made = [];
  for (let at = first; at < last; at++) made.push(line(rows[at], at, height));
  rowBox.replaceChildren(...made);
}

function line(row, at, height) {
  const node = nodes[row.id];
  const level = Math.min(row.level, indent.most);
  const box = el("div", {
    class: `row${view.hits.some((hit) => row.ids.includes(hit)) ? " hit" : ""}${node.kind === "frame" ? "" : " special"}`,
    role: "treeitem",
    id: `n${row.id}`,
    "aria-level": row.level + 1,
    "aria-posinset": row.place + 1,
    "aria-setsize": row.siblings,
    "aria-expanded": row.children ? String(row.open) : null,
    "aria-selected": String(row.ids.includes(view.selected)),
  });
  box.style.top = `${at * height}px`;
  box.append(rails(row, level, height));
  box.append(
    row.children
      ? el("button", { class: "twist", type: "button", tabindex: "-1", "aria-hidden": "true" }, row.open ? "▾" : "▸")
      : el("span", { class: "twist" }),
  );
  // Of calls that are joined the first one stands among siblings.
  // Of rounds that are folded the first one is written.
  const written = row.rounds ? row.ids.slice(0, row.rounds.calls) : row.ids;
  const joined = written.slice(0, -1).map((id) => `${bareName(nodes[id])} › `);
  const head = nodes[row.ids[0]];
  const temporal = `@[${head.temporal}]`;
  const isNew = head.temporal && head.label.endsWith(temporal);
  const name = bareName(nodes[written[written.length - 1]]);
  const first = el(
    "span",
    { class: "first" },
    el("span", { class: "fn", title: clean(node.qualified || node.function) }, el("span", { class: "faint" }, joined), name, isNew && el("span", { class: "temporal" }, temporal)),
    tag(node, row),
  );
  const values = written.flatMap((id) => nodes[id].values).map((value) => el("span", { class: "value" }, valueText(value)));
  const more = node.points > 1 && !node.children.length && el("span", { class: "faint" }, `${node.points.toLocaleString("en")} program points`);
  const times = row.rounds && el("span", { class: "faint", title: "rounds of calls that call themselves" }, `×${row.rounds.times}`);
  const second = el("span", { class: "second" }, el("span", { class: "place" }, placeOf(node)), values, times, more);
  box.append(el("span", { class: "main" }, first, second));
  const above = nodes[node.parent];
  const same = row.id > 0 && node.parent > 0 && above.same_tasks === node.same_tasks && above.stacks === node.stacks;
  box.append(el("span", { class: same ? "tasks same" : "tasks", title: edgeLabel(node, 400) }, edgeLabel(node, 60)));
  return box;
}

/** The label without the temporal ranks that end it. */
function bareName(node) {
  const temporal = `@[${node.temporal}]`;
  return node.temporal && node.label.endsWith(temporal) ? node.label.slice(0, -temporal.length) : node.label;
}

function tag(node, row) {
  const { mark } = nodes[row.ids[0]];
  if (node.hindmost && !row.open && row.children) return el("span", { class: "tag hindmost" }, "hindmost below");
  if (node.hindmost && !node.children.length) return el("span", { class: "tag hindmost" }, "hindmost");
  if (mark === "incomparable") return el("span", { class: "tag", title: "The program gives it no order with some sibling" }, "no order");
  if (mark === "unknown") return el("span", { class: "tag", title: "Its order with some sibling is not known" }, "order not known");
  return null;
}

/** The lines that lead to a node: its own in the colour of its progress, dashed where the siblings have no order. */
function rails(row, level, height) {
  const { step } = indent;
  const width = (level + 1) * step + 4;
  const box = svg("svg", { width, height, "aria-hidden": "true" });
  const x = (at) => at * step + step / 2;
  let above = row;
  for (let at = row.level - 1; at >= 0; at--) {
    above = rows[above.parent];
    if (at < level && !above.last) box.append(svg("path", { class: "rail", d: `M${x(at)} 0V${height}` }));
  }
  const middle = height / 2;
  if (!row.last) box.append(svg("path", { class: "rail", d: `M${x(level)} ${middle}V${height}` }));
  const bend = Math.min(6, step / 3);
  const d = `M${x(level)} 0V${middle - bend}Q${x(level)} ${middle} ${x(level) + bend} ${middle}H${width - 1}`;
  const node = nodes[row.ids[0]];
  const mark = node.mark === "incomparable" || node.mark === "unknown" ? ` ${node.mark}` : "";
  if (!mark) box.append(svg("path", { class: "under", d }));
  box.append(svg("path", { class: `edge${mark}`, d, stroke: node.color }));
  return box;
}

/** Brings the selected line into sight. */
function scrollToSelected() {
  const at = rowOf.get(view.selected);
  if (at === undefined) return;
  const height = rowHeight();
  const top = at * height;
  if (top < treeBox.scrollTop) treeBox.scrollTop = top;
  else if (top + height > treeBox.scrollTop + treeBox.clientHeight) treeBox.scrollTop = top + height - treeBox.clientHeight;
}

function select(id) {
  view.selected = id;
  if (!rowOf.has(id)) {
    // It is hidden by a collapsed node above it, or not there at all.
    if (view.filters.every((filter) => filter.keep[id])) {
      reveal(id);
      refresh();
    } else {
      return;
    }
  }
  scrollToSelected();
  draw(true);
  treeBox.setAttribute("aria-activedescendant", `n${rows[rowOf.get(id)].id}`);
  showNode();
  drawOverview();
}

/** Shows the view as it is now. */
function refresh() {
  makeRows();
  const height = rowHeight();
  rowBox.style.height = `${rows.length * height}px`;
  treeBox.style.height = `${rows.length * height + 2}px`;
  if (!rowOf.has(view.selected)) {
    let at = view.selected;
    while (at > 0 && !rowOf.has(at)) at = nodes[at].parent;
    view.selected = at > 0 ? at : rows.length ? rows[0].id : 0;
  }
  indent = indentation();
  byId("tree-size").textContent =
    rows.length === nodes.length - 1 ? count(rows.length, "call", "calls") : `${count(rows.length, "line", "lines")} of ${count(nodes.length - 1, "call", "calls")}`;
  showFilters();
  scrollToSelected();
  draw(true);
  if (rows.length) treeBox.setAttribute("aria-activedescendant", `n${view.selected}`);
  else rowBox.replaceChildren(el("p", { class: "empty" }, "No call is left: undo or reset."));
  showNode();
  drawOverview();
}

function showFilters() {
  const chips = view.filters.map((filter) =>
    el("button", { type: "button", title: "Show this again", onclick: () => dropFilter(filter.kind) }, `${filter.name} ✕`),
  );
  byId("filters").replaceChildren(...chips);
  byId("cut").setAttribute("aria-pressed", String(view.filters.some((filter) => filter.kind === "cut")));
  byId("join").setAttribute("aria-pressed", String(view.joined));
  byId("undo").disabled = !past.length;
  byId("redo").disabled = !taken.length;
}

/** A canvas in the resolution of the screen. */
function canvas(box, height) {
  const width = box.clientWidth;
  const ratio = window.devicePixelRatio || 1;
  box.style.height = `${height}px`;
  box.width = Math.round(width * ratio);
  box.height = Math.round(height * ratio);
  const pen = box.getContext("2d");
  pen.scale(ratio, ratio);
  return { pen, width };
}

const overview = byId("overview");
let boxes = [];

/** The whole tree at a glance: a box for each call, as wide as the logarithm of its tasks, so that a single task is seen. */
function drawOverview() {
  const deepest = depth.reduce((most, each) => Math.max(most, each), 1);
  const layer = Math.max(2, Math.min(14, Math.floor(140 / deepest)));
  const { pen, width } = canvas(overview, Math.min(deepest, 70) * layer);
  const left = new Float64Array(nodes.length);
  const wide = new Float64Array(nodes.length);
  wide[0] = width;
  boxes = [];
  const weight = (id) => Math.log2(nodes[id].count + 1) + 0.5;
  nodes.forEach((node, id) => {
    if (wide[id] < 0.3) return;
    const whole = node.children.reduce((sum, child) => sum + weight(child), 0);
    let at = left[id];
    for (const child of node.children) {
      left[child] = at;
      wide[child] = (wide[id] * weight(child)) / whole;
      at += wide[child];
    }
    if (id === 0) return;
    const top = (depth[id] - 1) * layer;
    pen.globalAlpha = rowOf.has(id) ? 1 : 0.25;
    pen.fillStyle = node.color;
    pen.fillRect(left[id], top, Math.max(wide[id] - 1, 0.5), Math.max(layer - 1, 1));
    boxes.push([left[id], top, wide[id], layer, id]);
  });
  pen.globalAlpha = 1;
  const picked = boxes.find((box) => box[4] === view.selected);
  if (picked) {
    pen.strokeStyle = getComputedStyle(document.body).color;
    pen.lineWidth = 2;
    pen.strokeRect(picked[0] + 1, picked[1] + 1, Math.max(picked[2] - 3, 1), Math.max(layer - 3, 1));
  }
}

const boxAt = (event) => boxes.find(([x, y, w, h]) => event.offsetX >= x && event.offsetX < x + w && event.offsetY >= y && event.offsetY < y + h);
