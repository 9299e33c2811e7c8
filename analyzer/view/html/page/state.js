// SPDX-License-Identifier: BSD-3-Clause
// The selection and the way it is shown. The fragment of the address holds them, so a link leads
// there.
const kDefaults = {
  view: "overview",
  metric: "",
  metricOwn: "",
  path: "",
  pathOwn: "",
  place: "",
  values: "absolute",
  sort: "tree",
  functions: "self",  // order of the list of functions
  calls: "tree",
  system: "tree",
  zeros: "hidden",
  instance: "",
  zoom: "",         // part of the instance's timeline: "100-200", in nanoseconds from its begin
  pairs: "",        // wait state of the metahosts
  matrix: "bytes",  // number that the send matrix shows
  metricAlso: "",   // selected together with `metric`: "mpi,visits"
  pathAlso: "",     // "3.5"
  placeAlso: "",    // "p1.p2"
  // Open items of a tree, if the user opened or closed any: "0.1.4"; "-": none.
  openMetrics: "",
  openCalls: "",
  openSystem: "",
};

export class State {
  constructor() {
    Object.assign(this, kDefaults);
    this.defaults = {...kDefaults};
    this.listeners = [];
  }

  setDefault(key, value) {
    this[key] = this.defaults[key] = value;
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  // Changes some values and notifies all listeners.
  set(changes) {
    const changed = Object.keys(changes).filter((key) => this[key] !== changes[key]);
    if (changed.length === 0) return;
    Object.assign(this, changes);
    for (const listener of this.listeners) listener(new Set(changed));
  }

  fragment() {
    const words = new URLSearchParams();
    for (const key of Object.keys(kDefaults)) {
      if (this[key] !== this.defaults[key]) words.set(key, this[key]);
    }
    return words.toString();
  }

  // Reads a fragment. Keys that it does not contain get their defaults.
  read(fragment) {
    const words = new URLSearchParams(fragment);
    const values = {};
    for (const [key, value] of Object.entries(this.defaults)) values[key] = words.get(key) ?? value;
    this.set(values);
  }
}
