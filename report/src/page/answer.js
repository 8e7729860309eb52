// The answer, the classes, the samples, and what is not known.

// The answer and the tree tell classes apart each in its own way: the tree may know more of what is inside a library, or show less.
const answerRanges = (answer ? answer.classes : []).map((each) => ranges(each.ranks));
const treeRanges = tree.classes.map((each) => ranges(nowOf(each)));

/** Whether one sorted list of ranges holds another, and that holds anything. */
function holds(outer, inner) {
  let at = 0;
  for (const [first, last] of inner) {
    while (at < outer.length && outer[at][1] < first) at++;
    if (at === outer.length || outer[at][0] > first || outer[at][1] < last) return false;
  }
  return inner.length > 0;
}

/** The class of the answer that all tasks of a class of the tree are in. */
const answerOf = (at) => (areRanks ? answerRanges.findIndex((each) => holds(each, treeRanges[at])) : -1);

/** The first class of the tree whose tasks are all in a class of the answer. */
const treeClassOf = (at) => (areRanks ? treeRanges.findIndex((each) => holds(answerRanges[at], each)) : -1);

/** The innermost call of a class whose place in the source is known. */
function placed(id) {
  let at = id;
  while (at > 0 && (!nodes[at].line || nodes[at].kind === "here") && nodes[at].parent > 0) at = nodes[at].parent;
  return nodes[at];
}

function placeText(at) {
  const node = placed(tree.classes[at].node);
  return `${bareName(node)} ${placeOf(node)}`.trim();
}

function showClass(at) {
  reveal(tree.classes[at].node);
  if (!rowOf.has(tree.classes[at].node)) {
    view.filters = [];
    refresh();
  }
  select(tree.classes[at].node);
  treeBox.scrollIntoView({ block: "nearest" });
}

const whoOf = (each) => (each.ranks ? `${/[#,-]/.test(each.ranks) ? "ranks" : "rank"} ${written(each.ranks)}` : (each.tasks || []).join(", "));
/** A long name without its middle: both ends tell it from others. */
const shortName = (text) => (text.length > 48 ? `${text.slice(0, 20)}…${text.slice(-27)}` : text);
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

/** So many frames of one function that call each other are one item, as in the tree. */
const FOLDED = 4;

/** The frames of a stack, each with how many like it follow one another; the last of those, which made the call below, stands by itself. */
function folds(frames) {
  const same = (one, other) => one.function === other.function && one.qualified === other.qualified && one.file === other.file;
  const items = [];
  for (let at = 0; at < frames.length; ) {
    let end = at + 1;
    while (end < frames.length && same(frames[at], frames[end])) end++;
    if (end - at >= FOLDED) items.push({ frame: frames[at], times: end - at - 1 });
    else for (let each = at; each + 1 < end; each++) items.push({ frame: frames[each], times: 1 });
    items.push({ frame: frames[end - 1], times: 1 });
    at = end;
  }
  return items;
}

const hostRanges = areRanks ? data.hosts.map((each) => ranges(each.tasks)) : [];

/** On which hosts tasks are, where these are fewer than all. */
function onHosts(tasks) {
  const own = ranges(tasks);
  const here = data.hosts.filter((_, at) => hostRanges.length > 1 && meet(hostRanges[at], own));
  if (!here.length || here.length === data.hosts.length) return "";
  const [only] = here;
  if (here.length === 1) return holds(own, ranges(only.tasks)) ? `all of ${only.host}` : `on ${only.host} alone`;
  return here.length <= 3 ? `on ${here.map((each) => each.host).join(", ")}` : `on ${here.length} of ${data.hosts.length} hosts`;
}

/** A stack as a chain; its calls lead to the tree. */
function chain(frames, classAt) {
  const path = [];
  if (classAt >= 0) for (let id = tree.classes[classAt].node; id > 0; id = nodes[id].parent) path.unshift(id);
  const all = folds(frames);
  const shown = all.length > 24 ? [...all.slice(0, 8), null, ...all.slice(-15)] : all;
  const items = shown.map((item) => {
    if (!item) return el("li", { class: "soft" }, "…");
    const { frame, times } = item;
    const values = Object.entries(frame.values).map(([name, value]) => ` ${name}=${value}`);
    const place = frame.line ? ` ${baseName(frame.file || "")}:${frame.line}` : "";
    const id = path.find((each) => nodes[each].function === frame.function && (nodes[each].line || null) === frame.line);
    const name = id ? jump(id, bareName(nodes[id])) : shortName(frame.qualified || frame.function);
    return el("li", {}, name, el("span", { class: "place" }, place), el("span", { class: "value" }, values), times > 1 && el("span", { class: "soft" }, ` ×${times}`));
  });
  return el("ol", { class: "chain", "aria-label": "Its stack, outermost first" }, items);
}

/** Which job it is, when and where it was looked at, and by what. */
function showAbout() {
  const { about } = data;
  const facts = [];
  const fact = (name, value) => value && facts.push(el("dt", {}, name), el("dd", {}, value));
  fact("job", about.job);
  fact(data.hosts.length === 1 ? "host" : "hosts", shortened(data.hosts.map((each) => each.host).join(", "), 400) || about.host);
  fact("seen", about.taken && new Date(about.taken * 1000).toISOString().replace("T", " ").replace(".000Z", " UTC"));
  for (const program of about.programs) fact("program", `${program.path}${program.build_id ? ` (build ${program.build_id})` : ""}`);
  fact("page by", `hindmost ${about.hindmost}`);
  byId("about").replaceChildren(...facts);
  byId("about").hidden = !facts.length;
}

function showAnswer() {
  const why = [];
  if (!answer) return;
  if (answer.motion) why.push(el("p", {}, `Over ${answer.motion.seconds.toFixed(1)} s: ${answer.motion.sentence}`));
  answer.hindmost.slice(0, 3).forEach((each) => why.push(...because(each)));
  // Main threads that are all at one point may wait for workers that are not.
  if (!answer.hindmost.length) answer.classes.slice(0, 8).forEach((each) => why.push(...workersOf(each)));
  answer.undecided.slice(0, 8).forEach((pair) => {
    const [a, b] = [pair.a, pair.b].map((at) => whoOf(answer.classes[at]));
    const who = pair.a === pair.b ? `${a} among themselves` : `${a} against ${b}`;
    why.push(el("p", { class: "doubt" }, `${shortened(who, 160)}: ${pair.reason}`));
    if (pair.advice) why.push(el("p", { class: "soft" }, `To decide it: ${pair.advice}`));
  });
  if (answer.undecided.length > 8) why.push(el("p", { class: "soft" }, `and ${answer.undecided.length - 8} more pairs`));
  byId("why").replaceChildren(...why);
}

/** Why one is the hindmost: whom it is behind and why, its stack, the line that it is at. */
function because(hindmost) {
  const own = answer.classes[hindmost.class];
  const reasons = hindmost.behind.slice(0, 6).map((link) =>
    el("li", {}, "behind ", el("b", {}, shortened(whoOf(answer.classes[link.class]), 120)), `: ${link.reason}`),
  );
  const parts = [];
  if (answer.hindmost.length > 1) parts.push(el("h2", { class: "minor" }, `${shortened(whoOf(own), 120)}: ${data.sentences[hindmost.class]}`));
  const left = el("div", {}, el("ul", { class: "behind" }, reasons, hindmost.behind.length > 6 ? el("li", { class: "soft" }, `and ${hindmost.behind.length - 6} more classes`) : null));
  if (hindmost.unordered) left.append(el("p", { class: "doubt" }, `Their order among themselves is not known: ${hindmost.unordered}`));
  left.append(el("h2", { class: "minor" }, "Its stack"), chain(own.frames, treeClassOf(hindmost.class)));
  left.append(...workersOf(own));
  const [first] = hindmost.behind;
  const said = hindmost.activity === "computing" ? "It computes here" : `It is in ${hindmost.callee} here`;
  const source = sourceView(hindmost.file, hindmost.line, "here", [first ? `${said}, behind ${shortened(whoOf(answer.classes[first.class]), 60)}: ${first.reason}` : said]);
  parts.push(source ? el("div", { class: "two" }, left, source) : left);
  return parts;
}

/** Where the main threads of a class wait for their workers: whose workers are behind, and why. */
function workersOf(own) {
  return (own.threads_behind || []).slice(0, 4).flatMap((each) => {
    const values = each.iteration.map((value) => ` ${value.variable}=${value.value}`).join("");
    const doing = each.activity === "computing" ? "computing in" : `in ${each.callee || "a call"} from`;
    return [
      el("h2", { class: "minor" }, "By their threads"),
      el("p", { class: "worker" }, el("b", {}, `${shortened(whoOf(each), 120)}: a thread${each.name ? ` (${each.name})` : ""} `), `${doing} ${each.function} at ${baseName(each.file)}:${each.line}${values}`, el("span", { class: "soft" }, `, behind ${shortened(each.ahead, 120)}: ${each.reason}`)),
      sourceView(each.file, each.line, "here", ["the thread is here"]) || "",
    ];
  });
}

const MOST_CLASSES = 100;

function showClasses(most) {
  byId("classes-size").textContent = tree.classes.length.toLocaleString("en");
  const sizeOf = (tasks) => ranges(tasks).reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const standing = (each) => {
    if (!each) return "";
    if (each.relation_to_hindmost !== "ahead") return { hindmost: "hindmost", candidate: "candidate", unknown: "order not known", incomparable: "no order" }[each.relation_to_hindmost] || each.relation_to_hindmost;
    return "ahead";
  };
  const lines = tree.classes.slice(0, most).map((each, at) => {
    const found = answerOf(at);
    const known = found < 0 ? null : answer.classes[found];
    const reasons = (known ? known.relations : []).slice(0, 2).map((relation) => relation.reason);
    const motion = known && answer.motion ? answer.motion.classes[found] : null;
    const moved = motion ? ["moving", "stuck", "in_place", "unknown"].filter((word) => motion[word]).map((word) => `${motion[word]} ${word.replace("_", " ")}`) : [];
    const calls = known && known.calls ? known.calls.slice(0, 4).map((call) => `${whoOf(call)}: ${call.function || (call.call || {}).function || ""}`) : [];
    return el(
      "tr",
      { class: each.hindmost ? "hindmost" : null },
      el("td", {}, el("span", { class: "swatch", background: nodes[each.node].color }), " ", el("button", { type: "button", class: "link", onclick: () => showClass(at) }, each.temporal || `${at + 1}`)),
      el("td", { class: "mono" }, `${each.now === undefined ? each.count : sizeOf(each.now)}:[${members(nowOf(each), 80)}]`, el("div", { class: "soft" }, onHosts(nowOf(each)))),
      el("td", {}, known ? data.sentences[found] : placeText(at), (each.waits || []).slice(0, 4).map((wait) => el("div", { class: wait.proven ? null : "soft" }, wait.sentence))),
      el("td", {}, el("b", {}, standing(known) || (each.hindmost ? "hindmost" : nowOf(each) ? "" : "left before the last sample")), [...reasons, ...moved, ...calls].map((text) => el("div", { class: "soft" }, text))),
    );
  });
  const more = tree.classes.length - most;
  byId("classes").replaceChildren(
    el("table", { class: "wide" }, el("thead", {}, el("tr", {}, ["Class", "Tasks", "Where", "Order"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, lines)),
    more > 0 ? el("p", {}, el("button", { type: "button", onclick: () => showClasses(most + 1000) }, `${count(more, "more class", "more classes")}`)) : "",
  );
}

/** The samples as columns: how many tasks were at each end, and who moved in between. */
function showSamples() {
  const width = (nodes[0] && nodes[0].samples ? nodes[0].samples : []).length;
  if (width < 2) return;
  byId("time").hidden = false;
  const step = Math.ceil(width / 60);
  const columns = Array.from({ length: Math.ceil(width / step) }, (_, at) => at * step);
  const ends = nodes.map((_, id) => id).filter((id) => id && !nodes[id].children.length && nodes[id].samples);
  const lines = ends.slice(0, 60).map((id) => {
    const node = nodes[id];
    const name = placed(id) === node ? node.label : `${bareName(placed(id))} › ${node.label}`;
    const tiles = columns.map((at) => {
      const tasks = node.samples[at];
      return el("td", { class: tasks ? "part" : "faint", background: tasks ? node.color : null, title: `sample ${at + 1}` }, tasks || "·");
    });
    return el("tr", {}, el("th", { scope: "row" }, jump(id, name)), tiles);
  });
  const changes = tree.changes || [];
  const moved = columns.map((at, place) => {
    if (!place) return el("td", {}, "");
    const between = changes.slice(columns[place - 1], at);
    return el("td", { title: between.map((each) => `moved: [${members(each.moved, 200)}]`).join(" ") }, between.reduce((sum, each) => sum + each.moved_count, 0));
  });
  byId("samples").replaceChildren(
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "heat" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Tasks in each sample"), columns.map((at) => el("th", { scope: "col" }, at + 1)))),
        el("tbody", {}, lines, el("tr", {}, el("th", { scope: "row" }, "moved since the one before"), moved)),
      ),
    ),
    ends.length > 60 ? el("p", { class: "soft" }, `${ends.length - 60} more ends are in the tree`) : "",
    step > 1 ? el("p", { class: "soft" }, `Every ${step}th of ${width} samples`) : "",
  );
}

/** Tasks that were not read, what the order rests on, warnings. */
function showNotes() {
  const lines = [];
  const note = (word, text) => lines.push(el("p", {}, el("b", { class: "doubt" }, `${word}: `), text));
  const unread = answer ? answer.unreadable : [];
  for (const task of unread.slice(0, 50)) {
    const who = task.rank === null ? (task.pid === null ? `task ${task.task}` : `pid ${task.pid}`) : `rank ${task.rank}`;
    note("Not read", `${who}: ${task.error}`);
  }
  if (unread.length > 50) note("Not read", `${unread.length - 50} more`);
  if (!answer) nodes.filter((node) => node.kind === "unreadable").forEach((node) => note("Not read", `${edgeLabel(node, 200)}: ${node.function}`));
  const missing = answer ? written(answer.missing_ranks) : nodes.filter((node) => node.kind === "missing").map((node) => written(node.tasks)).join(",");
  if (missing) note("Missing", `ranks ${shortened(missing, 400)}: not among the tasks that were found`);
  if (unread.length || missing) lines.push(el("p", {}, "The order holds among the tasks that were read; any other may be further behind."));
  for (const warning of new Set([...(answer ? answer.warnings : []), ...tree.warnings])) note("Warning", warning);
  for (const clause of answer ? answer.assumptions : []) lines.push(el("p", { class: "soft" }, `Taken for granted: ${clause}`));
  byId("doubts").hidden = !lines.length;
  byId("notes").replaceChildren(...lines);
}
