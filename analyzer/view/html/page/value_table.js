// SPDX-License-Identifier: BSD-3-Clause
// Values of a metric that cannot be summed. There is a row for everything that can be selected; it
// was evaluated when the page was written. analyzer/view/html/value_table.hpp describes the rows.
export class ValueTable {
  // rows: from unpackRows(); columns: all processes together, then the places of the system tree.
  constructor(rows, columns, program) {
    this.columns = columns;
    this.regions = program.regions.name.length;
    this.paths = program.call_paths.region.length;
    this.rows = new Map(rows.map((row) => [row.path, row]));
    this.firstPath = new Map();
    program.call_paths.region.forEach((region, path) => {
      if (!this.firstPath.has(region)) this.firstPath.set(region, path);
    });
  }

  // A table of changes {path, value, own} from one report to another.
  static ofChanges(changes, program) {
    const paths = program.call_paths.region.length, rows = [];
    const row = (path, value) => rows.push({path, columns: null, values: [value ?? NaN]});
    for (const {path, value, own} of changes) {
      row(path, value);
      row(paths + path, own);
    }
    return new ValueTable(rows, 1, program);
  }

  // Rows of a call path with its callees and without, and of a function at all its call paths.
  withCallees(path) {
    return this.rows.get(path);
  }
  own(path) {
    return this.rows.get(this.paths + path) ?? this.withCallees(path);
  }
  flat(region) {
    return this.rows.get(2 * this.paths + region) ?? this.own(this.firstPath.get(region));
  }

  // Values for all processes together: one number for each call path or function.
  get together() {
    const list = (count, rowOf) => Float64Array.from({length: count}, (_, i) => first(rowOf(i)));
    return {
      own: list(this.paths, (path) => this.own(path)),
      all: list(this.paths, (path) => this.withCallees(path)),
      flat: list(this.regions, (region) => this.flat(region))
    };
  }

  // One number for each of `count` places; NaN if they are unknown.
  places(row, count) {
    const values = new Float64Array(count);
    if (this.columns === 1) return values.fill(NaN);
    if (!row) return values;
    if (!row.columns) return values.map((_, place) => row.values[place + 1]);
    row.columns.forEach((column, i) => {
      if (column > 0) values[column - 1] = row.values[i];
    });
    return values;
  }
}

function first(row) {
  if (!row || (row.columns && row.columns[0] !== 0)) return 0;
  return row.values[0];
}

// Amounts for sorting and hiding. A node whose own value or a descendant is not zero is not zero.
export function sizesOf(tree, own, all) {
  const sizes =
      Float64Array.from(all, (value, node) => Math.abs(value) || (own[node] ? kLittle : 0));
  for (let node = tree.size - 1; node >= 0; --node) {
    const parent = tree.parents[node];
    if (parent >= 0 && sizes[node] > 0 && sizes[parent] === 0) sizes[parent] = kLittle;
  }
  return sizes;
}
const kLittle = 1e-300;

export const largest = (values) =>
    values.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);
