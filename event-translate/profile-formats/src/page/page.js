"use strict";
(() => {
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const ROW = 18, FONT = "12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace";
/** Narrower boxes are not drawn one by one. */
const TINY = 0.7;

// ---- The tree ----------------------------------------------------------------

/** A tree is in preorder: node 0 is the root, `end[i]` the node after i's last descendant. */
function grow(tree) {
  const size = tree.name.length;
  const parent = new Int32Array(size).fill(-1), end = new Int32Array(size);
  const path = [];
  let deepest = 0;
  for (let i = 0; i < size; i++) {
    const depth = tree.depth[i];
    while (path.length > depth) end[path.pop()] = i;
    if (depth > 0) parent[i] = path[depth - 1];
    path.push(i);
    deepest = Math.max(deepest, depth);
  }
  while (path.length > 0) end[path.pop()] = size;
  return { kind: tree.kind, name: tree.name, depth: tree.depth, parent, end, deepest, size };
}

/** Which processes count, or null for all. */
let counted = null;

/** The second of two processes is held against the first. */
const compared = data.head.compared === true;

/** Adds what a process has, node, weight, node, weight, `times` so much. */
function add(own, part, times) {
  for (let k = 0; k < part.length; k += 2) own[part[k]] += part[k + 1] * times;
  return own;
}

/** What each node has with all below it. */
function summed(tree, own) {
  const total = own.slice();
  for (let i = tree.size - 1; i > 0; i--) total[tree.parent[i]] += total[i];
  return total;
}

/** Of both that are compared: what nodes have themselves, and with all below them. */
function bothSides(tree, weight) {
  const own = [0, 1].map((side) => add(new Float64Array(tree.size), weight.parts[side], 1));
  return { own, total: own.map((one) => summed(tree, one)) };
}

/** What one tab shows: a tree, and how heavy each node is. */
function weigh(tree, weight) {
  const sides = compared && bothSides(tree, weight);
  const part = counted || compared, own = part ? new Float64Array(tree.size) : Float64Array.from(weight.own);
  // The first is drawn as if it had as much in all as the second.
  const scale = sides && sides.total[0][0] > 0 && sides.total[1][0] > 0 ? sides.total[1][0] / sides.total[0][0] : 1;
  if (part) weight.parts.forEach((part, process) => { if (!counted || counted[process]) add(own, part, process === 0 ? scale : 1); });
  const total = own.slice();
  const variance = Float64Array.from(weight.variance || []);
  for (let i = tree.size - 1; i > 0; i--) { total[tree.parent[i]] += total[i]; variance[tree.parent[i]] += variance[i]; }
  // What it may be off: of estimates only.
  const error = weight.variance && variance.map((sum) => Math.sqrt(sum * weight.variance_unit));
  return { ...tree, title: weight.title, unit: weight.unit, own, total, error, sides, zoomed: 0, selected: -1, grown: tree, weight };
}

const tabs = data.trees.flatMap((tree) => { const grown = grow(tree); return tree.weights.map((weight) => weigh(grown, weight)); });
let tab = tabs[0];

// ---- Words -------------------------------------------------------------------

const group = (number) => Math.round(number).toLocaleString("en").replaceAll(",", "\u202f");
const percent = (part, whole) => (whole > 0 ? (100 * part / whole).toFixed(2) : "0.00") + "\u202f%";
const scaled = (number, steps) => { const [size, unit] = steps.find(([from]) => number >= from) || steps.at(-1); return (number / size).toFixed(number < size ? 0 : 2) + "\u202f" + unit; };
function amount(number, unit) {
  if (unit === "bytes") return number < 1e3 ? `${number} bytes` : scaled(number, [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]);
  if (unit === "ns") return number === 0 ? "0 s" : scaled(number, [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]]);
  return `${group(number)} ${number === 1 ? unit.replace(/s$/, "") : unit}`;
}
const nameOf = (i) => data.names[tab.name[i]];

const shareOf = (numbers, i, all) => (all > 0 ? numbers[i] / all : 0);
const points = (share) => `${share < 0 ? "−" : "+"}${(100 * Math.abs(share)).toFixed(2)}\u202f%`;

/** By how much a node's share of all has grown. */
const growth = (i, what) => { const { total } = tab.sides; return shareOf(tab.sides[what][1], i, total[1][0]) - shareOf(tab.sides[what][0], i, total[0][0]); };

/** Name, total and self of a node, line by line. */
function describe(i) {
  if (compared) {
    const line = (word, what) => { const numbers = tab.sides[what], [before, after] = [0, 1].map((side) => `${amount(numbers[side][i], tab.unit)} (${percent(numbers[side][i], tab.sides.total[side][0])})`); return `${word} ${before} before, ${after} after: ${points(growth(i, what))}`; };
    return [i === 0 ? `all: ${tab.title}` : nameOf(i), line("total", "total"), line("self", "own")];
  }
  const whole = tab.total[0], total = tab.total[i], own = tab.own[i], from = tab.parent[i];
  const error = tab.error ? ` ± ${amount(Math.round(tab.error[i]), tab.unit)} (standard error)` : "";
  const lines = [`total ${amount(total, tab.unit)}${error}: ${percent(total, whole)} of all` + (from > 0 ? `, ${percent(total, tab.total[from])} of its caller` : ""),
    `self ${amount(own, tab.unit)}: ${percent(own, whole)} of all`];
  return [i === 0 ? `all: ${tab.title}` : nameOf(i), ...lines];
}

// ---- Search ------------------------------------------------------------------

/** Which names match, or null without a search. */
let matches = null;

function search(text) {
  const box = byId("search");
  const written = /^\/(.+?)\/?$/.exec(text);
  let test;
  box.removeAttribute("aria-invalid");
  try {
    const expression = written && new RegExp(written[1], "i");
    const plain = text.toLowerCase();
    test = expression ? (name) => expression.test(name) : (name) => name.toLowerCase().includes(plain);
  } catch {
    box.setAttribute("aria-invalid", "true");
    test = () => false;
  }
  matches = text === "" ? null : data.names.map(test);
  // Node 0 is all, not a method.
  if (matches) matches[0] = false;
  draw();
}

/** The weight of all stacks that hold a match, below the zoomed node. */
function matched() {
  for (let i = tab.zoomed; i > 0; i = tab.parent[i]) if (matches[tab.name[i]]) return tab.total[tab.zoomed];
  let sum = 0;
  for (let i = tab.zoomed; i < tab.end[tab.zoomed];) {
    if (matches[tab.name[i]]) { sum += tab.total[i]; i = tab.end[i]; } else i++;
  }
  return sum;
}

function showMatched() {
  const all = tab.total[tab.zoomed];
  byId("matched").value = matches ? `Matched ${percent(matched(), all)}${tab.zoomed ? " of what is zoomed" : ""} (${amount(matched(), tab.unit)})` : "";
}

// ---- Drawing -----------------------------------------------------------------

const canvas = byId("flame"), context = canvas.getContext("2d"), scroll = byId("scroll"), space = byId("space");
const dark = matchMedia("(prefers-color-scheme: dark)");
/** While it is printed: all rows, in the colours of the day. */
let onPaper = false;
const PAPER = { width: 1000, ratio: 2, paint: { text: "#1b1f24", accent: "#0a58ca", quiet: "#5b6470" } };
const isDark = () => dark.matches && !onPaper;
const drawnWidth = () => (onPaper ? PAPER.width : scroll.clientWidth);
const HUES = { cpu: 28, allocations: 145, locks: 268, parked: 215, stacks: 40 };
const OF_THE_JDK = /^(java|javax|jdk|sun|com\.sun)[./]/;
let flip = false, colours = new Map(), boxes = [], letter = 7;

/** Red has become more, blue less: the redder, the larger a part of it is new. */
function changed(i, faded) {
  const { total } = tab.sides, before = shareOf(total[0], i, total[0][0]), after = shareOf(total[1], i, total[1][0]);
  const part = Math.max(before, after) > 0 ? (after - before) / Math.max(before, after) : 0, strong = Math.min(1, Math.abs(part)) * (faded ? 0.4 : 1);
  const light = isDark() ? 24 + 14 * strong : 92 - 30 * strong;
  return `hsl(${part > 0 ? 8 : 214} ${Math.round(85 * strong)}% ${light.toFixed(1)}%)`;
}

function colour(i, faded) {
  if (compared) return changed(i, faded);
  const key = tab.name[i] * 2 + (faded ? 1 : 0);
  let found = colours.get(key);
  if (!found) {
    const name = data.names[tab.name[i]], package_ = name.slice(0, Math.max(0, name.lastIndexOf(".")));
    let hash = 7;
    for (const character of package_) hash = (hash * 31 + character.codePointAt(0)) | 0;
    const own = !OF_THE_JDK.test(name) && i > 0;
    const hue = HUES[tab.kind] + (hash & 31) - 16, full = own ? 70 + (hash >> 5 & 15) : 9;
    const light = (isDark() ? 29 : 74) + (hash >> 9 & 7) + (own ? 0 : isDark() ? 2 : 8);
    found = `hsl(${hue} ${faded ? full / 2 : full}% ${faded ? (isDark() ? 20 : 90) : light}%)`;
    colours.set(key, found);
  }
  return found;
}

/** As much of a name as fits: all, `Class.method`, or the beginning of that. */
function label(i, width) {
  const fits = Math.floor((width - 6) / letter);
  if (fits < 3) return "";
  let text = i === 0 ? `all: ${tab.title}` : nameOf(i);
  if (text.length > fits) text = text.split(".").slice(-2).join(".");
  return text.length > fits ? text.slice(0, fits - 1) + "…" : text;
}

function box(i, x, width, top, paint, rows) {
  const depth = tab.depth[i], y = (flip ? rows - 1 - depth : depth) * ROW - top;
  if (y <= -ROW || y >= canvas.clientHeight) return;
  const hit = matches && matches[tab.name[i]];
  context.fillStyle = hit ? (isDark() ? "#a81d63" : "#ff8ac4") : colour(i, depth < tab.depth[tab.zoomed]);
  context.fillRect(x, y, Math.max(width - 0.5, 0.5), ROW - 1);
  boxes.push({ i, x, y, width });
  if (i === tab.selected) { context.strokeStyle = paint.accent; context.lineWidth = 2; context.strokeRect(x + 1, y + 1, Math.max(width - 2.5, 1), ROW - 3); }
  const text = label(i, width);
  if (text) { context.fillStyle = paint.text; context.fillText(text, x + 3, y + 13); }
}

function draw() {
  const rows = deepest() + 1;
  // A scroll bar comes and goes with the height.
  space.style.height = `${rows * ROW}px`;
  const width = drawnWidth(), height = onPaper ? rows * ROW : Math.min(rows * ROW, scroll.clientHeight), ratio = onPaper ? PAPER.ratio : devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = FONT;
  letter = context.measureText("m").width;
  const style = getComputedStyle(document.documentElement), value = (name) => style.getPropertyValue(name);
  const paint = onPaper ? PAPER.paint : { text: value("--text"), accent: value("--accent"), quiet: value("--quiet") };
  const top = onPaper ? 0 : scroll.scrollTop, zoomed = tab.zoomed;
  boxes = [];
  for (let i = tab.parent[zoomed]; i >= 0; i = tab.parent[i]) box(i, 0, width, top, paint, rows);
  const scale = tab.total[zoomed] > 0 ? width / tab.total[zoomed] : 0;
  // Where the next child of the node at each depth begins.
  const next = new Float64Array(tab.deepest + 2);
  let rest = null;
  const flush = () => {
    if (rest && rest.width >= TINY) {
      context.fillStyle = rest.hit ? (isDark() ? "#a81d63" : "#ff8ac4") : paint.quiet;
      context.globalAlpha = rest.hit ? 1 : 0.35;
      context.fillRect(rest.x, (flip ? rows - 1 - rest.depth : rest.depth) * ROW - top, rest.width, ROW - 1);
      context.globalAlpha = 1;
    }
    rest = null;
  };
  for (let i = zoomed; i < tab.end[zoomed];) {
    const depth = tab.depth[i], x = next[depth], wide = tab.total[i] * scale;
    next[depth] = x + wide;
    next[depth + 1] = x;
    if (wide >= TINY || i === zoomed) {
      flush();
      box(i, x, wide, top, paint, rows);
      i++;
    } else {
      // Neighbours too small to see become one.
      if (rest && rest.depth !== depth) flush();
      rest ||= { x, depth, width: 0, hit: false };
      rest.width = x + wide - rest.x;
      rest.hit ||= matches !== null && matches[tab.name[i]];
      i = tab.end[i];
    }
  }
  flush();
  showMatched();
}

/** How deep the drawing is: what is below the zoomed node, if it can be seen. */
function deepest() {
  const zoomed = tab.zoomed, least = TINY / drawnWidth() * tab.total[zoomed];
  let found = tab.depth[zoomed];
  for (let i = zoomed; i < tab.end[zoomed];) {
    if (tab.total[i] < least) { i = tab.end[i]; continue; }
    found = Math.max(found, tab.depth[i]);
    i++;
  }
  return found;
}

// ---- Methods -----------------------------------------------------------------

let order = "self";

/** Self and total of each method below the zoomed node; a recursive method counts once a stack. */
function methodsOf(owns, totals) {
  const own = new Map(), total = new Map(), open = new Map(), path = [];
  for (let i = tab.zoomed; i < tab.end[tab.zoomed]; i++) {
    while (path.length > 0 && i >= tab.end[path.at(-1)]) { const name = tab.name[path.pop()]; open.set(name, open.get(name) - 1); }
    const name = tab.name[i], within = open.get(name) || 0;
    if (within === 0) total.set(name, (total.get(name) || 0) + totals[i]);
    own.set(name, (own.get(name) || 0) + owns[i]);
    open.set(name, within + 1);
    path.push(i);
  }
  return { own, total };
}

function methods() {
  const { own, total } = methodsOf(tab.own, tab.total);
  const by = order === "self" ? own : total;
  own.delete(0);
  return [...own.keys()].sort((a, b) => by.get(b) - by.get(a) || (data.names[a] < data.names[b] ? -1 : 1)).slice(0, 25)
    .filter((name) => by.get(name) > 0).map((name) => [name, own.get(name), total.get(name)]);
}

/** The same of two that are compared: how much of all each method has more, those that have changed most first. */
function changes() {
  const found = methodsOf(tab.sides.own[0], tab.sides.total[0]), other = methodsOf(tab.sides.own[1], tab.sides.total[1]);
  const all = tab.sides.total.map((total) => total[0]);
  const grown = (which, name) => (all[1] > 0 ? (other[which].get(name) || 0) / all[1] : 0) - (all[0] > 0 ? (found[which].get(name) || 0) / all[0] : 0);
  const rows = [...new Set([...found.own.keys(), ...other.own.keys()])].filter((name) => name !== 0).map((name) => [name, grown("own", name), grown("total", name)]);
  const by = order === "self" ? 1 : 2;
  return rows.filter((row) => row[by] !== 0).sort((a, b) => Math.abs(b[by]) - Math.abs(a[by]) || (data.names[a[0]] < data.names[b[0]] ? -1 : 1)).slice(0, 25);
}

function list() {
  const rows = compared ? changes().map(([name, own, total]) => rowOf(name, [points(own), points(total)], "")) : methods().map(([name, own, total]) =>
    rowOf(name, [percent(own, tab.total[tab.zoomed]), percent(total, tab.total[tab.zoomed])], `self ${amount(own, tab.unit)}, total ${amount(total, tab.unit)}; `));
  byId("methods").replaceChildren(...rows);
  for (const button of document.querySelectorAll("[data-by]")) button.setAttribute("aria-pressed", String(button.dataset.by === order));
}

function rowOf(name, shares, says) {
  const row = document.createElement("tr");
  for (const text of [...shares, data.names[name]]) row.insertCell().textContent = text;
  row.cells[2].className = "name";
  row.title = `${says}click to search`;
  row.onclick = () => { byId("search").value = data.names[name]; search(data.names[name]); };
  return row;
}

// ---- What people do ----------------------------------------------------------

function zoom(i) {
  tab.zoomed = i;
  draw();
  list();
  tell(i);
}

function tell(i) {
  byId("status").textContent = i < 0 ? "" : describe(i).join(" · ");
}

function reset() {
  byId("search").value = "";
  matches = null;
  byId("search").removeAttribute("aria-invalid");
  tab.selected = -1;
  byId("tip").hidden = true;
  zoom(0);
}

function choose(number) {
  tab = tabs[number];
  colours.clear();
  [...byId("tabs").children].forEach((button, at) => button.setAttribute("aria-selected", String(at === number)));
  scroll.scrollTop = flip ? scroll.scrollHeight : 0;
  zoom(tab.zoomed);
}

function turn() {
  flip = !flip;
  byId("flip").setAttribute("aria-pressed", String(flip));
  draw();
  scroll.scrollTop = flip ? scroll.scrollHeight : 0;
  draw();
}

function under(event) {
  const place = canvas.getBoundingClientRect(), x = event.clientX - place.left, y = event.clientY - place.top;
  return boxes.findLast((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + ROW)?.i ?? -1;
}

function point(event) {
  const i = under(event), tip = byId("tip");
  tip.hidden = i < 0;
  if (i < 0) return;
  const [name, ...lines] = describe(i), title = document.createElement("b");
  title.textContent = name;
  tip.replaceChildren(title, lines.join("\n"));
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${event.clientY + 18 + height > innerHeight ? Math.max(4, event.clientY - height - 12) : event.clientY + 18}px`;
  tell(i);
}

/** The arrow keys: to the caller, to the heaviest callee, to the neighbours. */
function step(key) {
  const at = tab.selected < 0 ? tab.zoomed : tab.selected, callees = (i) => { const found = []; for (let k = i + 1; k < tab.end[i]; k = tab.end[k]) if (tab.total[k] > 0) found.push(k); return found; };
  const out = flip ? "ArrowUp" : "ArrowDown", back = flip ? "ArrowDown" : "ArrowUp";
  let to = at;
  if (tab.selected < 0) to = at;
  else if (key === out) to = callees(at).reduce((best, k) => best < 0 || tab.total[k] > tab.total[best] ? k : best, -1);
  else if (key === back) to = tab.parent[at];
  else if (tab.parent[at] >= 0) { const beside = callees(tab.parent[at]); to = beside[beside.indexOf(at) + (key === "ArrowLeft" ? -1 : 1)] ?? at; }
  if (to < 0) to = at;
  tab.selected = to;
  // What is not below the zoomed node cannot be seen: zoom out as far as needed.
  let seen = tab.zoomed;
  while (seen > 0 && !(to >= seen && to < tab.end[seen])) seen = tab.parent[seen];
  if (key !== back && seen !== tab.zoomed) { tab.zoomed = seen; list(); }
  draw();
  const row = (flip ? deepest() - tab.depth[to] : tab.depth[to]) * ROW;
  if (row < scroll.scrollTop) scroll.scrollTop = row;
  if (row + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = row + ROW - scroll.clientHeight;
  tell(to);
}

function key(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const typing = event.target === byId("search");
  if (event.key === "Escape") { reset(); if (typing) event.target.blur(); return; }
  if (typing) return;
  if (event.key === "/") byId("search").focus();
  else if (event.key === "f") turn();
  else if (event.key === "Backspace") zoom(Math.max(0, tab.parent[tab.zoomed]));
  else if (/^[1-9]$/.test(event.key) && tabs[event.key - 1]) choose(event.key - 1);
  else if (event.target === scroll && event.key.startsWith("Arrow")) step(event.key);
  else if (event.target === scroll && event.key === "Enter" && tab.selected >= 0) zoom(tab.selected);
  else return;
  event.preventDefault();
}

const label_of = (one) => (compared ? `${one.title}: ${[0, 1].map((side) => amount(one.sides.total[side][0], one.unit)).join(" → ")}` : `${one.title}: ${amount(one.total[0], one.unit)}`);

/** Counts only what is of the chosen host and process; the zoom stays. */
function filter() {
  const host = byId("host").value, process = byId("process").value;
  const whose = data.head.processes.map((one, number) => (host === "" || one.host === host) && (process === "" || String(number) === process));
  counted = whose.every(Boolean) ? null : whose;
  const at = tabs.indexOf(tab);
  tabs.forEach((one, number) => {
    const { zoomed, selected } = one;
    Object.assign(one, weigh(one.grown, one.weight), { zoomed, selected });
    byId("tabs").children[number].textContent = label_of(one);
  });
  choose(at);
}

/** What there is to choose from, and how much each has: the heaviest first. */
function offer() {
  const processes = data.head.processes || [];
  if (processes.length < 2) return;
  const first = data.trees[0]?.weights[0];
  const weights = processes.map((_, number) => { let sum = 0; const part = first?.parts?.[number] || []; for (let k = 1; k < part.length; k += 2) sum += part[k]; return sum; });
  const option = (box, value, text) => { const one = document.createElement("option"); one.value = value; one.textContent = text; box.append(one); };
  const hosts = [...new Set(processes.map((one) => one.host))].filter((host) => host !== "").sort();
  option(byId("host"), "", `All ${hosts.length} hosts`);
  for (const host of hosts) option(byId("host"), host, host);
  byId("host").hidden = hosts.length < 2;
  option(byId("process"), "", compared ? "Before and after" : `All ${group(processes.length)} processes`);
  const order = [...processes.keys()].sort((a, b) => (compared ? 0 : weights[b] - weights[a]) || a - b);
  for (const number of order) option(byId("process"), String(number), `${processes[number].name}${processes[number].host ? ` on ${processes[number].host}` : ""}: ${amount(weights[number], first.unit)}`);
  byId("process").hidden = false;
  byId("host").onchange = () => { byId("process").value = ""; filter(); };
  byId("process").onchange = () => { const one = processes[byId("process").value]; if (one) byId("host").value = byId("host").hidden ? "" : one.host; filter(); };
}

tabs.forEach((one, number) => {
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("role", "tab");
  button.textContent = label_of(one);
  button.onclick = () => choose(number);
  byId("tabs").append(button);
});
/** To people, of a page that shows something. */
function listen() {
  byId("bar").onsubmit = (event) => event.preventDefault();
  byId("search").oninput = (event) => search(event.target.value);
  byId("reset").onclick = reset;
  byId("flip").onclick = turn;
  for (const button of document.querySelectorAll("[data-by]")) button.onclick = () => { order = button.dataset.by; list(); };
  canvas.onmousemove = point;
  canvas.onmouseleave = () => { byId("tip").hidden = true; };
  canvas.onclick = (event) => { const i = under(event); if (i >= 0) zoom(i); };
  scroll.onscroll = draw;
  addEventListener("resize", draw);
  addEventListener("keydown", key);
  const recolour = () => { colours.clear(); draw(); };
  dark.addEventListener("change", recolour);
  addEventListener("beforeprint", () => { onPaper = true; recolour(); });
  addEventListener("afterprint", () => { onPaper = false; recolour(); });
}

byId("taken").textContent = new Date(data.taken).toLocaleString();
if (data.head.program !== "") {
  byId("program").textContent = data.head.program;
}
for (const [name, value] of [...data.head.facts, ...(data.head.started > 0 ? [["Started", new Date(data.head.started).toLocaleString()]] : [])]) {
  byId("about").hidden = false;
  byId("facts").appendChild(document.createElement("dt")).textContent = name;
  byId("facts").appendChild(document.createElement("dd")).textContent = value;
}
for (const note of data.notes) {
  byId("notes").hidden = false;
  byId("notes").appendChild(document.createElement("li")).textContent = note;
}
for (const [method, calls] of data.leftOut ?? []) {
  byId("left-out").hidden = false;
  const row = byId("left-out").querySelector("tbody").insertRow();
  row.insertCell().textContent = group(calls);
  row.insertCell().textContent = method;
  row.lastChild.className = "name";
}
if (data.cut > 0) {
  byId("cut").hidden = false;
  byId("cut").textContent = `${group(data.cut)} stacks have ${data.depth} frames, as many as were asked for, and may not begin at the root: depth=${2 * data.depth} would show more of them.`;
}
if (tabs.length > 0) {
  listen();
  offer();
  choose(0);
} else {
  for (const id of ["bar", "scroll", "hot", "how"]) byId(id).hidden = true;
  byId("status").textContent = "The profile is empty: nothing was asked for that a flame graph can show.";
}
})();
