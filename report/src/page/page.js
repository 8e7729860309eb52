// Buttons and keys; then all is shown for the first time.
const KEYS = [
  [["ArrowDown", "ArrowUp"], "↓ ↑", "next, previous line", (key) => step(key === "ArrowDown" ? 1 : -1)],
  [["ArrowRight"], "→", "open, or go in", () => goIn()],
  [["ArrowLeft"], "←", "close, or go out", () => goOut()],
  [["PageDown", "PageUp"], "Page ↓ ↑", "a page on, back", (key) => step((key === "PageDown" ? 1 : -1) * Math.max(1, Math.floor(treeBox.clientHeight / rowHeight()) - 1))],
  [["Home", "End"], "Home End", "first, last line", (key) => step(key === "End" ? rows.length : -rows.length)],
  [["Enter"], "Enter", "only the selected call, with the way to it", () => focusNode(view.selected)],
  [[" "], "Space", "open or close", () => setClosed(view.selected, !view.closed.has(view.selected))],
  [["t"], "t", "only its tasks", () => focusTasks(nodes[view.selected].tasks, `tasks ${members(nodes[view.selected].tasks, 24)}`)],
  [["h"], "h", "hide it and what it calls", () => hide(view.selected)],
  [["l", "m"], "l m", "least, most progress; again, the next one", (key) => walk(key === "l" ? "least-progress" : "most-progress")],
  [["f", "g"], "f g", "fewest, most tasks", (key) => walk(key === "f" ? "fewest-tasks" : "most-tasks")],
  [["x", "s"], "x s", "longest, shortest way", (key) => walk(key === "x" ? "longest" : "shortest")],
  [["p"], "p", "only its temporal class", () => nodes[view.selected].temporal && focusClass(nodes[view.selected].temporal)],
  [["c"], "c", "cut below MPI, Pthreads and OpenMP", () => toggleCut()],
  [["j"], "j", "join runs of calls with the same tasks", () => toggleJoin()],
  [["e", "E"], "e E", "expand all, collapse", (key) => (key === "e" ? expandAll() : collapseAll())],
  [["/"], "/", "search", () => byId("search").focus()],
  [["n", "N"], "n N", "next, previous hit", (key) => nextHit(key === "n" ? 1 : -1)],
  [["]", "["], "] [", "next, previous statement of the slice", (key) => suspects.length && showSuspect(suspect + (key === "]" ? 1 : -1))],
  [["u", "U"], "u U", "undo, do again", (key) => (key === "u" ? undo() : redo())],
  [["r"], "r", "reset: the whole tree", () => reset()],
  [["?"], "?", "these keys", () => showHelp()],
];

function step(by) {
  if (!rows.length) return;
  const at = Math.max(0, Math.min(rows.length - 1, (rowOf.get(view.selected) ?? 0) + by));
  select(rows[at].id);
}

const currentRow = () => rows[rowOf.get(view.selected) ?? 0];

function goIn() {
  const row = currentRow();
  if (!row || !row.children) return;
  if (!row.open) setClosed(row.id, false);
  else step(1);
}

function goOut() {
  const row = currentRow();
  if (!row) return;
  if (row.children && row.open) setClosed(row.id, true);
  else if (row.parent >= 0) select(rows[row.parent].id);
}

function toggleJoin() {
  change(() => (view.joined = !view.joined));
}

function showHelp() {
  if (!byId("help").open) byId("help").showModal();
}

function nextHit(by) {
  if (!view.hits.length) return;
  view.hit = (view.hit + by + view.hits.length) % view.hits.length;
  const id = view.hits[view.hit];
  if (view.filters.some((filter) => !filter.keep[id])) change(() => (view.filters = []));
  select(id);
  sayHits();
}

function sayHits() {
  const asked = byId("search").value.trim() !== "";
  const number = view.hit >= 0 ? `${view.hit + 1} of ` : "";
  byId("hits").textContent = view.badSearch ? view.badSearch : asked ? `${number}${count(view.hits.length, "hit", "hits")}` : "";
  byId("only-hits").hidden = !view.hits.length;
}

function startSearch() {
  const box = byId("search");
  box.addEventListener("input", () => {
    search(box.value);
    sayHits();
    draw(true);
  });
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
    if (event.key === "Escape" || event.key === "ArrowDown") treeBox.focus({ preventScroll: true });
    if (event.key === "Escape") {
      box.value = "";
      search("");
      sayHits();
      draw(true);
    }
  });
  byId("only-hits").addEventListener("click", () => {
    const hits = new Set(view.hits);
    only("search", `“${box.value.trim()}”`, waysThrough((_, id) => hits.has(id)));
  });
}

function startTree() {
  treeBox.addEventListener("scroll", () => requestAnimationFrame(() => draw(false)), { passive: true });
  rowBox.addEventListener("click", (event) => {
    const box = event.target.closest(".row");
    if (!box) return;
    const id = Number(box.id.slice(1));
    if (event.target.closest("button.twist")) setClosed(id, !view.closed.has(id));
    else select(id);
  });
  rowBox.addEventListener("dblclick", (event) => {
    const box = event.target.closest(".row");
    if (box && !event.target.closest("button")) setClosed(Number(box.id.slice(1)), !view.closed.has(Number(box.id.slice(1))));
  });
  overview.addEventListener("click", (event) => {
    const box = boxAt(event);
    if (box) select(box[4]);
  });
  overview.addEventListener("pointermove", (event) => {
    const box = boxAt(event);
    overview.title = box ? clean(`${nodes[box[4]].label} ${placeOf(nodes[box[4]])} ${edgeLabel(nodes[box[4]], 60)}`) : "";
  });
}

function startKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    // A button in focus keeps the keys that press it.
    const pressed = event.key;
    if (keyInSlice(event)) return event.preventDefault();
    if (event.target.closest("button, a, .lines") && [" ", "Enter", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(pressed)) return;
    const known = KEYS.find(([keys]) => keys.includes(pressed));
    const moves = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "PageDown", "PageUp", "Home", "End", "Enter", " "];
    if (!known || (moves.includes(pressed) && event.target !== treeBox)) return;
    event.preventDefault();
    known[3](pressed);
  });
  byId("keys").append(...KEYS.flatMap(([, shown, meaning]) => [el("dt", {}, shown), el("dd", {}, meaning)]));
  for (const button of document.querySelectorAll("[data-walk]")) button.addEventListener("click", () => walk(button.dataset.walk));
  const actions = { cut: toggleCut, join: toggleJoin, expand: expandAll, collapse: collapseAll, undo, redo, reset, "help-button": showHelp };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
}

const firstHindmost = tree.classes.find((each) => each.hindmost);
if (firstHindmost) view.selected = firstHindmost.node;
startTree();
startSearch();
startKeys();
showAbout();
showAnswer();
showWaits();
showClasses(MOST_CLASSES);
showSamples();
showNotes();
showSlice();
refresh();
startRanks();
let waiting = 0;
window.addEventListener("resize", () => {
  cancelAnimationFrame(waiting);
  waiting = requestAnimationFrame(() => {
    refresh();
    drawRanks();
    if (!byId("waits").hidden) drawWaits();
  });
});
