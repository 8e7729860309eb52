"use strict";
(() => {
// Shapes as report/src/loops_page.rs writes them, each behind those within it. Names come from a target: they are only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const clean = (text) => String(text).replace(UNSAFE, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
const MOST_SHOWN = 400;
const { shapes, columns } = data;
const parts = (shape) => shapes[shape].called || shapes[shape].body || [];

/** For each column the shapes that are anywhere in it. */
const within = columns.map((column) => {
  const met = new Set();
  const pending = [column.shape];
  while (pending.length) {
    const shape = pending.pop();
    if (met.has(shape)) continue;
    met.add(shape);
    pending.push(...parts(shape));
  }
  return met;
});
/** Whether not every column has this shape somewhere: then ways part in it, or above. */
const apart = shapes.map((_, shape) => !within.every((met) => met.has(shape)));

function words(shape) {
  const { function: name, turns, open } = shapes[shape];
  if (turns) return `${turns} ×`;
  return clean(name === undefined || name === null ? "(the thread)" : name) + (open ? " (not over)" : "");
}

function element(shape) {
  let shown = shape;
  let prefix = "";
  // A loop of one call is one line.
  if (shapes[shape].turns && parts(shape).length === 1 && !shapes[parts(shape)[0]].turns) {
    prefix = `${words(shape)} `;
    shown = parts(shape)[0];
  }
  const below = parts(shown);
  const made = document.createElement(below.length ? "details" : "div");
  const line = below.length ? made.appendChild(document.createElement("summary")) : made;
  line.textContent = prefix + words(shown);
  if (below.length) {
    const count = line.appendChild(document.createElement("span"));
    count.className = "count";
    count.textContent = `  ${shapes[shown].calls} calls`;
  } else {
    made.className = "leaf";
  }
  if (shapes[shape].turns) made.classList.add("loop");
  if (apart[shape] || apart[shown]) made.classList.add("apart");
  made.dataset.shape = shown;
  if (below.length) made.addEventListener("toggle", () => fill(made, shown), { once: false });
  return made;
}

/** What is within a call or a loop, when it is opened for the first time. */
function fill(made, shape) {
  if (!made.open || made.dataset.filled) return;
  made.dataset.filled = "yes";
  const below = parts(shape);
  for (const part of below.slice(0, MOST_SHOWN)) made.appendChild(element(part));
  if (below.length > MOST_SHOWN) {
    const more = made.appendChild(document.createElement("div"));
    more.className = "leaf count";
    more.textContent = `… ${below.length - MOST_SHOWN} more`;
  }
}

/** Opens what ways part in, each column down to there. */
function openParted() {
  for (const root of document.querySelectorAll("main > section > details")) {
    const pending = [root];
    let left = MOST_SHOWN;
    while (pending.length && left > 0) {
      const made = pending.shift();
      left -= 1;
      made.open = true;
      fill(made, Number(made.dataset.shape));
      const below = [...made.children].filter((child) => child.tagName === "DETAILS");
      const single = below.length === 1 && made.children.length === 2;
      pending.push(...below.filter((child) => single || child.classList.contains("apart")));
    }
  }
}

for (const { who, shape } of columns) {
  const section = byId("picture").appendChild(document.createElement("section"));
  const head = section.appendChild(document.createElement("h2"));
  head.textContent = clean(who);
  section.appendChild(element(shape));
}
const all = columns.length === 1 ? "All did the same." : `${columns.length} groups of threads did differently; red is what not all of them did.`;
byId("state").textContent = data.left_out ? `${all} ${data.left_out} further groups are left out.` : all;
byId("parted").addEventListener("click", openParted);
byId("fold").addEventListener("click", () => {
  for (const made of document.querySelectorAll("main details")) made.open = false;
});
byId("search").addEventListener("input", () => {
  const wanted = byId("search").value;
  for (const made of document.querySelectorAll("main [data-shape]")) {
    const name = shapes[Number(made.dataset.shape)].function;
    made.classList.toggle("hit", wanted !== "" && typeof name === "string" && name.includes(wanted));
  }
});
openParted();
})();
