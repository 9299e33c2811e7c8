// SPDX-License-Identifier: BSD-3-Clause
// A forest given by the parent of each node. Parents precede their children.
export class Tree {
  constructor(parents) {
    this.parents = parents;
    this.children = parents.map(() => []);
    this.roots = [];
    parents.forEach((parent, node) => (parent < 0 ? this.roots : this.children[parent]).push(node));
  }

  get size() {
    return this.parents.length;
  }

  isLeaf(node) {
    return this.children[node].length === 0;
  }

  // The node and all its descendants.
  below(node) {
    const found = [node];
    for (let i = 0; i < found.length; ++i) found.push(...this.children[found[i]]);
    return found;
  }

  // Nodes from the root to this node.
  path(node) {
    const nodes = [];
    for (; node >= 0; node = this.parents[node]) nodes.push(node);
    return nodes.reverse();
  }

  // Sums over the subtrees. If `counts` is given, a node's sum is added to its parent's only if it
  // is set.
  inclusive(own, counts = null) {
    const sums = Float64Array.from(own);
    for (let node = this.size - 1; node >= 0; --node) {
      const parent = this.parents[node];
      if (parent >= 0 && (!counts || counts[node])) sums[parent] += sums[node];
    }
    return sums;
  }
}
