// What the page knows, and how text of a target gets into it: as text, with nothing in it that reorders or hides.
const data = JSON.parse(document.getElementById("data").textContent);

/** Puts the long texts back where @3, the fourth of the page's table, stands for one. */
function withTexts(value) {
  if (typeof value === "string") return value[0] === "@" ? data.texts[value.slice(1)] : value;
  if (value && typeof value === "object") for (const key of Object.keys(value)) value[key] = withTexts(value[key]);
  return value;
}
for (const key of Object.keys(data)) if (key !== "texts" && key !== "sets") data[key] = withTexts(data[key]);

const { answer, tree } = data;
const nodes = tree.nodes;

const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const clean = (text) => String(text).replace(UNSAFE, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
/** A line of source: as clean, but tabs stay. */
const cleanLine = (text) => text.split("\t").map(clean).join("\t");

const byId = (id) => document.getElementById(id);

/** An element. Strings among the children become text; nothing is ever read as HTML. */
function el(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "onclick") made.addEventListener("click", value);
    else if (key === "background") made.style.background = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child instanceof Node ? child : clean(child));
  }
  return made;
}

const count = (number, one, many) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);

/** Tasks as text (0-6,10-31), as pairs of first and last. */
function plainRanges(text) {
  if (!text) return [];
  return text.split(",").map((part) => {
    const [first, last] = part.split("-").map(Number);
    return [first, last === undefined ? first : last];
  });
}

/** Pairs of first and last in order, none touching the next. */
function united(pairs) {
  pairs.sort((a, b) => a[0] - b[0]);
  const joined = [];
  let open = null;
  for (const pair of pairs) {
    if (open && pair[0] <= open[1] + 1) open[1] = Math.max(open[1], pair[1]);
    else joined.push((open = [pair[0], pair[1]]));
  }
  return joined;
}

const sets = data.sets || [];
const knownSets = new Map();

/** Reads one set of the table, whose earlier ones that it holds are known: gap[-more][:step/times] in base 36, or #earlier. */
function readSet(text) {
  const pairs = [];
  let end = 0;
  let inOrder = true;
  for (const part of text.split(",")) {
    if (part[0] === "#") {
      inOrder = false;
      for (const pair of knownSets.get(Number(part.slice(1)))) pairs.push(pair);
      continue;
    }
    const [block, repeated] = part.split(":");
    const [gap, more] = block.split("-").map((each) => parseInt(each, 36));
    const [step, times] = repeated ? repeated.split("/").map((each) => parseInt(each, 36)) : [0, 0];
    let first = end + gap;
    for (let at = 0; at <= times; at++, first += step) pairs.push([first, (end = first + (more || 0))]);
  }
  return inOrder ? pairs : united(pairs);
}

/** A set of the table; read when it is first asked for, after those that it holds. */
function setAt(wanted) {
  const needed = new Set([wanted]);
  for (const at of needed) {
    if (knownSets.has(at)) continue;
    for (const part of sets[at].split(",")) if (part[0] === "#") needed.add(Number(part.slice(1)));
  }
  for (const at of [...needed].sort((a, b) => a - b)) if (!knownSets.has(at)) knownSets.set(at, readSet(sets[at]));
  return knownSets.get(wanted);
}

/** Tasks as the page writes them, #3 for a set of its table, as pairs of first and last. */
const ranges = (text) => (text && text[0] === "#" ? setAt(Number(text.slice(1))) : plainRanges(text));

/** Tasks for people (0-6,10-31); of very many the first. */
function written(text) {
  if (!text || text[0] !== "#") return text;
  const pairs = ranges(text);
  const shown = pairs.slice(0, 500).map(([first, last]) => (first === last ? first : `${first}-${last}`));
  return shown.join(",") + (pairs.length > 500 ? ",…" : "");
}

/** Whether two sorted lists of ranges have something in common. */
function meet(a, b) {
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i][1] < b[j][0]) i++;
    else if (b[j][1] < a[i][0]) j++;
    else return true;
  }
  return false;
}

const knownRanges = new Map();
/** The tasks of a node; parsed once, because nodes of one class share them. */
function tasksOf(node) {
  const key = node.same_tasks;
  if (!knownRanges.has(key)) knownRanges.set(key, ranges(node.tasks));
  return knownRanges.get(key);
}

const areRanks = tree.tasks_are === "ranks";
const nameOf = (task) => (areRanks ? `rank ${task}` : `task ${(tree.names || [])[task] ?? task}`);

/** A set of tasks for people: ranges, or names where the tasks have no ranks. */
function members(text, most) {
  let shown = areRanks ? written(text) : "";
  if (!areRanks) {
    const names = [];
    for (const [first, last] of ranges(text)) {
      for (let task = first; task <= last && names.length < 200; task++) names.push((tree.names || [])[task] ?? task);
    }
    shown = names.join(",");
  }
  return most && shown.length > most ? `${shown.slice(0, most).replace(/,[^,]*$/, "")},…` : shown;
}

/** What STAT writes at an edge: 31:[0-7,9-31], with threads 31(62):[…]. */
function edgeLabel(node, most) {
  const threads = node.stacks > node.count && !node.samples ? `(${node.stacks})` : "";
  return `${node.count}${threads}:[${members(node.tasks, most)}]`;
}

function placeOf(node) {
  if (node.module && node.pc) return `${baseName(node.module)}+${node.pc}`;
  if (node.file) return node.line ? `${baseName(node.file)}:${node.line}` : baseName(node.file);
  return node.module ? baseName(node.module) : node.pc || "";
}

const valueText = (value) =>
  value.value === null ? `${value.name}=?` : `${value.name}=${value.value}${value.last === undefined ? "" : `..${value.last}`}`;

// Preorder: parents before children, so both need one pass.
const depth = new Int32Array(nodes.length);
const end = new Int32Array(nodes.length);
nodes.forEach((node, id) => {
  depth[id] = id ? depth[node.parent] + 1 : 0;
  end[id] = id + 1;
});
for (let id = nodes.length - 1; id > 0; id--) {
  const parent = nodes[id].parent;
  if (end[id] > end[parent]) end[parent] = end[id];
}

/** The tasks of a class in the last sample. */
const nowOf = (each) => each.now ?? each.tasks;

const entries = new Set(data.entries);
const sources = new Map(data.sources.map((source) => [source.path, source]));
