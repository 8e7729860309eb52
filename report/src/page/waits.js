// Who waits for whom, where the job is recorded: tasks that wait alike are one box. The data say in which row each stands; here they are drawn.
const waits = (answer && answer.waits) || tree.waits;
const MOST_BOXES = 40;
const BOX = { width: 212, height: 64, right: 22, below: 54, letters: 24 };
const PARTS = { cycle: "wait for one another", awaited: "waited for", stuck: "can never go on", waits: "wait", apart: "apart" };

/** An element of the drawing, with what is in it. */
function shape(name, attributes, ...children) {
  const made = svg(name, attributes);
  for (const child of children.flat()) made.append(child instanceof Node ? child : clean(child));
  return made;
}

/** Where the boxes stand: rows of equal distance, wrapped where they are too long for the card. */
function boxPlaces(shown, width) {
  const inRow = Math.max(1, Math.floor((width + BOX.right) / (BOX.width + BOX.right)));
  const places = [];
  let row = 0;
  let inThis = 0;
  shown.forEach((box, at) => {
    const isNext = at > 0 && (box.distance !== shown[at - 1].distance || inThis === inRow);
    if (isNext) [row, inThis] = [row + 1, 0];
    places.push({ x: inThis * (BOX.width + BOX.right) + 8, y: row * (BOX.height + BOX.below) + 34 });
    inThis += 1;
  });
  return { places, height: (row + 1) * (BOX.height + BOX.below) + 6, width: inRow * (BOX.width + BOX.right) + 8 };
}

/** The line from who waits to whom, and its head: upward to the row above, over the boxes within a row, a loop at a box that waits for itself. */
function wayOf(from, to) {
  const middle = BOX.width / 2;
  const head = (x, y, isUp) => `M ${x} ${y} l -4 ${isUp ? 9 : -9} h 8 z`;
  if (from === to) {
    const [x, y] = [from.x + BOX.width - 60, from.y];
    return { line: `M ${x} ${y} C ${x} ${y - 30}, ${x + 36} ${y - 30}, ${x + 36} ${y}`, head: head(x + 36, y, false) };
  }
  if (from.y === to.y) {
    const shift = from.x < to.x ? 14 : -14;
    const [x1, x2, top] = [from.x + middle + shift, to.x + middle - shift, from.y - 26];
    return { line: `M ${x1} ${from.y} C ${x1} ${top}, ${x2} ${top}, ${x2} ${to.y}`, head: head(x2, to.y, false) };
  }
  const isUp = to.y < from.y;
  const [y1, y2] = isUp ? [from.y, to.y + BOX.height] : [from.y + BOX.height, to.y];
  const [x1, x2, bend] = [from.x + middle, to.x + middle, (y2 - y1) / 2];
  return { line: `M ${x1} ${y1} C ${x1} ${y1 + bend}, ${x2} ${y2 - bend}, ${x2} ${y2}`, head: head(x2, y2, isUp) };
}

/** As many of these ranks as fit, cut between two of them. */
function fitting(ranks, most) {
  if (ranks.length <= most) return ranks;
  const between = ranks.slice(0, most).search(/[,-][^,-]*$/);
  return between > 0 ? `${ranks.slice(0, between + 1)}…` : "…";
}

function boxOf(box, place) {
  const [word, many] = box.count === 1 ? ["rank", ""] : ["ranks", ` (${box.count.toLocaleString("en")})`];
  const who = `${word} ${fitting(box.ranks, BOX.letters - `${word} ${many}`.length)}${many}`;
  return shape(
    "g",
    { class: `box ${box.part}`, transform: `translate(${place.x} ${place.y})` },
    shape("title", {}, `${box.ranks}: ${box.does}`),
    shape("rect", { width: BOX.width, height: BOX.height, rx: 6 }),
    shape("text", { x: 10, y: 19, class: "whom" }, who),
    shape("text", { x: 10, y: 37 }, shortened(box.does, 30)),
    shape("text", { x: 10, y: 54, class: "part" }, PARTS[box.part]),
  );
}

/** While one points at a box, only its own waits stand out: lines to rows further up run behind the boxes between. */
function pointAt(boxes, ways, links) {
  boxes.forEach((box, at) => {
    const isOther = (link) => link.from !== at && link.to !== at;
    box.addEventListener("mouseenter", () => ways.forEach((way, of) => way.classList.toggle("aside", isOther(links[of]))));
    box.addEventListener("mouseleave", () => ways.forEach((way) => way.classList.remove("aside")));
  });
}

function drawWaits() {
  const box = byId("waits-graph");
  const shown = waits.nodes.slice(0, MOST_BOXES);
  const { places, height, width } = boxPlaces(shown, Math.max(BOX.width, box.clientWidth - 16));
  const links = waits.links.filter((link) => link.from < shown.length && link.to < shown.length);
  const ways = links.map((link) => {
    const way = wayOf(places[link.from], places[link.to]);
    return shape("g", {}, shape("title", {}, link.sentence), shape("path", { class: link.proven ? "way" : "way perhaps", d: way.line }), shape("path", { class: "head", d: way.head }));
  });
  const boxes = shown.map((each, at) => boxOf(each, places[at]));
  pointAt(boxes, ways, links);
  const label = `Who waits for whom: ${count(shown.length, "group", "groups")} of tasks, ${count(links.length, "wait", "waits")} between them; the list below says the same`;
  box.replaceChildren(shape("svg", { role: "img", "aria-label": label, width, height, viewBox: `0 0 ${width} ${height}` }, ways, boxes));
}

function showWaits() {
  if (!waits || !waits.nodes.length) return;
  byId("waits").hidden = false;
  byId("waits-size").textContent = waits.headline;
  drawWaits();
  const lines = waits.links.slice(0, MOST_BOXES).map((link) => el("li", { class: link.proven ? null : "soft" }, link.sentence));
  const more = waits.links.length - lines.length;
  const boxes = waits.nodes.length - MOST_BOXES;
  byId("waits-list").replaceChildren(
    el("ul", { class: "behind" }, lines, more > 0 ? el("li", { class: "soft" }, `and ${count(more, "more wait", "more waits")}`) : null),
    boxes > 0 ? el("p", { class: "soft" }, `${count(boxes, "more group of tasks is", "more groups of tasks are")} not drawn.`) : "",
  );
}
