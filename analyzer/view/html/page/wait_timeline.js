// SPDX-License-Identifier: BSD-3-Clause
// A wait over time: calls of the processes, waits, and messages. The timeline can be zoomed.
import {el, svg} from "./dom.js";
import {counted, durationText} from "./numbers.js";

const kWidth = 1160, kLeft = 128, kRight = 14, kTop = 6, kLane = 34, kBar = 22;
const kLetter = 6.4;  // width of a letter in a bar

// True if the page can draw this timeline.
export function isTimeline(timeline) {
  const rows = (list, length) =>
      Array.isArray(list) && list.every((row) => Array.isArray(row) && row.length >= length);
  return timeline && timeline.to > timeline.from && Array.isArray(timeline.lanes) &&
      timeline.lanes.length > 0 &&
      timeline.lanes.every((lane) => rows(lane.calls, 4) && rows(lane.waits, 4)) &&
      rows(timeline.messages, 6);
}

// Positions of marks on an axis: round numbers, about `wanted` of them in [from, to].
export function roundMarks(from, to, wanted) {
  const rough = (to - from) / wanted, size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * size).find((one) => one >= rough);
  const marks = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i) marks.push(i === 0 ? 0 : i * step);
  return marks;
}

// If a wait has a thread, it is for a thread of the same rank.
const waitedFor = ([, , , rank, thread]) =>
    thread === undefined ? `rank ${rank}` : `thread ${thread}`;

export class WaitTimeline {
  // zoom: "" or "100-200", in nanoseconds from the begin of the timeline; onZoom(zoom) is called
  // when the user zooms or moves.
  constructor(report, {instance, display, single, zoom = "", onZoom = () => {}}) {
    this.report = report;
    this.onZoom = onZoom;
    this.timeline = instance.timeline;
    this.instance = instance;
    this.single = single;  // longest wait in it; undefined: unknown
    this.display = display;
    this.all = [0, (this.timeline.to - this.timeline.from) * 1e9];
    this.range = this.all;
    // Zero is the time at which the waiting rank began to wait, so that small times can be read.
    this.zero = (instance.enter - this.timeline.from) * 1e9;
    this.at = null;  // {lane, call} chosen by keyboard
    const {lanes} = this.timeline;
    this.height = kTop + lanes.length * kLane + 24;
    this.picture = svg("svg", {
      class: "wait-timeline",
      viewBox: `0 0 ${kWidth} ${this.height}`,
      tabindex: "0",
      role: "application",
      "aria-label": this.summary(),
      "aria-keyshortcuts": "+ - 0 ArrowLeft ArrowRight ArrowUp ArrowDown , ."
    });
    this.info = el("p", {class: "info", "aria-live": "polite"}, kHint);
    const button = (text, title, action) =>
        el("button", {type: "button", title, onclick: action}, text);
    this.element =
        el("figure", {class: "one-wait"},
           el("figcaption", {}, this.caption(),
              el("span", {class: "zoom"}, button("−", "Zoom out ( − )", () => this.zoom(2)),
                 button("+", "Zoom in ( + )", () => this.zoom(0.5)),
                 button("←", "Earlier ( ← )", () => this.move(-0.25)),
                 button("→", "Later ( → )", () => this.move(0.25)),
                 button("all", "All of it ( 0 )", () => this.show(this.all)))),
           this.picture, this.info);
    this.listen();
    this.setZoom(zoom);
  }

  // Zooms without calling onZoom().
  setZoom(text) {
    const [from, to] = text.split("-").map(Number);
    this.setRange(to > from ? [from, to] : this.all);
  }

  // True for the lane that waits, or that is waited for. If threads wait for each other, both lanes
  // have the same rank.
  waits({rank, thread}) {
    return rank === this.instance.rank && (this.instance.thread ?? thread) === thread;
  }
  isWaitedFor({rank, thread}) {
    const {cause_rank: cause, cause_thread: causeThread} = this.instance;
    return rank === cause && (causeThread ?? thread) === thread;
  }
  waiting() {
    const {rank, thread} = this.instance;
    return thread === undefined ? `rank ${rank}` : `thread ${thread} of rank ${rank}`;
  }
  // "rank 3", or "thread 1" of the same rank.
  cause() {
    const {cause_rank: cause, cause_thread: thread} = this.instance;
    return thread === undefined ? `rank ${cause}` : `thread ${thread}`;
  }

  laneName({rank, thread}) {
    return `rank ${rank}` + (thread ? `, thread ${thread}` : "");
  }
  text(time) {
    return durationText((time - this.zero) / 1e9);
  }
  isMpi(path) {
    return this.report.program.regions.paradigm[this.report.program.call_paths.region[path]] ===
        "mpi";
  }
  metricName(name) {
    return this.report.metrics[this.report.metricIndex(name)]?.display ?? name;
  }

  summary() {
    const {cause_rank: cause} = this.instance;
    const forWhom = cause === undefined ? "" : ` for ${this.cause()}`;
    const lanes = counted(this.timeline.lanes.length, "lane");
    const length = this.single === undefined ? "" : ` of ${durationText(this.single)}`;
    return `${this.display}${length} over time: ${this.waiting()} waits${forWhom}. ` +
        `${lanes}; arrows move, plus and minus zoom, up and down choose a lane, ` +
        "comma and point a call.";
  }

  caption() {
    const {cause_rank: cause, cause_call_path: path, enter} = this.instance;
    const known = path >= 0 && path < this.report.callTree.size;
    return el(
        "span", {}, el("b", {}, this.waiting()), " waits",
        cause === undefined ? "" : [" for ", el("b", {}, this.cause())],
        cause !== undefined && known ?
            [
              ", which was mostly in ",
              el("code", {title: this.report.callPathText(path)}, this.report.regionName(path))
            ] :
            "",
        this.causeWaits(),
        el("small", {}, ` · 0 is ${durationText(enter)} after the begin of the run`));
  }

  // Says so if the process that was waited for itself waited for a good part of that time: this is
  // where to look next.
  causeWaits() {
    const {lanes} = this.timeline;
    const {cause_rank: cause, cause_thread: thread, seconds} = this.instance;
    const single = this.single ?? seconds;
    const [begin, length] = lanes.find((one) => this.waits(one))
                                ?.waits.find((wait) => wait[3] === cause && wait[4] === thread) ??
        [this.zero, single * 1e9];
    const parts =
        (lanes.find((one) => this.isWaitedFor(one))?.waits ??
         []).map((wait) => ({
                   wait,
                   part: Math.min(begin + length, wait[0] + wait[1]) - Math.max(begin, wait[0])
                 }));
    const longest = parts
                        .reduce(
                            (best, one) => (one.part > best.part ? one : best),
                            {part: 0.2 * length, wait: null})
                        .wait;
    if (!longest) return "";
    return [
      " and waited itself", longest[3] >= 0 ? [" for ", el("b", {}, waitedFor(longest))] : "",
      ` (${this.metricName(longest[2])})`
    ].flat();
  }

  show(range) {
    this.setRange(range);
    const [from, to] = this.range.map(Math.round), [low, high] = this.all;
    this.onZoom(this.range[0] === low && this.range[1] === high ? "" : `${from}-${to}`);
  }

  setRange([from, to]) {
    const [low, high] = this.all;
    const length = Math.min(Math.max(to - from, 20), high - low);
    const begin = Math.min(Math.max(from, low), high - length);
    this.range = [begin, begin + length];
    this.draw();
  }

  // Zooms by a factor. The time at `part` of the picture stays at its place.
  zoom(factor, part = 0.5) {
    const [from, to] = this.range, fixed = from + part * (to - from), length = factor * (to - from);
    this.show([fixed - part * length, fixed + (1 - part) * length]);
  }
  move(part) {
    const [from, to] = this.range, by = part * (to - from);
    this.show([from + by, to + by]);
  }

  x(time) {
    return kLeft +
        (kWidth - kLeft - kRight) * (time - this.range[0]) / (this.range[1] - this.range[0]);
  }
  // The part of the picture where a mouse event happened, from 0 to 1.
  partOf(event) {
    const box = this.picture.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * kWidth;
    return Math.min(Math.max((x - kLeft) / (kWidth - kLeft - kRight), 0), 1);
  }
  timeOf(part) {
    return this.range[0] + part * (this.range[1] - this.range[0]);
  }

  draw() {
    const {timeline, picture} = this;
    const [from, to] = this.range, bottom = this.height - 24;
    picture.replaceChildren(kDefinitions());
    for (const mark of roundMarks(from - this.zero, to - this.zero, 7)) {
      const x = this.x(mark + this.zero);
      picture.append(svg("line", {x1: x, x2: x, y1: kTop, y2: bottom, class: "grid"}));
      if (x < kWidth - 30)
        picture.append(
            svg("text", {x, y: this.height - 8, class: "middle"},
                durationText(mark / 1e9).replace(/(\.\d*?)0+ /, "$1 ").replace(". ", " ")));
    }
    timeline.lanes.forEach((lane, i) => this.drawLane(lane, i));
    timeline.messages.forEach((message) => this.drawMessage(message));
  }

  drawLane(lane, i) {
    const y = kTop + i * kLane + 4;
    const role = this.waits(lane) ? "waits" : this.isWaitedFor(lane) ? "waited for" : "";
    this.picture.append(
        svg("text", {x: kLeft - 8, y: y + (role ? 9 : 15), class: "lane" + (role ? " role" : "")},
            this.laneName(lane)));
    if (role)
      this.picture.append(svg("text", {x: kLeft - 8, y: y + 22, class: "lane note-text"}, role));
    lane.calls.forEach((call, c) => {
      const [begin, length, path] = call;
      const place = this.bar(begin, length, y, this.isMpi(path) ? "call" : "work");
      if (!place) return;
      const at = this.at?.lane === i && this.at.call === c;
      if (at) place.rect.classList.add("picked");
      place.rect.append(svg("title", {}, this.callText(lane, call)));
      place.rect.dataset.lane = i;
      place.rect.dataset.call = c;
      this.label(
          this.freePart(place, lane.waits), y, path < 0 ? "" : this.report.regionName(path),
          this.isMpi(path) ? "on-call" : "on-work");
    });
    for (const wait of lane.waits) {
      const place = this.bar(wait[0], wait[1], y, "wait");
      if (!place) continue;
      place.rect.append(svg("title", {}, this.waitText(lane, wait)));
      place.rect.dataset.wait = this.waitText(lane, wait);
      this.label(place, y, this.metricName(wait[2]), "on-wait");
    }
  }

  // Draws the visible part of a time; returns null if there is none.
  bar(begin, length, y, kind) {
    const from = Math.max(begin, this.range[0]), to = Math.min(begin + length, this.range[1]);
    if (to <= from) return null;
    const x = this.x(from), width = Math.max(this.x(to) - x, 0.7);
    const rect = svg("rect", {x, y, width, height: kBar, class: kind});
    this.picture.append(rect);
    return {x, width, rect};
  }
  // The longest part of a bar that no wait covers.
  freePart({x, width}, waits) {
    const edges = waits.map(([begin, length]) => [this.x(begin), this.x(begin + length)])
                      .filter(([low, high]) => high > x && low < x + width);
    let best = {x, width: 0}, at = x;
    for (const [low, high] of [...edges.sort((a, b) => a[0] - b[0]), [x + width, x + width]]) {
      if (low - at > best.width) best = {x: at, width: low - at};
      at = Math.max(at, high);
    }
    return best;
  }
  label({x, width}, y, text, kind) {
    const letters = Math.floor((width - 6) / kLetter);
    if (letters < 3 || !text) return;
    const shown = text.length <= letters ? text : text.slice(0, letters - 1) + "…";
    this.picture.append(svg("text", {x: x + width / 2, y: y + 15, class: kind}, shown));
  }

  drawMessage([fromLane, sent, toLane, received, bytes, tag]) {
    if (received < this.range[0] || sent > this.range[1]) return;
    const {lanes} = this.timeline;
    if (!lanes[fromLane] || !lanes[toLane] || fromLane === toLane) return;
    const down = toLane > fromLane;
    const edge = (lane, low) => kTop + lane * kLane + 4 + (low ? kBar : 0);
    const text = `message from ${this.laneName(lanes[fromLane])} to ${
                     this.laneName(lanes[toLane])}: ${bytes} bytes, tag ${tag}, ` +
        `sent at ${this.text(sent)}, received at ${this.text(received)}`;
    // The line is cut at the border, where it would leave the picture.
    const y = (time) => edge(fromLane, down) +
        (edge(toLane, !down) - edge(fromLane, down)) *
            (received > sent      ? (time - sent) / (received - sent) :
                 time >= received ? 1 :
                                    0);
    const first = Math.max(Math.min(sent, received), this.range[0]),
          last = Math.min(Math.max(sent, received), this.range[1]);
    const ends = received >= sent ? [first, last] : [last, first];
    const line =
        svg("line", {
          x1: this.x(ends[0]),
          y1: y(ends[0]),
          x2: this.x(ends[1]),
          y2: received >= sent ? y(ends[1]) : edge(toLane, !down),
          class: "arrow",
          "marker-end": received <= this.range[1] ? "url(#message-tip)" : null
        },
            svg("title", {}, text));
    line.dataset.wait = text;
    this.picture.append(line);
  }

  callText(lane, [begin, length, path, changes]) {
    const where =
        path >= 0 && path < this.report.callTree.size ? this.report.callPathText(path) : "unknown";
    return `${this.laneName(lane)}: ${where}` +
        (changes > 1 ? ` and ${changes} short calls in it` : "") +
        `, ${durationText(length / 1e9)} from ${this.text(begin)} to ${this.text(begin + length)}`;
  }
  waitText(lane, wait) {
    const [begin, length, metric, cause] = wait;
    return `${this.laneName(lane)}: ${this.metricName(metric)}, ${
               durationText(
                   length / 1e9)} from ${this.text(begin)} to ${this.text(begin + length)}` +
        (cause >= 0 ? `, for ${waitedFor(wait)}` : "");
  }

  listen() {
    const {picture, info} = this;
    let start = -1;  // part of the picture where the button was pressed
    const mark = svg("rect", {class: "marked", y: kTop, height: this.height - 24 - kTop});
    picture.addEventListener("mousemove", (event) => {
      const {lane, call, wait} = event.target.dataset;
      if (wait)
        info.textContent = wait;
      else if (call)
        info.textContent =
            this.callText(this.timeline.lanes[lane], this.timeline.lanes[lane].calls[call]);
      if (start < 0) return;
      const ends = [start, this.partOf(event)]
                       .sort((a, b) => a - b)
                       .map((part) => kLeft + part * (kWidth - kLeft - kRight));
      mark.setAttribute("x", ends[0]);
      mark.setAttribute("width", ends[1] - ends[0]);
      picture.append(mark);
    });
    picture.addEventListener("mousedown", (event) => {
      if (event.button !== 0) return;
      start = this.partOf(event);
      event.preventDefault();
      picture.focus({preventScroll: true});
      addEventListener("mouseup", (up) => {
        const end = this.partOf(up), [low, high] = [start, end].sort((a, b) => a - b);
        start = -1;
        mark.remove();
        if (high - low > 0.005) this.show([this.timeOf(low), this.timeOf(high)]);
      }, {once: true});
    });
    picture.addEventListener("dblclick", () => this.show(this.all));
    // The wheel without Ctrl scrolls the page.
    picture.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.partOf(event));
    }, {passive: false});
    picture.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      "0": () => this.show(this.all),
      ArrowLeft: () => this.move(-0.25),
      ArrowRight: () => this.move(0.25),
      Home: () => this.show(this.all),
      ArrowUp: () => this.pick(-1, 0),
      ArrowDown: () => this.pick(1, 0),
      ",": () => this.pick(0, -1),
      ".": () => this.pick(0, 1),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();  // digits choose views elsewhere
    keys[event.key]();
  }

  // Moves the choice of the keyboard to another lane, or to the previous or next call.
  pick(lanes, calls) {
    const {lanes: list} = this.timeline;
    const before =
        this.at ?? {lane: Math.max(0, list.findIndex((one) => this.waits(one))), call: -1};
    const lane =
        this.at ? Math.min(Math.max(before.lane + lanes, 0), list.length - 1) : before.lane;
    const all = list[lane].calls;
    if (all.length === 0) return;
    const middle = this.at && lanes === 0 ? null :
        this.at                           ? list[before.lane].calls[before.call][0] :
                                            this.zero;
    const call = middle === null ? Math.min(Math.max(before.call + calls, 0), all.length - 1) :
                                   Math.max(0, all.findLastIndex(([begin]) => begin <= middle));
    this.at = {lane, call};
    const [begin, length] = all[call];
    const [from, to] = this.range;
    if (begin + length < from || begin > to)
      this.show([begin + length / 2 - (to - from) / 2, begin + length / 2 + (to - from) / 2]);
    else
      this.draw();
    const waits =
        list[lane].waits.filter((wait) => wait[0] < begin + length && wait[0] + wait[1] > begin);
    this.info.textContent = [
      this.callText(list[lane], all[call]), ...waits.map((wait) => this.waitText(list[lane], wait))
    ].join("; ");
  }
}

const kHint = "Drag over a part to see it larger, Ctrl and wheel to zoom; " +
    "keys: + − zoom, ← → move, 0 all, ↑ ↓ choose a process, , and . a call.";

const kDefinitions = () =>
    svg("defs", {},
        svg("pattern", {
          id: "wait-hatch",
          width: 6,
          height: 6,
          patternUnits: "userSpaceOnUse",
          patternTransform: "rotate(45)"
        },
            svg("rect", {width: 6, height: 6, class: "wait-back"}),
            svg("line", {x1: 0, y1: 0, x2: 0, y2: 6, class: "wait-line"})),
        svg("marker", {
          id: "message-tip",
          viewBox: "0 0 8 8",
          refX: 7,
          refY: 4,
          markerWidth: 6,
          markerHeight: 6,
          orient: "auto"
        },
            svg("path", {d: "M0 0 L8 4 L0 8 Z", class: "tip"})));
