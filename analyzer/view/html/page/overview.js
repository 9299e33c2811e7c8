// SPDX-License-Identifier: BSD-3-Clause
// The first view: how good the run was, what waited, where, for which ranks, what to try, and
// doubts about the data.
import {causes, kMostCauses} from "./causes.js";
import {largePartRows} from "./computation.js";
import {computing} from "./computing.js";
import {el} from "./dom.js";
import {efficiency} from "./efficiency.js";
import {sections} from "./explanation.js";
import {gains} from "./gains.js";
import {link} from "./link.js";
import {costInWords} from "./measuring_cost.js";
import {counted, durationText, fourDigits, kWorthShowing, percentText, share} from "./numbers.js";
import {waitsOverTime} from "./over_time.js";
import {pathTexts} from "./path_texts.js";
import {isTogether, rankCount, singleWait} from "./single_waits.js";
import {threadPaths, threadsInWords, threadWaits} from "./thread_waits.js";
import {timeParts} from "./time_parts.js";

export function overview(report, state) {
  const {summary} = report;
  const pathText = pathTexts(report, [
    ...summary.causes.slice(0, kMostCauses), ...summary.gains?.causes ?? [],
    ...summary.wait_states.flatMap((wait) => wait.call_paths.slice(0, 2)), ...summary.endings
  ].map((one) => one.call_path).concat(threadPaths(summary)));
  return el(
      "div", {class: "overview"}, verdict(report, state, pathText), shares(summary),
      efficiency(report), computing(report, state), waits(report, state, pathText),
      causes(report, state, pathText, ranks), gains(report, state, pathText),
      threadWaits(report, state, pathText), waitsOverTime(report), endings(summary, pathText),
      quality(report));
}

// The verdict in a few sentences.
function verdict(report, state, pathText) {
  const {seconds, wait_states: waits, partial} = report.summary;
  const text = [];
  if (seconds.time === null)
    text.push("This report tells no times.");
  else if (seconds.waiting === null && report.summary.thread_waits)
    text.push("The report has no wait states of MPI.");
  else if (seconds.waiting === null && report.summary.only_watched)
    text.push("How long the processes waited is not known: records were lost.");
  else if (seconds.waiting === null)
    text.push(`MPI took ${
        share(
            seconds.mpi,
            seconds
                .time)} of the time. The report has no wait states: it was not made from a trace.`);
  else if (!(seconds.time > 0))
    text.push("Nothing is known of waiting: the trace has no events.");
  else if (waits.length === 0 && seconds.waiting_at_least)
    text.push("No process waited for another one while that was known; later records were lost.");
  else if (waits.length === 0)
    text.push("No process waited for another one.");
  else if (waits[0].seconds < 0.001 * seconds.time) {
    text.push(`No wait state has 0.1 % of the time or more; waiting is ${
        durationText(seconds.waiting)} in all.`);
  } else {
    const worst = waits[0];
    text.push(
        el("strong", {},
           `The processes spent ${seconds.waiting_at_least ? "at least " : ""}${
               share(seconds.waiting, seconds.time)} of their time waiting for each other.`),
        ` The largest part is ${worst.name}: ${share(worst.seconds, seconds.time)}.`,
        ...largestCause(report, state, pathText), ...unknownCause(report, state));
  }
  return el(
      "div", {class: "verdict"}, el("p", {}, ...text, threadsInWords(report.summary)),
      partial ? el("p", {class: "partial"},
                   "⚠ Partial result: something is missing, see the notes below.") :
                null);
}

// The largest cause of waiting, if there is one.
function largestCause(report, state, pathText) {
  const {seconds, causes: [cause] = []} = report.summary;
  if (!cause || report.metricIndex("delay") < 0) return [];
  const part = cause.seconds / seconds.waiting;
  return [
    part > 0.5      ? " Most of the waiting was caused by " :
        part < 0.05 ? " Its causes are many and small; the largest is " :
                      " The largest cause of waiting is ",
    el("code", {title: cause.call_path.join(" > ")}, pathText(cause.call_path)),
    `${
        cause.spread ? ` (${cause.spread})` :
            cause.ranks.length ? ` on ${ranks(cause)}` :
                                 ""}: `,
    selecting(state, "delay", `${share(cause.seconds, seconds.waiting)} of all waiting`),
    cause.how ? `, ${cause.how}.` : "."
  ];
}

// The share of waiting without a known cause, if it is large, and the reasons.
function unknownCause(report, state) {
  const {seconds, unknown_cause_seconds: unknown, unknown_cause_reasons: reasons} = report.summary;
  if (!(unknown > 0.05 * seconds.waiting) || report.metricIndex("delay_unknown") < 0) return [];
  return [
    " Of ", selecting(state, "delay_unknown", `${share(unknown, seconds.waiting)} of all waiting`),
    ` the cause is not known${reasons.length ? `: ${reasons.join(", ")}.` : "."}`
  ];
}

// The parts of the time of all processes, as one bar with a table.
function shares(summary) {
  const {seconds, run} = summary;
  if (!(seconds.time > 0)) return null;
  const parts = timeParts(summary).filter(([, , value]) => value > kWorthShowing * seconds.time);
  const row = (key, name, value, what) =>
      el("tr", {}, el("td", {}, key), el("th", {scope: "row"}, name),
         el("td", {class: "number"}, durationText(value)),
         el("td", {class: "number"}, percentText(value, seconds.time) + " %"),
         el("td", {class: "what"}, what));
  const bar = el("div", {
    class: "stack",
    role: "img",
    "aria-label": parts.map(([, name, value]) => `${name} ${share(value, seconds.time)}`).join(", ")
  });
  for (const [kind, name, value] of parts) {
    const part =
        el("i", {class: "s-" + kind, title: `${name}: ${durationText(value)}`},
           value > 0.06 * seconds.time ? el("span", {}, share(value, seconds.time)) : "");
    part.style.width = 100 * value / seconds.time + "%";
    bar.append(part);
  }
  return el(
      "section", {class: "shares"},
      el("h2", {}, "Where the time went ",
         el("small", {},
            `${durationText(seconds.time)} of ${
                run.summed_ranks ?
                    "all processes" :
                    counted(run.ranks, "process").replace(/processs$/, "processes")} together`)),
      bar,
      el("table", {class: "legend-table"},
         el("tbody", {},
            parts.flatMap(
                ([kind, name, value, what]) =>
                    [row(el("i", {class: "key s-" + kind}), name, value, what),
                     ...(kind === "comp" ? largePartRows(summary) : [])
                         .map(
                             ([, , part, meaning, time]) =>
                                 row("", "of which " + part.toLowerCase(), time, meaning))]))));
}

function waits(report, state, pathText) {
  const {seconds} = report.summary;
  const list = report.summary.wait_states.filter((wait) => report.metricIndex(wait.metric) >= 0);
  if (list.length === 0) return null;
  const worst = list[0].seconds;
  const large =
      list.filter((wait, i) => wait.seconds > (i < 1 ? 0.001 : 0.005) * seconds.time).slice(0, 6);
  return el(
      "section", {class: "waits"}, el("h2", {}, "What waited, where, and what to try"),
      large.length === 0 ? null : el("ol", {class: "cards"}, large.map((wait) => {
        const metric = report.metrics[report.metricIndex(wait.metric)];
        const bar = el("i", {});
        bar.style.width = 100 * wait.seconds / worst + "%";
        return el(
            "li", {class: "card"},
            el("div", {class: "head"}, selecting(state, wait.metric, wait.name),
               el("span", {class: "amount"}, durationText(wait.seconds),
                  el("small", {}, ` ${percentText(wait.seconds, seconds.time)} % of the time`))),
            el("div", {class: "track"}, bar), el("p", {class: "definition"}, metric.description),
            el("dl", {}, el("dt", {}, "Where"), el("dd", {}, where(wait, pathText)),
               ...(wait.ranks.length ? [el("dt", {}, "Who waits"), el("dd", {}, ranks(wait))] : []),
               ...cause(report, wait), ...longest(report, state, wait),
               ...(metric.advice || metric.explanation ?
                       [
                         el("dt", {}, "Try"),
                         el("dd", {class: "advice"}, metric.advice || sections(metric).advice)
                       ] :
                       [])));
      })),
      large.length < list.length ?
          el("p", {class: "also"}, large.length ? "Less than that: " : "Negligible: ",
             list.slice(large.length)
                 .flatMap(
                     (wait, i) =>
                         [i ? ", " : "", selecting(state, wait.metric, wait.name),
                          ` ${durationText(wait.seconds)}`])) :
          null);
}

function selecting(state, metric, text) {
  return link(state, {metric, metricOwn: "", path: "", pathOwn: "", place: ""}, text);
}

// The call paths with most of a wait state, and their shares.
function where(wait, pathText) {
  const paths =
      wait.call_paths.slice(0, 2).filter((path, i) => i === 0 || path.seconds > 0.1 * wait.seconds);
  return paths.flatMap(({call_path: names, seconds}, i) => {
    return [
      i ? el("br") : "", el("code", {title: names.join(" > ")}, pathText(names)),
      wait.call_paths.length > 1 ? ` ${share(seconds, wait.seconds)}` : ""
    ];
  });
}

// The ranks with most of a wait state, or the distribution over many ranks.
function ranks(wait) {
  if (wait.spread) return wait.spread;
  const shown =
      wait.ranks.slice(0, 3).filter((rank, i) => i === 0 || rank.seconds > 0.02 * wait.seconds);
  return shown.map(({rank, seconds}) => `rank\u00a0${rank}\u00a0(${share(seconds, wait.seconds)})`)
      .join(", ");
}

// The ranks that were waited for, from the worst instances. Otherwise the ranks that hardly wait.
function cause(report, wait) {
  const causes = new Map();
  const worst = report.statistics?.[wait.metric]?.worst ?? [];
  for (const instance of worst) {
    if (instance.cause_rank !== undefined) {
      causes.set(instance.cause_rank, (causes.get(instance.cause_rank) ?? 0) + instance.seconds);
    }
  }
  const sorted = [...causes].sort((a, b) => b[1] - a[1]);
  if (sorted.length > 0) {
    const most = sorted.slice(0, 2).filter(([, seconds]) => seconds > 0.1 * sorted[0][1]);
    return [
      el("dt", {}, "For whom"),
      el("dd", {},
         most.map(([rank]) => `rank ${rank}`).join(" and ") +
             (sorted.length === 1 ? " came last in the " : ": most of the waiting in the ") +
             (worst.length === 1 ? "worst instance" : worst.length + " worst instances"))
    ];
  }
  if (wait.least.length === 0) return [];
  return [
    el("dt", {}, "Hardly waits"),
    el("dd", {}, wait.least.map(({rank}) => `rank ${rank}`).join(", "))
  ];
}

// The worst instance, which has a timeline: a single wait, or an operation with the waits of all
// ranks.
function longest(report, state, {metric}) {
  const statistics = report.statistics?.[metric];
  const [worst] = statistics?.worst ?? [];
  if (!(worst?.seconds > 0)) return [];
  const together = isTogether(statistics, worst);
  const single = singleWait(statistics, worst);
  return [
    el("dt", {}, together ? "Worst call" : "Longest"),
    el("dd", {},
       el("a", {
         href: "#",
         onclick: (event) => {
           event.preventDefault();
           state.set({view: "instances", instance: metric + ":1", zoom: ""});
         }
       },
          durationText(worst.seconds)),
       together ? ` of ${rankCount(worst)} together` : "", ` at ${durationText(worst.enter)}`,
       !together ? `, rank ${worst.rank}` :
           single > 0 ? `; longest wait in it ${durationText(single)}, rank ${worst.rank}` :
                        "")
  ];
}

const kEndings = {
  aborted: "called MPI_Abort",
  exited: "exited without MPI_Finalize",
  in_call: "in a call that never ended",
  outside: "outside MPI",
  unknown: "left no records",
  not_stored: "records could not be stored any longer"
};

function endings({endings: list}, pathText) {
  if (list.length === 0) return null;
  return el(
      "section", {},
      el("h2", {},
         list.every(({state}) => state === "not_stored") ?
             "Where recording ended, not the run" :
             "Where the run ended without MPI_Finalize"),
      el("ul", {},
         list.slice(0, 20).map(
             ({state, ranks: which, call_path: path, since}) => el(
                 "li", {},
                 `${which.length === 1 ? "rank" : "ranks"} ${which.slice(0, 10).join(", ")}${
                     which.length > 10 ? ", ..." : ""}: ${kEndings[state] ?? state}`,
                 state === "unknown" ? "" : ` since ${durationText(since)}`,
                 path.length ? el("code", {title: path.join(" > ")}, " " + pathText(path)) : ""))));
}

// Clocks in words; null if there is only one.
export function clocksInWords(clocks) {
  if (!clocks || !(clocks.count > 1)) return null;
  const early = (step) => step.messages + step.collectives;
  const steps = (clocks.steps ?? []).filter((step) => typeof step.name === "string");
  const text = `${clocks.count} clocks were compared with each other. `;
  if (steps.every((step) => early(step) === 0)) return text + "No message came too early by them.";
  const names = {
    none: "without offsets",
    linear: "as measured",
    messages: "after correction by messages",
    clc: "after the controlled logical clock"
  };
  return text + "Messages and collectives that came too early: " +
      steps.map((step) => `${early(step)} ${names[step.name] ?? step.name}`).join(", ") + ".";
}

// "traces/2.evt: 2974 of 4956 events, up to 1.250 s"
function filesInWords(files, known) {
  const words = files.slice(0, 4).map((file, i) => known[i] ? `${file}: ${known[i]}` : file);
  return words.join(", ") + (files.length > 4 ? ", ..." : "");
}

function quality(report) {
  const notes = report.summary.quality.map(
      ({count, text, partial, files, file_notes: known = []}) =>
          el("li", {class: partial ? "missing" : ""}, partial ? "⚠ " : "",
             el("b", {}, fourDigitsOrCount(count)), " " + text,
             files.length ? el("small", {}, ` (${filesInWords(files, known)})`) : ""));
  const cost = costInWords(report.summary.measurement, report.summary.run.ranks);
  if (cost) notes.push(el("li", {class: "cost"}, cost));
  const clocks = clocksInWords(report.summary.clocks);
  if (clocks) notes.push(el("li", {}, clocks));
  if (!report.hasTrees)
    notes.push(
        el("li", {}, "The report is empty: it has no metrics, no call paths, or no processes."));
  if (!report.exact)
    notes.push(
        el("li", {}, "This page holds its values with four significant digits, to be small."));
  return el(
      "section", {class: "quality"}, el("h2", {}, "Quality of the data"),
      report.summary.quality.length === 0 && report.hasTrees ?
          el("p", {},
             report.summary.tells_quality ?
                 "Nothing was missing or odd." :
                 "The report is of another tool: it does not say whether its data is complete.") :
          null,
      notes.length ? el("ul", {}, notes) : null);
}

function fourDigitsOrCount(count) {
  return Number.isInteger(count) ? count.toLocaleString("en-US") : fourDigits(count);
}
