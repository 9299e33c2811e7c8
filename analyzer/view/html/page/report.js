// SPDX-License-Identifier: BSD-3-Clause
// The report in memory: definitions at once, the values of a metric on demand.
import {Tree} from "./tree.js";
import {unpackRows} from "./unpack.js";
import {ValueTable} from "./value_table.js";

export class Report {
  // `load(m)` returns the bytes of the values of metric m, or null if all are zero.
  constructor(data, load) {
    Object.assign(this, data);
    this.load = load;
    this.rows = new Map();
    this.tables = new Map();  // values of metrics that cannot be summed
    this.difference ??= false;
    this.callTree = new Tree(this.program.call_paths.parent);
    for (const ratio of this.comparison?.ratios ?? []) this.addRatio(ratio);
    this.metricTree = new Tree(this.metrics.map((metric) => metric.parent));
    this.locationCount = this.system.locations.process.length;
    this.parts = this.metrics.map((metric) => metric.part);
    this.metricTotals =
        this.metricTree.inclusive(this.metrics.map((metric) => metric.total), this.parts);
    this.systemTree = systemTree(this.system);
  }

  // The value that is 100 % of a metric: the root of its tree; for a difference, that of the first
  // report.
  wholeOf(metric) {
    const root = this.metricRoot(metric);
    const before =
        this.comparison?.totals.find((total) => total.metric === this.metrics[root].name)?.before;
    return this.difference ? before ?? Math.abs(this.metricTotals[root]) : this.metricTotals[root];
  }

  // True if there is anything that trees could show.
  get hasTrees() {
    return this.metrics.length > 0 && this.callTree.size > 0 && this.locationCount > 0;
  }

  // Adds the change of a metric that cannot be summed: the report of a difference lacks it.
  addRatio(ratio) {
    const paths = this.pathsByNames();
    const changes =
        ratio.call_paths
            .map(
                ({call_path: names, change, own}) =>
                    ({path: paths.get(names.join("\n")), value: change, own: own.change}))
            .filter(({path}) => path !== undefined);
    this.tables.set(this.metrics.length, ValueTable.ofChanges(changes, this.program));
    this.rows.set(this.metrics.length, []);
    this.metrics.push({
      name: ratio.metric,
      display: ratio.display_name,
      unit: ratio.unit,
      seconds: ratio.unit === "sec",
      description: "",
      note: "It cannot be summed up: what was evaluated in B, less what was evaluated in A.",
      total: ratio.change,
      parent: -1,
      part: false,
      table: 1
    });
  }

  // Indices of call paths by the names of their functions from the root.
  pathsByNames() {
    const {regions, call_paths: paths} = this.program;
    const found = new Map();
    for (let node = this.callTree.size - 1; node >= 0; --node) {
      found.set(
          this.callTree.path(node).map((one) => regions.name[paths.region[one]]).join("\n"), node);
    }
    return found;
  }

  metricIndex(name) {
    return this.metrics.findIndex((metric) => metric.name === name);
  }

  // The metric and its parts; their own values add up to its value.
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

  // Loads the values of metrics that are not loaded yet.
  async need(metrics) {
    await Promise.all(metrics.map(async (metric) => {
      if (this.rows.has(metric)) return;
      const bytes = await this.load(metric);
      const columns = this.metrics[metric].table;
      const rows = bytes ? unpackRows(bytes, columns ?? this.locationCount) : [];
      this.rows.set(metric, columns ? [] : rows);
      if (columns) this.tables.set(metric, new ValueTable(rows, columns, this.program));
    }));
  }

  // Sum of the metrics for each call path. Call need() first.
  byCallPath(metrics) {
    const sums = new Float64Array(this.callTree.size);
    for (const metric of metrics) {
      for (const row of this.rows.get(metric)) sums[row.path] += row.total;
    }
    return sums;
  }

  // Sum of the metrics over the marked call paths, for each location. Call need() first.
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

  // True if a root of call paths with this name stands for the whole program.
  isProgram(name) {
    const {regions, call_paths: paths} = this.program;
    const root = paths.region[0];
    return name === this.summary?.program.name || name === this.comparison?.before.program.name ||
        (regions.paradigm[root] === "measurement" && name === regions.name[root]);
  }

  // The short name of a function, given its full name.
  shortName(name) {
    const {name: names, short} = this.program.regions;
    this.shorts ??= new Map(names.map((full, i) => [full, short[i]]));
    return this.shorts.get(name) ?? name;
  }

  callPathText(path) {
    const names = this.callTree.path(path).map((node) => this.regionName(node));
    if (names.length > 1 && this.isProgram(names[0])) names.shift();
    return names.join(" > ");
  }
}

// Makes one tree of system nodes, processes, and the threads of processes with several threads.
// processNode, locationNode: the node of each process and location.
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
