// SPDX-License-Identifier: BSD-3-Clause
// The worst single waits of each wait state: as a list, over time, and the distribution of all
// waits.
import {boxPlot} from "./box_plot.js";
import {el} from "./dom.js";
import {counted, durationText, fourDigits} from "./numbers.js";
import {link} from "./overview.js";
import {isTogether, rankCount, singleWait} from "./single_waits.js";
import {isTimeline, WaitTimeline} from "./wait_timeline.js";

export function hasInstances(report) {
  return Object.values(report.statistics ?? {}).some((one) => one.count > 0);
}

export class Instances {
  constructor(report, state) {
    const found =
        report.metrics.filter((metric) => report.statistics[metric.name]?.count > 0)
            .sort((a, b) => report.statistics[b.name].sum - report.statistics[a.name].sum);
    this.state = state;
    this.blocks = new Map(
        found.map((metric) => [metric.name, new Block(report, state, metric, (key, zoom) => {
                                 // It is already visible, so refresh() must not scroll.
                                 Object.assign(this, {shown: key, shownZoom: zoom});
                                 state.set({instance: key, zoom});
                               })]));
    this.element =
        el("div", {class: "instances"},
           el("p", {class: "lead"},
              "Single waits, longest first; a click on one shows it over time. " +
                  "Of collective operations the whole ones, those first in which all ranks " +
                  "together waited most: from the first to enter to the last to leave, with " +
                  "the longest single wait and its rank."),
           [...this.blocks.values()].map((block) => block.element));
    state.listen((changed) => (changed.has("instance") || changed.has("zoom")) && this.refresh());
  }

  // Draws all pictures, for printing.
  drawAll() {
    for (const block of this.blocks.values()) block.draw();
  }

  // Shows the chosen instance; "mpi_latesender:2" is the second worst one. Scrolls there if the
  // choice was made elsewhere.
  refresh() {
    const [metric, number] = this.state.instance.split(":");
    const block = this.blocks.get(metric);
    const isShown = this.shown === this.state.instance;
    if (!block || (isShown && this.shownZoom === this.state.zoom)) return;
    this.shown = this.state.instance;
    this.shownZoom = this.state.zoom;
    block.choose(Number(number) - 1);
    block.setZoom(this.state.zoom);
    if (!isShown) block.element.scrollIntoView({block: "start"});
  }
}

// "3"; "3, thread 1" if threads wait for each other.
const who = (rank, thread) =>
    rank === undefined ? "" : String(rank) + (thread === undefined ? "" : `, thread ${thread}`);

class Block {
  constructor(report, state, metric, onPick) {
    Object.assign(this, {report, state, metric, onPick});
    const one = report.statistics[metric.name];
    this.worst = one.worst ?? [];
    this.place = el("div", {class: "over-time"});
    this.statistics = one;
    this.together = this.worst.some((instance) => isTogether(one, instance));
    const head = [
      "#", ...(this.together ? ["all waited", "longest wait"] : ["waited"]), "from", "to", "rank",
      "call path", "waited for", "which was mostly in"
    ];
    const words = ["call path", "which was mostly in"];
    this.rows = this.worst.map((instance, i) => this.row(instance, i));
    this.element =
        el("section", {"data-metric": metric.name},
           el("h2", {}, metric.display, " ",
              el("small", {},
                 `${counted(one.count, "wait")}, ${durationText(one.sum)} together, mean ${
                     durationText(one.mean)}, longest ${durationText(one.maximum)}`)),
           el("div", {class: "beside"},
              el("table", {class: "list"},
                 el("thead", {},
                    el("tr", {},
                       head.map(
                           (text) =>
                               el("th", {scope: "col", class: words.includes(text) ? "" : "number"},
                                  text)))),
                 el("tbody", {}, this.rows)),
              boxPlot([{label: "waits", ...one}], durationText, {width: 300, left: 44})),
           this.worst.some(({timeline}) => isTimeline(timeline)) ? this.place : null);
    this.choose(0);
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      this.draw();
    }, {rootMargin: "600px"});
    watcher.observe(this.element);
  }

  row(instance, i) {
    const {report, state, metric} = this;
    const number = (text) => el("td", {class: "number"}, text);
    const path = (index, rank) =>
        el("td", {class: "path"},
           index >= 0 && index < report.callTree.size ?
               link(
                   state, {
                     metric: metric.name,
                     metricOwn: "",
                     path: String(index),
                     pathOwn: "",
                     place: "p" + report.system.processes.rank.indexOf(rank)
                   },
                   report.callPathText(index)) :
               "");
    const cause = instance.cause_call_path;
    const single = singleWait(this.statistics, instance);
    const pick = () => this.pick(i);
    return el(
        "tr", {onclick: (event) => event.target.closest("a") || pick()},
        el("td", {class: "number"},
           isTimeline(instance.timeline) ? el("button", {
             type: "button",
             class: "pick",
             title: "Show it over time",
             onclick: (event) => {
               event.stopPropagation();
               pick();
             }
           },
                                              String(i + 1)) :
                                           String(i + 1)),
        number(durationText(instance.seconds)),
        this.together ? el("td", {class: "number", title: `${rankCount(instance)} waited`},
                           single === undefined ? "" : durationText(single)) :
                        null,
        number(fourDigits(instance.enter) + " s"), number(fourDigits(instance.exit) + " s"),
        number(who(instance.rank, instance.thread)), path(instance.call_path, instance.rank),
        number(who(instance.cause_rank, instance.cause_thread)),
        el("td", {class: "path"},
           cause >= 0 && cause < report.callTree.size ?
               el("span", {title: report.callPathText(cause)}, report.callPathText(cause)) :
               ""));
  }

  pick(i) {
    if (this.choose(i)) this.onPick(`${this.metric.name}:${i + 1}`, "");
  }

  // Chooses an instance; returns false if there is nothing new to draw.
  choose(i) {
    const instance = this.worst[i];
    if (!instance || i === this.chosen || !isTimeline(instance.timeline)) return false;
    this.chosen = i;
    this.rows.forEach((row, k) => {
      row.classList.toggle("chosen", k === i);
      row.querySelector(".pick")?.setAttribute("aria-pressed", String(k === i));
    });
    this.drawn = false;
    this.zoom = "";
    this.timeline = null;
    if (this.near) this.draw();
    return true;
  }

  // Pictures are drawn when they come near the visible part, because there may be many.
  draw() {
    this.near = true;
    if (this.drawn || this.chosen === undefined) return;
    this.drawn = true;
    this.timeline = new WaitTimeline(this.report, {
      instance: this.worst[this.chosen],
      display: this.metric.display,
      single: singleWait(this.statistics, this.worst[this.chosen]),
      zoom: this.zoom,
      onZoom: (zoom) => {
        this.zoom = zoom;
        this.onPick(`${this.metric.name}:${this.chosen + 1}`, zoom);
      }
    });
    this.place.replaceChildren(this.timeline.element);
  }

  setZoom(zoom) {
    this.zoom = zoom;
    this.timeline?.setZoom(zoom);
  }
}
