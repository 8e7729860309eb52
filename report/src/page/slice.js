// The slice of the hindmost: its statements nearest first, and where the chosen one stands in the source among the others.
const slice = data.slice || null;
const suspects = slice ? slice.statements : [];
const suspectBox = byId("suspects");
let suspect = 0;

/** What a statement's line says. */
function lineText(each) {
  const source = sources.get(each.file);
  const found = source && !source.changed && source.lines.find(([number]) => number === each.line);
  return found ? cleanLine(found[1]).trim() : "";
}

/** The statements from one back to the hung stack: each has its influence on the next. */
function chainOf(at) {
  const chain = [at];
  for (let of = suspects[at].of; of !== undefined && of < suspects.length && !chain.includes(of); of = suspects[of].of) chain.push(of);
  return chain;
}

/** The source around the chosen statement; every line of the slice in sight is marked, those of its chain stronger. */
function suspectSource() {
  const own = suspects[suspect];
  const source = sources.get(own.file);
  const head = el("figcaption", {}, `${own.file}:${own.line}${own.function ? ` in ${own.function}` : ""}`);
  if (!source || source.changed) {
    const why = source ? "The file has changed since the map was made." : "The file was not at hand when the page was made.";
    return el("figure", { class: "source" }, head, el("p", { class: "empty" }, why));
  }
  const chain = new Set(chainOf(suspect));
  const marks = new Map();
  suspects.forEach((each, at) => {
    if (each.file !== own.file) return;
    const known = marks.get(each.line);
    if (!known || chain.has(at)) marks.set(each.line, { at, strong: chain.has(at) || (known && known.strong) });
  });
  const shown = source.lines.filter(([number]) => Math.abs(number - own.line) <= 12).flatMap(([number, text]) => {
    const mark = number === own.line ? { at: suspect, strong: true } : marks.get(number);
    const looks = !mark ? null : number === own.line ? "chosen" : mark.at === 0 ? "here" : mark.strong ? "call" : "inside";
    const line = el("div", { class: looks }, el("span", { class: "no" }, mark ? el("button", { type: "button", class: "link", tabindex: "-1", onclick: () => showSuspect(mark.at) }, `${mark.at + 1} ▸ ${number}`) : number));
    line.append(document.createTextNode(cleanLine(text) || " "));
    return number === own.line ? [line, el("div", { class: "note" }, own.because)] : [line];
  });
  return el("figure", { class: "source" }, head, el("div", { class: "lines", tabindex: "0" }, shown));
}

function choose(at) {
  suspect = Math.max(0, Math.min(suspects.length - 1, at));
  for (const [place, item] of [...suspectBox.children].entries()) item.setAttribute("aria-selected", place === suspect ? "true" : "false");
  suspectBox.setAttribute("aria-activedescendant", `s${suspect}`);
  const item = suspectBox.children[suspect];
  if (item.offsetTop < suspectBox.scrollTop) suspectBox.scrollTop = item.offsetTop;
  if (item.offsetTop + item.offsetHeight > suspectBox.scrollTop + suspectBox.clientHeight) suspectBox.scrollTop = item.offsetTop + item.offsetHeight - suspectBox.clientHeight;
  const way = chainOf(suspect).slice(1);
  byId("suspect").replaceChildren(
    suspectSource(),
    way.length
      ? el("p", { class: "soft" }, "It leads on to ", way.slice(0, 12).flatMap((next, place) => [place ? " › " : "", el("button", { type: "button", class: "link", onclick: () => showSuspect(next) }, `${next + 1} ${baseName(suspects[next].file)}:${suspects[next].line}`)]))
      : "",
  );
}

/** How many of the classes that the slice goes through are shown, from the hindmost outwards. */
const steps = slice ? slice.steps || [] : [];
let shownSteps = 1;

/** Shows the statements of the first classes alone; those behind come with the next. */
function showSteps(most) {
  shownSteps = Math.max(1, Math.min(steps.length, most));
  const shown = new Set(steps.slice(0, shownSteps).map((step) => step.class));
  const isShown = (each) => !steps.length || each.class === undefined || shown.has(each.class);
  [...suspectBox.children].forEach((item, at) => (item.hidden = !isShown(suspects[at])));
  const whoOfStep = (step) => whoOf({ ranks: step.ranks, tasks: step.tasks });
  const said = steps.slice(0, shownSteps).map((step) => {
    const on = step.waits_for.map((each) => steps.find((other) => other.class === each)).filter(Boolean).map(whoOfStep);
    return `${shortened(whoOfStep(step), 60)}${on.length ? ` (waiting for ${shortened(on.join(" and "), 60)})` : ""}`;
  });
  byId("slice-way").hidden = steps.length < 2;
  byId("slice-next").disabled = shownSteps >= steps.length;
  byId("slice-at").textContent = `Of ${said.join(", then ")}: ${shownSteps} of ${count(steps.length, "class", "classes")}.`;
}

/** Chooses a statement from elsewhere on the page: the slice comes into sight. */
function showSuspect(at) {
  const step = steps.findIndex((each) => each.class === suspects[at].class);
  if (step >= shownSteps) showSteps(step + 1);
  choose(at);
  byId("slice").scrollIntoView({ block: "nearest" });
}

function showSlice() {
  if (!suspects.length) return;
  byId("slice").hidden = false;
  byId("slice-size").textContent = `${count(suspects.length, "statement", "statements")}, nearest first${slice.complete ? "" : "; find --all has the whole slice"}`;
  suspectBox.replaceChildren(
    ...suspects.map((each, at) =>
      el(
        "li",
        { id: `s${at}`, role: "option", class: at ? null : "criterion" },
        el("span", { class: "no" }, at + 1),
        el("div", {}, el("div", { class: "code" }, lineText(each) || each.function), el("div", { class: "soft" }, `${baseName(each.file)}:${each.line} ${each.because}`)),
      ),
    ),
  );
  suspectBox.addEventListener("click", (event) => {
    const item = event.target.closest("li");
    if (item) choose([...suspectBox.children].indexOf(item));
  });
  byId("slice-notes").replaceChildren(...slice.in_part.map((each) => el("p", { class: "doubt" }, `${each.function} was understood in part only (${each.reason}): more of it may belong here.`)));
  byId("slice-next").addEventListener("click", () => showSteps(shownSteps + 1));
  showSteps(1);
  choose(0);
}

/** Goes so many statements on or back among those that are shown. */
function chooseShown(from, by) {
  const shown = suspects.map((_, at) => at).filter((at) => !suspectBox.children[at].hidden);
  const at = Math.max(0, Math.min(shown.length - 1, shown.indexOf(from) + by));
  choose(shown[at]);
}

/** A key for the list that has the focus; whether it was one. */
function keyInSlice(event) {
  if (event.target !== suspectBox) return false;
  const page = Math.max(1, Math.floor(suspectBox.clientHeight / 48));
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -suspects.length, End: suspects.length };
  if (!(event.key in moves)) return false;
  chooseShown(suspect, moves[event.key]);
  return true;
}
