// SPDX-License-Identifier: BSD-3-Clause
// What a wait state looks like on a time line: a table of bars and arrows, and one function that draws.
import {svg} from "./dom.js";

// lanes: names of the processes, from the top. bars: [lane, from, to, kind, text]; kinds: work, call,
// wait. arrows: [lane, time, lane, time]. marks: [time, text] are dashed lines over all lanes.
const kOneCall = (first, second, third, call) => ({
  lanes: ["rank 0", "rank 1", "rank 2"],
  bars: [[0, 0, first, "work", ""], [0, first, 76, "wait", "waits"], [0, 76, 84, "call", ""],
    [1, 0, second, "work", ""], [1, second, 76, "wait", "waits"], [1, 76, 84, "call", ""],
    [2, 0, third, "work", "still computes"], [2, third, 84, "call", ""],
    ...[0, 1, 2].map((lane) => [lane, 84, 100, "work", ""])],
  marks: [[76, `the last one enters ${call}`]],
});

const kCompletion = (call) => ({
  lanes: ["rank 0", "rank 1", "rank 2"],
  bars: [[0, 0, 20, "work", ""], [0, 20, 60, "call", call], [0, 60, 100, "work", ""],
    [1, 0, 30, "work", ""], [1, 30, 60, "call", ""], [1, 60, 80, "wait", "counts"], [1, 80, 100, "work", ""],
    [2, 0, 48, "work", ""], [2, 48, 60, "call", ""], [2, 60, 92, "wait", "counts"], [2, 92, 100, "work", ""]],
  marks: [[60, "the first one leaves"]],
});

// A target that opens its window late; the origin waits in `call`.
const kLatePost = (call) => ({
  lanes: ["origin", "target"],
  bars: [[0, 0, 18, "work", ""], [0, 18, 58, "wait", "waits"], [0, 58, 84, "call", call], [0, 84, 100, "work", ""],
    [1, 0, 58, "work", "still computes"], [1, 58, 70, "call", ""], [1, 70, 100, "work", ""]],
  arrows: [[1, 60, 0, 74]],
  marks: [[58, "MPI_Win_post"]],
});

// A lock that another process holds.
const kLock = (call) => ({
  lanes: ["holder", "other"],
  bars: [[0, 0, 12, "work", ""], [0, 12, 24, "call", "lock"], [0, 24, 62, "work", "accesses"], [0, 62, 78, "call", "unlock"],
    [0, 78, 100, "work", ""], [1, 0, 30, "work", ""], [1, 30, 62, "wait", "waits"], [1, 62, 88, "call", call],
    [1, 88, 100, "work", ""]],
  arrows: [[0, 64, 1, 76]],
});

// A target that computes while `call` needs its MPI.
const kProgress = (call) => ({
  lanes: ["origin", "target"],
  bars: [[0, 0, 18, "work", ""], [0, 18, 62, "wait", "waits"], [0, 62, 84, "call", call], [0, 84, 100, "work", ""],
    [1, 0, 62, "work", "computes, outside of MPI"], [1, 62, 76, "call", ""], [1, 76, 100, "work", ""]],
  arrows: [[1, 64, 0, 78]],
  marks: [[62, "the target enters MPI"]],
});

export const kDrawings = {
  mpi_latesender: {
    lanes: ["sender", "receiver"],
    bars: [[0, 0, 58, "work", "still computes"], [0, 58, 74, "call", "send"], [0, 74, 100, "work", ""],
      [1, 0, 18, "work", ""], [1, 18, 58, "wait", "waits"], [1, 58, 82, "call", "receive"], [1, 82, 100, "work", ""]],
    arrows: [[0, 60, 1, 80]],
  },
  mpi_latereceiver: {
    lanes: ["sender", "receiver"],
    bars: [[0, 0, 18, "work", ""], [0, 18, 58, "wait", "waits"], [0, 58, 78, "call", "send"], [0, 78, 100, "work", ""],
      [1, 0, 58, "work", "still computes"], [1, 58, 84, "call", "receive"], [1, 84, 100, "work", ""]],
    arrows: [[0, 60, 1, 82]],
  },
  mpi_latesender_wo: {
    lanes: ["sender A", "receiver", "sender B"],
    bars: [[0, 0, 56, "work", ""], [0, 56, 66, "call", ""], [0, 66, 100, "work", ""],
      [1, 0, 20, "work", ""], [1, 20, 56, "wait", "waits for A"], [1, 56, 72, "call", "A"], [1, 76, 88, "call", "B"],
      [1, 88, 100, "work", ""], [2, 0, 8, "work", ""], [2, 8, 18, "call", ""], [2, 18, 100, "work", ""]],
    arrows: [[0, 58, 1, 70], [2, 10, 1, 84]],
  },
  mpi_earlyreduce: {
    lanes: ["root", "rank 1", "rank 2"],
    bars: [[0, 0, 14, "work", ""], [0, 14, 52, "wait", "waits"], [0, 52, 88, "call", "MPI_Reduce"], [0, 88, 100, "work", ""],
      [1, 0, 52, "work", "computes"], [1, 52, 66, "call", ""], [1, 66, 100, "work", ""],
      [2, 0, 66, "work", "computes"], [2, 66, 80, "call", ""], [2, 80, 100, "work", ""]],
    arrows: [[1, 54, 0, 64], [2, 68, 0, 82]],
  },
  mpi_latebroadcast: {
    lanes: ["root", "rank 1", "rank 2"],
    bars: [[0, 0, 56, "work", "still computes"], [0, 56, 74, "call", "Bcast"], [0, 74, 100, "work", ""],
      [1, 0, 20, "work", ""], [1, 20, 56, "wait", "waits"], [1, 56, 80, "call", ""], [1, 80, 100, "work", ""],
      [2, 0, 32, "work", ""], [2, 32, 56, "wait", "waits"], [2, 56, 84, "call", ""], [2, 84, 100, "work", ""]],
    arrows: [[0, 58, 1, 78], [0, 60, 2, 82]],
  },
  mpi_late_neighbor: {
    lanes: ["rank 0", "rank 1", "neighbor"],
    bars: [[0, 0, 20, "work", ""], [0, 20, 70, "wait", "waits"], [0, 70, 86, "call", ""], [0, 86, 100, "work", ""],
      [1, 0, 50, "work", ""], [1, 50, 70, "wait", "waits"], [1, 70, 86, "call", ""], [1, 86, 100, "work", ""],
      [2, 0, 70, "work", "still computes"], [2, 70, 80, "call", ""], [2, 80, 100, "work", ""]],
    arrows: [[2, 72, 1, 84]],
  },
  mpi_earlyscan: {
    lanes: ["rank 0", "rank 1", "rank 2"],
    bars: [[0, 0, 58, "work", "still computes"], [0, 58, 68, "call", ""], [0, 68, 100, "work", ""],
      [1, 0, 22, "work", ""], [1, 22, 58, "wait", "waits"], [1, 58, 76, "call", ""], [1, 76, 100, "work", ""],
      [2, 0, 34, "work", ""], [2, 34, 58, "wait", "waits"], [2, 58, 84, "call", "Scan"], [2, 84, 100, "work", ""]],
    arrows: [[0, 60, 1, 74], [1, 70, 2, 82]],
  },
  mpi_wait_nxn: kOneCall(20, 38, 76, "MPI_Allreduce"),
  mpi_barrier_wait: kOneCall(20, 38, 76, "MPI_Barrier"),
  mpi_finalize_wait: kOneCall(20, 38, 76, "MPI_Finalize"),
  mpi_rma_wait_at_create: kOneCall(20, 38, 76, "MPI_Win_create"),
  mpi_rma_wait_at_free: kOneCall(20, 38, 76, "MPI_Win_free"),
  mpi_rma_wait_at_fence: kOneCall(20, 38, 76, "MPI_Win_fence"),
  mpi_rma_early_fence: {
    lanes: ["origin", "target"],
    bars: [[0, 0, 36, "work", ""], [0, 36, 64, "call", "MPI_Put"], [0, 64, 74, "work", ""], [0, 74, 84, "call", ""],
      [0, 84, 100, "work", ""], [1, 0, 22, "work", ""], [1, 22, 64, "wait", "waits"], [1, 64, 84, "call", "fence"],
      [1, 84, 100, "work", ""]],
    arrows: [[0, 40, 1, 62]],
  },
  mpi_rma_sync_late_post: kLatePost("Win_start"),
  mpi_rma_comm_late_post: kLatePost("MPI_Put"),
  mpi_rma_early_wait: {
    lanes: ["origin", "target"],
    bars: [[0, 0, 20, "work", ""], [0, 20, 36, "call", "put"], [0, 36, 62, "work", "computes"], [0, 62, 78, "call", ""],
      [0, 78, 100, "work", ""], [1, 0, 26, "work", ""], [1, 26, 62, "wait", "waits"], [1, 62, 84, "call", "Win_wait"],
      [1, 84, 100, "work", ""]],
    arrows: [[0, 64, 1, 82]],
    marks: [[62, "MPI_Win_complete"]],
  },
  mpi_rma_late_complete: {
    lanes: ["origin", "target"],
    bars: [[0, 0, 24, "work", ""], [0, 24, 40, "call", "put"], [0, 40, 66, "work", "computes"], [0, 66, 80, "call", ""],
      [0, 80, 100, "work", ""], [1, 0, 14, "work", ""], [1, 14, 40, "call", "Win_wait"], [1, 40, 66, "wait", "counts"],
      [1, 66, 84, "call", ""], [1, 84, 100, "work", ""]],
    arrows: [[0, 68, 1, 82]],
    marks: [[66, "MPI_Win_complete"]],
  },
  mpi_rma_sync_lock_competition: kLock("Win_lock"),
  mpi_rma_comm_lock_competition: kLock("MPI_Put"),
  mpi_rma_sync_wait_for_progress: kProgress("Win_unlock"),
  mpi_rma_comm_wait_for_progress: kProgress("MPI_Put"),
  mpi_nxn_completion: kCompletion("MPI_Allreduce"),
  mpi_barrier_completion: kCompletion("MPI_Barrier"),
  mpi_init_completion: kCompletion("MPI_Init"),
};

// Parts, grid versions, polling and metahost pairs look like the wait state they belong to.
export function drawingFor(metric) {
  const base = metric.replace(/^metahost_pairs_/, "mpi_").replace(/(_\d+)+$/, "").replace(/^(grid|polling)_/, "mpi_")
    .replace(/^mpi_lswo_.*/, "mpi_latesender_wo");
  return kDrawings[base];
}

export function draw({lanes, bars, arrows = [], marks = []}) {
  const left = 66, width = 320, lane = 34, top = marks.length ? 18 : 4;
  const x = (time) => left + (width - left - 8) * time / 100;
  const y = (index) => top + index * lane;
  const height = y(lanes.length) + 20;
  const picture = svg("svg", {class: "drawing", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": "Time line: " + bars.filter((bar) => bar[4]).map((bar) => `${lanes[bar[0]]} ${bar[4]}`).join(", ")});
  picture.append(svg("defs", {},
    svg("pattern", {id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
      svg("rect", {width: 6, height: 6, class: "wait-back"}), svg("line", {x1: 0, y1: 0, x2: 0, y2: 6, class: "wait-line"})),
    svg("marker", {id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto"},
      svg("path", {d: "M0 0 L8 4 L0 8 Z", class: "tip"}))));
  lanes.forEach((name, i) => picture.append(svg("text", {x: left - 8, y: y(i) + 17, class: "lane"}, name)));
  for (const [index, from, to, kind, text] of bars) {
    picture.append(svg("rect", {x: x(from), y: y(index) + 2, width: x(to) - x(from), height: 22, class: kind}));
    if (text) {
      const label = svg("text", {x: (x(from) + x(to)) / 2, y: y(index) + 17, class: "on-" + kind}, text);
      picture.append(label);
    }
  }
  for (const [time, text] of marks) {
    picture.append(svg("line", {x1: x(time), y1: top - 4, x2: x(time), y2: y(lanes.length) - 8, class: "mark"}),
      svg("text", {x: x(time) + 4, y: 11, class: "mark-text"}, text));
  }
  for (const [a, from, b, to] of arrows) {
    const down = b > a;
    picture.append(svg("line", {x1: x(from), y1: y(a) + (down ? 24 : 2), x2: x(to), y2: y(b) + (down ? 2 : 24),
      class: "arrow", "marker-end": "url(#tip)"}));
  }
  picture.append(svg("text", {x: x(100), y: height - 5, class: "time"}, "time →"));
  return picture;
}
