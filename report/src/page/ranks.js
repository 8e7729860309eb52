// One cell for each task, coloured as its class; where there are very many, one cell for several.
const rankBox = byId("ranks");
const MOST_CELLS = 10000;

const everyone = nodes.length ? tasksOf(nodes[0]) : [];
/** How many tasks come before each range, so that a task has a place whatever the gaps between the numbers. */
const before = [];
let total = 0;
for (const [first, last] of everyone) {
  before.push(total);
  total += last - first + 1;
}
const perCell = Math.max(1, Math.ceil(total / MOST_CELLS));
const cells = Math.ceil(total / perCell);

/** The places of the tasks of a range, as pairs of first and last place. */
function places([first, last]) {
  let low = 0;
  let high = everyone.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (everyone[middle][1] < first) low = middle + 1;
    else high = middle;
  }
  const found = [];
  for (; low < everyone.length && everyone[low][0] <= last; low++) {
    const from = Math.max(first, everyone[low][0]);
    const to = Math.min(last, everyone[low][1]);
    found.push([before[low] + from - everyone[low][0], before[low] + to - everyone[low][0]]);
  }
  return found;
}

/** The class of each cell: of several the first, which is the least progressed as far as the classes are ordered. */
const classOf = new Int32Array(cells).fill(-1);
for (let at = tree.classes.length - 1; at >= 0; at--) {
  for (const range of ranges(nowOf(tree.classes[at]))) {
    for (const [from, to] of places(range)) classOf.fill(at, Math.floor(from / perCell), Math.floor(to / perCell) + 1);
  }
}

let grid = { columns: 1, size: 10 };

function drawRanks(highlight) {
  const width = rankBox.clientWidth;
  // As large as fits into a few hundred lines of pixels, and not larger than a finger.
  const size = Math.max(4, Math.min(24, Math.floor(Math.sqrt((width * 220) / Math.max(cells, 1)))));
  const columns = Math.max(1, Math.floor(width / size));
  grid = { columns, size };
  const { pen } = canvas(rankBox, Math.ceil(cells / columns) * size);
  const gap = size > 6 ? 1.5 : 0.5;
  const ink = getComputedStyle(document.body).color;
  for (let at = 0; at < cells; at++) {
    const x = (at % columns) * size;
    const y = Math.floor(at / columns) * size;
    const owner = classOf[at];
    const known = owner >= 0;
    pen.globalAlpha = highlight === undefined || owner === highlight ? 1 : 0.25;
    if (known) {
      pen.fillStyle = nodes[tree.classes[owner].node].color;
      pen.fillRect(x, y, size - gap, size - gap);
    } else {
      // Not read, or missing: an empty box.
      pen.strokeStyle = ink;
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, y + 0.5, size - gap - 1, size - gap - 1);
    }
    if (known && tree.classes[owner].hindmost && size > 5) {
      pen.strokeStyle = ink;
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, y + 1, size - gap - 2, size - gap - 2);
    }
  }
  pen.globalAlpha = 1;
}

/** The task at a place. */
function taskAt(place) {
  let low = 0;
  while (low + 1 < before.length && before[low + 1] <= place) low++;
  return everyone[low][0] + place - before[low];
}

function cellAt(event) {
  const column = Math.floor(event.offsetX / grid.size);
  const at = Math.floor(event.offsetY / grid.size) * grid.columns + column;
  return column < grid.columns && at >= 0 && at < cells ? at : -1;
}

function describeCell(at) {
  const first = taskAt(at * perCell);
  const last = taskAt(Math.min(total, (at + 1) * perCell) - 1);
  const who = first === last ? nameOf(first) : `${nameOf(first)} to ${last}`;
  const owner = classOf[at];
  if (owner < 0) return `${who}: not read, or not in the order`;
  const { temporal, hindmost } = tree.classes[owner];
  const class_ = `class ${temporal || owner + 1}, ${placeText(owner)}${hindmost ? ", hindmost" : ""}: [${members(nowOf(tree.classes[owner]), 60)}]`;
  return perCell === 1 ? `${who}: ${class_}` : `${who}: the first of its classes is ${class_}`;
}

function startRanks() {
  byId("ranks-scale").textContent = perCell > 1 ? `${count(total, "task", "tasks")}, ${perCell} in each cell, coloured as the hindmost of them` : count(total, "task", "tasks");
  rankBox.setAttribute("aria-label", `${count(total, "task", "tasks")} in ${count(tree.classes.length, "class", "classes")}; the table of classes says which`);
  rankBox.addEventListener("pointermove", (event) => {
    const at = cellAt(event);
    byId("ranks-at").textContent = at < 0 ? "" : clean(describeCell(at));
  });
  rankBox.addEventListener("click", (event) => {
    const at = cellAt(event);
    if (at < 0) return;
    byId("ranks-at").textContent = clean(describeCell(at));
    if (classOf[at] >= 0) showClass(classOf[at]);
  });
  drawRanks();
}
