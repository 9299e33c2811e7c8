// SPDX-License-Identifier: BSD-3-Clause
// Shows which ranks come first and last to collective operations, and how long the others wait.
import {el} from "./dom.js";
import {countText, durationText} from "./numbers.js";

const kShown = 20;
const timesText = (count) => countText(count) + (count === 1 ? " time" : " times");
const pairs = (list) => (Array.isArray(list) ? list : []).filter((pair) => Array.isArray(pair));

export function arrivals(report) {
  const rows = (Array.isArray(report.arrivals) ? report.arrivals : []).slice(0, kShown);
  if (rows.length === 0) return null;
  const often = (list) =>
      pairs(list).slice(0, 3).map(([rank, count]) => `${rank} (${timesText(count)})`).join(", ");
  const known = rows.some((row) => pairs(row.ranks).length > 0);
  const head = [
    "operation", "communicator", "last: rank", "first: rank", "processes", "operations",
    "early: mean", "median", "deviation", "most", "after the last one, mean"
  ];
  const place = el("div", {class: "by-rank"});
  const lines = rows.map((row, i) => {
    const number = (value) =>
        el("td", {class: "number"}, Number.isFinite(value) ? durationText(value) : "");
    return el(
        "tr", {onclick: () => pick(i)},
        el("td", {},
           known ? el("button", {
             type: "button",
             class: "pick",
             title: "Show its ranks",
             onclick: (event) => {
               event.stopPropagation();
               pick(i);
             }
           },
                      row.operation) :
                   row.operation),
        el("td", {}, row.communicator || `communicator ${row.communicator_id}`),
        el("td", {}, often(row.last)), el("td", {}, often(row.first)),
        el("td", {class: "number"}, countText(row.processes)),
        el("td", {class: "number"}, countText(row.operations)), number(row.early_mean),
        number(row.early_median), number(row.early_deviation), number(row.early_largest),
        number(row.after_mean));
  });
  const pick = (i) => {
    if (!known) return;
    lines.forEach((line, k) => line.classList.toggle("chosen", k === i));
    lines.forEach(
        (line, k) => line.querySelector("button").setAttribute("aria-pressed", String(k === i)));
    place.replaceChildren(ranksOf(rows[i]));
  };
  if (known) pick(0);
  return el(
      "section", {class: "arrivals"},
      el("h2", {}, "Who comes last ",
         el("small", {}, "to collective operations, and how early the others come")),
      el("table", {class: "list"},
         el("thead", {},
            el("tr", {}, head.map((title, i) => el("th", {class: i > 3 ? "number" : ""}, title)))),
         el("tbody", {}, lines)),
      place);
}

// A cell for each place in the order of arrival; the darker it is, the more often the rank came
// there.
function placesOf(places, processes, operations) {
  const per = processes / places.length;
  return el("td", {class: "places"}, places.map((count, place) => {
    const first = Math.ceil(place * per) + 1, last = Math.ceil((place + 1) * per);
    const cell = el("i", {
      title: `${first === last ? `place ${first}` : `places ${first} to ${last}`} of ${
          processes}: ${timesText(count)}`
    });
    cell.style.opacity = count / operations;
    return el("span", {}, cell);
  }));
}

// A line per rank: how often it was first and last, and how early it came on average.
function ranksOf({operation, operations, processes, ranks}) {
  const list = pairs(ranks);
  const most = Math.max(...list.map(([, , , early]) => early), 0);
  const placed = list.every(([, , , , places]) => Array.isArray(places) && places.length > 0);
  const bar = (kind, part, text) => {
    const inner = el("i", {class: kind});
    inner.style.width = 100 * part + "%";
    return [el("td", {}, el("div", {class: "track"}, inner)), el("td", {class: "number"}, text)];
  };
  return el(
      "table", {class: "list"},
      el("caption", {},
         `${operation} by rank` +
             (list.length < processes ? `: the ${list.length} that come first or last most often` :
                                        "")),
      el("thead", {},
         el("tr", {}, el("th", {class: "number"}, "rank"), el("th", {colspan: 2}, "last"),
            el("th", {colspan: 2}, "first"), el("th", {colspan: 2}, "early, mean"),
            placed ? el("th", {}, "first … last") : null)),
      el("tbody", {},
         list.map(
             ([rank, first, last, early, places]) =>
                 el("tr", {}, el("td", {class: "number"}, String(rank)),
                    bar("last", last / operations, countText(last)),
                    bar("first", first / operations, countText(first)),
                    bar("early", most > 0 ? early / most : 0, durationText(early)),
                    placed ? placesOf(places, processes, operations) : null))));
}
