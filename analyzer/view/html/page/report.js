// SPDX-License-Identifier: BSD-3-Clause
// The report in memory: definitions at once, values of a metric when somebody asks for them.
import {Tree} from "./tree.js";
import {unpackRows} from "./unpack.js";

export class Report {
  // `load(m)` gives the bytes of the values of metric m, or null if they are all zero.
  constructor(data, load) {
    Object.assign(this, data);
    this.load = load;
    this.rows = new Map();
    this.metricTree = new Tree(this.metrics.map((metric) => metric.parent));
    this.callTree = new Tree(this.program.call_paths.parent);
    this.locationCount = this.system.locations.process.length;
    this.parts = this.metrics.map((metric) => metric.part);
    this.metricTotals =
        this.metricTree.inclusive(this.metrics.map((metric) => metric.total), this.parts);
    this.systemTree = systemTree(this.system);
  }

  // What is 100 % of a metric: the root of its tree, of a difference in the first report.
  wholeOf(metric) {
    const root = this.metricRoot(metric);
    const before =
        this.comparison?.totals.find((total) => total.metric === this.metrics[root].name)?.before;
    return this.difference ? before ?? Math.abs(this.metricTotals[root]) : this.metricTotals[root];
  }

  // Whether there is anything that trees could show.
  get hasTrees() {
    return this.metrics.length > 0 && this.callTree.size > 0 && this.locationCount > 0;
  }

  metricIndex(name) {
    return this.metrics.findIndex((metric) => metric.name === name);
  }

  // The metric and the parts of it: their own values add up to its value.
  metricParts(metric) {
    const found = [metric];
    for (let i = 0; i < found.length; ++i) {
      found.push(...this.metricTree.children[found[i]].filter((child) => this.parts[child]));
    }
    return found;
  }

  // The metric that is 100 % for this one.
  metricRoot(metric) {
    while (this.parts[metric]) metric = this.metrics[metric].parent;
    return metric;
  }

  async need(metrics) {
    await Promise.all(metrics.map(async (metric) => {
      if (this.rows.has(metric)) return;
      const bytes = await this.load(metric);
      this.rows.set(metric, bytes ? unpackRows(bytes, this.locationCount) : []);
    }));
  }

  // Sum of the metrics for each call path. need() first.
  byCallPath(metrics) {
    const sums = new Float64Array(this.callTree.size);
    for (const metric of metrics) {
      for (const row of this.rows.get(metric)) sums[row.path] += row.total;
    }
    return sums;
  }

  // Sum of the metrics over the call paths that are marked, for each location. need() first.
  byLocation(metrics, marked) {
    const sums = new Float64Array(this.locationCount);
    for (const metric of metrics) {
      for (const {path, columns, values} of this.rows.get(metric)) {
        if (!marked[path]) continue;
        if (columns) {
          for (let i = 0; i < values.length; ++i) sums[columns[i]] += values[i];
        } else {
          for (let i = 0; i < values.length; ++i) sums[i] += values[i];
        }
      }
    }
    return sums;
  }

  regionName(path) {
    return this.program.regions.short[this.program.call_paths.region[path]];
  }

  callPathText(path) {
    const names = this.callTree.path(path).map((node) => this.regionName(node));
    if (names.length > 1 && names[0] === this.summary.program.name) names.shift();
    return names.join(" > ");
  }
}

// System nodes, then processes, then the threads of processes with several of them, as one tree.
// processNode, locationNode: the node of a process, and of a location.
function systemTree({nodes, processes, locations}) {
  const parents = [...nodes.parent];
  const names = [...nodes.name];
  const kinds = [...nodes.class];
  const keys = nodes.name.map((name, i) => "n" + i);
  const add = (parent, name, kind, key) => {
    parents.push(parent);
    names.push(name);
    kinds.push(kind);
    keys.push(key);
    return parents.length - 1;
  };
  const threads = processes.name.map(() => 0);
  for (const process of locations.process) ++threads[process];
  const processNode =
      processes.name.map((name, p) => add(processes.node[p], name, "process", "p" + p));
  const locationNode = locations.process.map(
      (process, l) => threads[process] === 1 ?
          processNode[process] :
          add(processNode[process], locations.name[l], "thread", "l" + l));
  const tree = new Tree(parents);
  return Object.assign(tree, {names, kinds, keys, processNode, locationNode});
}
