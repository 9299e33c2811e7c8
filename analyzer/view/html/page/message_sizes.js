// SPDX-License-Identifier: BSD-3-Clause
// Shows the times and bandwidths of messages by size and class of link, with the best of each size.
import {el, svg} from "./dom.js";
import {bytesText, countText, durationText, fourDigits} from "./numbers.js";

const kLinks = {
  node: "inside a node",
  metahost: "between nodes",
  external: "between metahosts"
};

export function messageSizes(report) {
  const rows = Array.isArray(report.messages?.sizes) ? report.messages.sizes : [];
  if (rows.length === 0) return null;
  const duration = (value) => (Number.isFinite(value) ? durationText(value) : "");
  // All rows share an axis, so that they can be compared.
  const times = axisOf(rows.map((row) => row.times)),
        speeds = axisOf(rows.map((row) => row.bandwidths));
  const head = [
    "link", "bytes from", "messages", "all bytes", "measured", "shortest", "mean", "longest",
    "mean / best", times ? ["times", durationText(times.low), durationText(times.high)] : "",
    "best bandwidth",
    speeds ? ["bandwidths", bytesText(speeds.low) + "/s", bytesText(speeds.high) + "/s"] : ""
  ];
  return el(
      "section", {class: "sizes"},
      el("h2", {}, "Messages by size ",
         el("small", {},
            "times of those that an MPI_Recv or MPI_Wait was waiting for already; of an MPI_Waitall the one sent last")),
      el("table", {class: "list"},
         el("thead", {},
            el("tr", {},
               head.map(
                   (title, i) => (
                       Array.isArray(title) ?
                           el("th", {class: "spread"}, title[0],
                              el("small", {}, el("span", {}, title[1]), el("span", {}, title[2]))) :
                           el("th", {class: i >= 1 ? "number" : ""}, title))))),
         el("tbody", {}, rows.map((row) => {
           const number = (text) => el("td", {class: "number"}, text);
           return el(
               "tr", {}, el("td", {}, kLinks[row.link] ?? row.link),
               number(countText(row.from_bytes)), number(countText(row.messages)),
               number(bytesText(row.bytes)), number(countText(row.measured)),
               number(duration(row.shortest)), number(duration(row.mean)),
               number(duration(row.longest)),
               number(row.shortest > 0 ? fourDigits(row.mean / row.shortest) : ""),
               el("td", {}, times ? histogram(row.times, times, durationText) : ""),
               number(row.best_bandwidth > 0 ? bytesText(row.best_bandwidth) + "/s" : ""),
               el("td", {},
                  speeds ? histogram(row.bandwidths, speeds, (value) => bytesText(value) + "/s") :
                           ""));
         }))));
}

// A list [[from, count], ...] of bins, each up to 2 * from; null if it is malformed.
function binsOf(list) {
  return Array.isArray(list) &&
          list.every((bin) => Array.isArray(bin) && bin[0] > 0 && bin[1] > 0) ?
      list :
      null;
}

// A logarithmic axis for all bins of several lists, with a bin per power of two.
export function axisOf(lists) {
  const bins = lists.flatMap((list) => binsOf(list) ?? []);
  if (bins.length === 0) return null;
  const low = Math.min(...bins.map(([from]) => from)),
        high = 2 * Math.max(...bins.map(([from]) => from));
  return {low, high, bins: Math.max(1, Math.round(Math.log2(high / low)))};
}

function histogram(list, axis, text) {
  const bins = binsOf(list);
  if (!bins || bins.length === 0) return "";
  const width = 150, height = 26, each = width / axis.bins,
        most = Math.max(...bins.map(([, count]) => count));
  const tell =
      bins.map(([from, count]) => `${text(from)} to ${text(2 * from)}: ${countText(count)}`)
          .join("\n");
  return svg(
      "svg", {
        class: "histogram",
        viewBox: `0 0 ${width} ${height}`,
        width,
        height,
        role: "img",
        "aria-label": tell.replaceAll("\n", ", ")
      },
      svg("title", {}, tell),
      svg("line", {x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5, class: "grid"}),
      bins.map(([from, count]) => {
        const size = Math.max(2, (height - 2) * count / most);
        return svg("rect", {
          x: Math.round(Math.log2(from / axis.low)) * each,
          y: height - size,
          width: Math.max(1, each - 1),
          height: size
        });
      }));
}
