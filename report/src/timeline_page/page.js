"use strict";
(() => {
// What is known: rows of numbers, as report/src/timeline_page.rs writes them. Names come from a target: they are only ever drawn, or set as text.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const clean = (text) => String(text).replace(UNSAFE, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
const STEPS = ["enters", "leaves", "starts", "completes", "gives"];
const KINDS = [["sends", "sends"], ["receives", "receives"], ["waits", "waits, tests"], ["together", "collective"], ["other", "other MPI"]];
const [SENDS, RECEIVES, WAITS, TOGETHER, OTHER] = [0, 1, 2, 3, 4];
const KEPT = 400000;

const lanes = new Map();
const arrows = [];
const points = [];
let [seen, now, latest] = [0, 0, 0];
let said = {};
const view = { right: 0, sight: 2e9, cursor: 0, follows: data.live, selected: 0, top: 0, hits: "" };

function kindOf(name, tie) {
  if (tie === "enters") return TOGETHER;
  if (/Wait|Test|_wait$|_test$/.test(name)) return WAITS;
  if (/recv|Recv|robe/.test(name)) return RECEIVES;
  if (/send|Send/.test(name)) return SENDS;
  return OTHER;
}

/** One event behind those before: its calls, and the arrow of a message that has come. */
function add(event) {
  const { rank, time, step, name, tie } = event;
  const thread = event.thread || 0;
  const key = rank * 4096 + Math.min(thread, 4095);
  if (!lanes.has(key)) lanes.set(key, { rank, thread, calls: [], events: [] });
  const lane = lanes.get(key);
  const last = lane.calls[lane.calls.length - 1];
  const isOpen = last && last.ended === null;
  if (isOpen && (step === 0 || event.lost)) last.ended = time;
  if (step === 0) lane.calls.push({ begun: time, ended: null, name, kind: kindOf(name, tie), communicator: event.communicator });
  if (step === 1 && last && last.ended === null) last.ended = time;
  else if (step === 1) lane.calls.push({ begun: time, ended: time, name, kind: kindOf(name, tie), communicator: event.communicator });
  if (tie === "from" && event.cause) arrows.push({ from: event.cause[0], sent: event.cause[1], to: rank, received: time });
  lane.events.push(event);
  seen += 1;
  latest = Math.max(latest, time);
  now = Math.max(now, time);
}

function forget() {
  let kept = 0;
  for (const lane of lanes.values()) kept += lane.events.length;
  if (kept <= KEPT) return;
  for (const lane of lanes.values()) {
    lane.events.splice(0, lane.events.length >> 1);
    const until = lane.events.length ? lane.events[0].time : latest;
    lane.calls.splice(0, before(lane.calls, (call) => call.ended !== null && call.ended < until));
  }
  arrows.splice(0, arrows.length >> 1);
}

/** What has come, as it is written: names first, then events, then what is said of the job. */
function take(part) {
  for (const row of part.events) {
    const [rank, thread, time, step, name, tie, a, b, communicator, causeRank, causeTime, lost, doubt] = row;
    add({ rank, thread, time, step, name: part.names[name] || "", tie: ["", "to", "from", "enters", "leaves"][tie], a, b, communicator: part.communicators[communicator] || "",
      cause: causeRank === null ? null : [causeRank, causeTime], lost, doubt: part.doubts[doubt] || "" });
  }
  points.push(...part.points);
  if (points.length > 20000) points.splice(0, points.length - 20000);
  if (part.said) said = part.said;
  now = Math.max(now, part.now);
  forget();
}

/** How many of a sorted list come first for which this is true. */
function before(list, isBefore) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(list[middle])) low = middle + 1; else high = middle;
  }
  return low;
}

function callAt(lane, time) {
  const call = lane.calls[before(lane.calls, (each) => each.begun <= time) - 1];
  return call && (call.ended === null || time < call.ended) ? call : null;
}

function inSet(text) {
  const parts = text.split(",").map((part) => part.match(/^(\d+)(?:-(\d+))?$/));
  return parts.every(Boolean) ? parts.map((part) => [Number(part[1]), Number(part[2] ?? part[1])]) : null;
}

let filter = { ranks: [], calls: [], communicators: [] };
function readFilter(text) {
  filter = { ranks: [], calls: [], communicators: [] };
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const set = inSet(word);
    if (word.startsWith("comm:")) filter.communicators.push(word.slice(5).toLowerCase());
    else if (set) filter.ranks.push(...set);
    else filter.calls.push(word.toLowerCase());
  }
}
const showsRank = (rank) => !filter.ranks.length || filter.ranks.some(([first, last]) => first <= rank && rank <= last);
const showsCall = (call) => (!filter.calls.length || filter.calls.some((part) => call.name.toLowerCase().includes(part)))
  && (!filter.communicators.length || filter.communicators.some((part) => call.communicator.startsWith(part)));

function ranksText(ranks) {
  const parts = [];
  for (const rank of ranks) {
    const last = parts[parts.length - 1];
    if (last && last[1] + 1 === rank) last[1] = rank; else parts.push([rank, rank]);
  }
  const shown = parts.slice(0, 6).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
  return shown.join(",") + (parts.length > 6 ? ",…" : "");
}

function rows() {
  const keys = [...lanes.keys()].sort((a, b) => a - b).filter((key) => showsRank(lanes.get(key).rank));
  if (byId("rows").value === "ranks") {
    return keys.map((key) => {
      const lane = lanes.get(key);
      return { lane, ranks: [lane.rank], name: lane.thread ? `${lane.rank} thread ${lane.thread}` : `rank ${lane.rank}` };
    });
  }
  const classes = new Map();
  for (const key of keys) {
    const lane = lanes.get(key);
    if (lane.thread) continue;
    const call = callAt(lane, view.cursor);
    const name = call ? call.name : "";
    if (!classes.has(name)) classes.set(name, []);
    classes.get(name).push(lane);
  }
  return [...classes.values()].sort((a, b) => a.length - b.length || a[0].rank - b[0].rank)
    .map((all) => ({ lane: all[0], ranks: all.map((lane) => lane.rank), name: `${all.length}: ${ranksText(all.map((lane) => lane.rank))}` }));
}

const named = (rank) => (said.named || []).some(([first, last]) => first <= rank && rank <= last);
const words = (event) => {
  const tag = event.b === null ? "" : ` (tag ${event.b})`;
  const tie = { to: ` to rank ${event.a}${tag}`, from: ` from rank ${event.a}${tag}`, enters: `, number ${event.a}`, leaves: `, number ${event.a}` }[event.tie] || "";
  const cause = event.cause ? `, ${((event.time - event.cause[1]) / 1e9).toFixed(6)} s after rank ${event.cause[0]}` : "";
  return `rank ${event.rank} ${STEPS[event.step]} ${clean(event.name || "a signal")}${tie}${cause}${event.doubt ? `  ${event.doubt}` : ""}`;
};

const canvas = byId("picture");
const NAMES = 110, ROW = 16, AXIS = 20, WINDOW = 34;
let shown = [];

function draw() {
  if (view.follows) { view.right = now; view.cursor = now; }
  shown = rows();
  view.selected = Math.max(0, Math.min(view.selected, shown.length - 1));
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const most = Math.max(4, Math.floor((window.innerHeight - 330) / ROW));
  const count = Math.min(shown.length, most);
  view.top = Math.max(Math.min(view.top, view.selected, shown.length - count), view.selected - count + 1, 0);
  const height = AXIS + count * ROW + WINDOW;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = `${height}px`;
  }
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const colors = KINDS.map(([name]) => color(name));
  const g = canvas.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  g.textBaseline = "middle";
  const left = view.right - view.sight;
  const across = width - NAMES;
  const x = (time) => NAMES + ((time - left) / view.sight) * across;
  const seconds = (time) => `${(time / 1e9).toFixed(view.sight < 1e8 ? 6 : 3)} s`;
  g.fillStyle = color("faint");
  g.fillText(seconds(Math.max(0, left)), NAMES, AXIS / 2);
  g.textAlign = "right";
  g.fillText(seconds(view.right), width - 4, AXIS / 2);
  g.textAlign = "left";
  for (let at = 0; at < count; at++) {
    const row = shown[view.top + at];
    const y = AXIS + at * ROW;
    if (view.top + at === view.selected) {
      g.fillStyle = color("line");
      g.fillRect(0, y, NAMES - 4, ROW);
    }
    g.fillStyle = row.ranks.some(named) ? color("named") : color("text");
    g.fillText(row.name, 4, y + ROW / 2, NAMES - 12);
    g.fillStyle = color("line");
    g.fillRect(NAMES, y + ROW / 2, across, 1);
    const calls = row.lane.calls;
    // Calls narrower than a pixel are drawn as one.
    let drawn = -1;
    for (let i = before(calls, (call) => call.ended !== null && call.ended < left); i < calls.length && calls[i].begun <= view.right; i++) {
      const call = calls[i];
      const from = Math.max(NAMES, x(call.begun));
      const to = Math.min(width, x(call.ended === null ? Math.min(now, view.right) : call.ended));
      if (to <= drawn || !showsCall(call)) continue;
      g.fillStyle = colors[call.kind];
      g.fillRect(Math.max(from, drawn), y + 2, Math.max(to - Math.max(from, drawn), 1), ROW - 4);
      drawn = Math.max(to, from + 1);
    }
  }
  drawArrows(g, count, x, left, color("text"));
  const cursor = x(view.cursor);
  if (cursor >= NAMES && cursor <= width) {
    g.fillStyle = color("text");
    g.fillRect(cursor, AXIS, 1, count * ROW);
    g.textAlign = cursor > width - 90 ? "right" : "left";
    if (view.cursor !== view.right) g.fillText(seconds(view.cursor), cursor, AXIS / 2);
    g.textAlign = "left";
  }
  if (said.hangs && x(latest) >= NAMES && x(latest) <= width) {
    g.fillStyle = color("named");
    g.fillRect(x(latest), AXIS, 2, count * ROW);
  }
  drawWindow(g, AXIS + count * ROW, x, left, color);
  texts();
}

function drawArrows(g, count, x, left, color) {
  const which = byId("arrows").value;
  if (which === "none") return;
  const line = new Map();
  for (let at = 0; at < count; at++) for (const rank of shown[view.top + at].ranks) if (!line.has(rank)) line.set(rank, at);
  const selected = view.selected - view.top;
  g.strokeStyle = color;
  g.fillStyle = color;
  g.beginPath();
  let drawn = 0;
  for (let i = arrows.length - 1; i >= 0 && drawn < 4000; i--) {
    const { from, sent, to, received } = arrows[i];
    if (received < left || sent > view.right) continue;
    const [a, b] = [line.get(from), line.get(to)];
    if (a === undefined || b === undefined || a === b || (which === "selected" && a !== selected && b !== selected)) continue;
    const [x0, y0, x1, y1] = [x(sent), AXIS + a * ROW + ROW / 2, x(received), AXIS + b * ROW + ROW / 2];
    g.moveTo(Math.max(NAMES, x0), y0);
    g.lineTo(Math.max(NAMES, x1), y1);
    g.fillRect(Math.max(NAMES, x1) - 2, y1 - 2, 4, 4);
    drawn += 1;
  }
  g.stroke();
}

/** How many events the sort remembered, over time: the asynchrony of the job. */
function drawWindow(g, y, x, left, color) {
  const most = points.reduce((sum, point) => Math.max(sum, point[1]), 1);
  g.fillStyle = color("faint");
  g.fillText(`window, ≤ ${most}`, 4, y + WINDOW / 2, NAMES - 8);
  for (let i = Math.max(0, before(points, (point) => point[0] < left) - 1); i < points.length && points[i][0] <= view.right; i++) {
    const [time, events, held] = points[i];
    const until = i + 1 < points.length ? points[i + 1][0] : view.right;
    const from = Math.max(NAMES, x(time));
    const size = (events / most) * (WINDOW - 6);
    g.fillStyle = color("line");
    g.fillRect(from, y + WINDOW - size, Math.max(1, x(until) - from), size);
    g.fillStyle = color("receives");
    g.fillRect(from, y + WINDOW - (held / most) * (WINDOW - 6), Math.max(1, x(until) - from), (held / most) * (WINDOW - 6));
  }
}

function texts() {
  byId("headline").textContent = said.headline ? clean(said.headline) : `${seen} events`;
  byId("headline").className = (said.named || []).length ? "named" : "";
  byId("state").textContent = `${seen} events of ${lanes.size} lines, ${data.left_out ? `${data.left_out} older ones left out, ` : ""}${view.follows ? "goes along" : "stands still"}`;
  byId("pace").textContent = view.follows ? "Stand still" : "Go along";
  byId("pace").setAttribute("aria-pressed", String(!view.follows));
  byId("hang").hidden = !said.hangs;
  const row = shown[view.selected];
  const events = row ? row.lane.events : [];
  const call = row && callAt(row.lane, view.cursor);
  const waits = row && (said.waits || {})[row.lane.rank];
  const communicator = call && call.communicator ? `, comm:${call.communicator.slice(0, 6)}` : "";
  byId("selected").textContent = row ? `${row.name}: ${call ? `${clean(call.name)}, for ${((view.cursor - call.begun) / 1e9).toFixed(3)} s${communicator}` : "outside of MPI"}${waits && call && call.ended === null ? `, waits for ${waits}` : ""}` : "Nothing is shown";
  const until = before(events, (event) => event.time <= view.cursor);
  byId("events").textContent = events.slice(Math.max(0, until - 8), until).map((event) => `${(event.time / 1e9).toFixed(6).padStart(14)} s  ${words(event)}`).join("\n");
}

let isAsked = false;
const redraw = () => {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => { isAsked = false; draw(); });
};

function stand(cursor) {
  view.follows = false;
  view.cursor = Math.max(0, Math.min(cursor, now));
  if (view.cursor > view.right) view.right = view.cursor;
  if (view.cursor < view.right - view.sight) view.right = view.cursor + view.sight;
  redraw();
}

function zoom(factor, at = view.cursor) {
  const sight = Math.max(1000, Math.min(view.sight * factor, 1e17));
  const behind = ((view.right - at) / view.sight) * sight;
  view.sight = sight;
  if (!view.follows) view.right = at + behind;
  redraw();
}

function whole() {
  let first = Infinity;
  for (const lane of lanes.values()) if (lane.events.length) first = Math.min(first, lane.events[0].time);
  view.sight = Math.max(1000, now - (first === Infinity ? 0 : first));
  view.right = now;
  view.follows = false;
  redraw();
}

function hit(forth) {
  const wanted = byId("search").value.trim().toLowerCase();
  let best = null;
  shown.forEach((row, at) => {
    for (const event of row.lane.events) {
      const isBehind = forth ? event.time > view.cursor : event.time < view.cursor;
      const isBetter = !best || (forth ? event.time < best.time : event.time > best.time);
      if (isBehind && isBetter && words(event).toLowerCase().includes(wanted)) best = { time: event.time, at };
    }
  });
  if (!best) { byId("state").textContent = `nothing more has '${wanted}'`; return; }
  view.selected = best.at;
  stand(best.time);
}

byId("pace").onclick = () => { view.follows = !view.follows; redraw(); };
byId("nearer").onclick = () => zoom(0.5);
byId("farther").onclick = () => zoom(2);
byId("whole").onclick = whole;
byId("hang").onclick = () => stand(latest);
byId("next").onclick = () => hit(true);
byId("back").onclick = () => hit(false);
byId("search").onkeydown = (event) => { if (event.key === "Enter") hit(!event.shiftKey); };
byId("filter").oninput = (event) => { readFilter(event.target.value); redraw(); };
byId("arrows").onchange = redraw;
byId("rows").onchange = redraw;
const timeAt = (event) => view.right - view.sight + ((event.offsetX - NAMES) / (canvas.clientWidth - NAMES)) * view.sight;
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.offsetX > NAMES) zoom(event.deltaY > 0 ? 1.25 : 0.8, view.follows ? view.cursor : timeAt(event));
  else { view.selected += Math.sign(event.deltaY); redraw(); }
}, { passive: false });
let dragged = null;
canvas.addEventListener("pointerdown", (event) => {
  const row = Math.floor((event.offsetY - AXIS) / ROW);
  if (row >= 0 && view.top + row < shown.length) view.selected = view.top + row;
  dragged = { x: event.offsetX, right: view.right };
  if (event.offsetX > NAMES) stand(timeAt(event)); else redraw();
});
canvas.addEventListener("pointermove", (event) => {
  if (!dragged || !(event.buttons & 1) || Math.abs(event.offsetX - dragged.x) < 4) return;
  view.right = dragged.right - ((event.offsetX - dragged.x) / (canvas.clientWidth - NAMES)) * view.sight;
  redraw();
});
addEventListener("pointerup", () => { dragged = null; });
canvas.addEventListener("keydown", (event) => {
  const step = view.sight / Math.max(1, canvas.clientWidth - NAMES) * 4;
  const keys = {
    ArrowLeft: () => stand(view.cursor - step), ArrowRight: () => stand(view.cursor + step),
    ArrowUp: () => { view.selected -= 1; redraw(); }, ArrowDown: () => { view.selected += 1; redraw(); },
    Home: () => stand(0), End: () => { view.follows = true; redraw(); },
    " ": () => byId("pace").onclick(), "+": () => zoom(0.5), "-": () => zoom(2), n: () => hit(true), N: () => hit(false),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
addEventListener("resize", redraw);

KINDS.forEach(([name, text]) => {
  const mark = document.createElement("span");
  mark.textContent = `■ ${text}  `;
  mark.style.setProperty("color", `var(--${name})`);
  byId("kinds").append(mark);
});

take(data.part);
if (!data.live) {
  whole();
  view.cursor = now;
}
redraw();

/** Asks for what has come since, one question after the other. */
async function follow(next) {
  for (;;) {
    try {
      const answer = await fetch(`events?after=${next}`, { cache: "no-store" });
      if (!answer.ok) throw new Error(String(answer.status));
      const part = await answer.json();
      take(part);
      next = part.next;
      redraw();
      if (part.is_over) { view.follows = false; redraw(); return; }
    } catch {
      byId("state").textContent = "hindmost does not answer any more; what is shown is the last that it said";
      return;
    }
    await new Promise((done) => setTimeout(done, 250));
  }
}
if (data.live) follow(data.part.next);
})();
