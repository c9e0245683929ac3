import { faultText } from "../world/fault-plan.ts";
import { simulateBefore } from "../world/simulate.ts";
import { stepText } from "../world/user.ts";
import { type Moment, Witness } from "../world/witness.ts";
import type { MistakeClass, Run, Scenario, Step } from "../contract/index.ts";
import { advice, bookPages } from "./advice.ts";
import { aboutAny, blame, type Seen, upToMistake } from "./blame.ts";
import type { Finding } from "./examine.ts";
import { momentText, timed } from "./moment-text.ts";

/** What a person is told about a finding. */
export interface Telling {
  /** The cause first, on one screen. */
  readonly story: string;
  /** All events of the run, line by line. */
  readonly trace: string;
}

/** The most lines of a story: one screen. */
const mostLines = 40;

/** The most of the last events that are told: a loop repeats itself. */
const mostLast = 14;

/**
 * Tells a finding: what is wrong, what was done, what the operator did about it, and where in the user's code. For that, the run
 * is repeated before a witness, and so is the one that its outcome should have been like.
 */
export async function tell(finding: Finding, name: MistakeClass): Promise<Telling> {
  const { scenario, compared, reference } = finding;
  // What runs in a process of its own has no lines here, and does not do the same again.
  const isRepeatable = scenario.operators.every(({ program }) => !program);
  const seen = isRepeatable
    ? await seeRun(scenario, compared === undefined ? finding.run : undefined)
    : finding.run.trace.map((event) => ({ event, site: undefined }));
  const other = reference && isRepeatable ? await seeRun(reference) : undefined;
  const what = finding.compared === undefined ? "events" : "differences";
  const sections = [
    [wrongness(compared), ...cut(finding.lines, { first: 5, last: 0, what })],
    [
      "What was done:",
      ...cut(doneIn(upToMistake(finding, seen), scenario), { first: 3, last: 6, what: "steps" }),
    ],
    ["In your code:", ...blame(finding, seen, other).slice(0, 4)],
  ].filter(({ length }) => length > 1);
  const head = [`${name}: ${advice[name]}`, `  see ${bookPages[name]}`];
  const rest = mostLines - head.length - sections.flat().length - sections.length - 2;
  const acts = sayOnce(actsAbout(finding, seen));
  const told = [
    "What the operator did about it:",
    ...cut(acts, { first: 5, last: Math.min(rest - 7, mostLast), what: "events" }),
  ];
  sections.splice(2, 0, ...(acts.length > 0 ? [told] : []));
  const story = [head, ...sections.map(([title, ...lines]) => [title, ...lines.map((line) => `  ${line}`)])];
  return {
    story: story.map((lines) => lines.join("\n")).join("\n\n"),
    trace: `${seen.map(momentText).join("\n")}\n`,
  };
}

/** Repeats a run before a witness, up to the end of its steps if no run is given. */
async function seeRun(scenario: Scenario, run?: Run): Promise<Seen> {
  const witness = new Witness();
  await simulateBefore(witness, scenario, run);
  return witness.moments;
}

function wrongness(compared: Finding["compared"]): string {
  switch (compared) {
    case "fresh":
      return "In the end, other than if the same had been asked for from the start:";
    case "undisturbed":
      return "In the end, other than without the faults:";
    case undefined:
      return "It is wrong that";
  }
}

/** Returns the steps, with their values, and the faults, in the order in which they happened. */
function doneIn(seen: Seen, { steps = [], faults = [] }: Scenario): string[] {
  const taken = steps.filter((step) => step.do !== "settle");
  const done = seen.flatMap(({ event }): string[] => {
    if (event.type === "fault") return [timed(event.at, `FAULT: ${event.text}`)];
    if (event.type !== "step") return [];
    const step = taken.shift();
    // The user deletes every object in the end; some are gone by then.
    if (event.status === 404 && event.text.startsWith("delete ")) return [];
    const text = describe(step, event.text);
    return [
      timed(event.at, `the user: ${text}${event.status >= 400 ? `: rejected with ${event.status}` : ""}`),
    ];
  });
  const struck = new Set(seen.flatMap(({ event }) => (event.type === "fault" ? [event.text] : [])));
  const silent = faults.map(faultText).filter((text) => !struck.has(text));
  return [...silent.map((text) => `with the fault: ${text}`), ...done];
}

/** The longest text of a value in a story. */
const longestValue = 100;

function describe(step: Step | undefined, text: string): string {
  if (!step || step.do === "settle") return text;
  const why = step.why === undefined ? "" : `, which ${step.why}`;
  const spec = step.do === "apply" && "spec" in step.object ? JSON.stringify(step.object.spec) : "";
  const shown = spec.length > longestValue ? `${spec.slice(0, longestValue)}…` : spec;
  return `${stepText(step)}${spec === "" ? "" : ` ${shown}`}${why}`;
}

/**
 * Returns what processes did about the objects that a finding is about, within their reconciles, the last change of a process
 * that dies, and what failed.
 */
function actsAbout(finding: Finding, all: Seen): Seen {
  const seen = upToMistake(finding, all);
  const isNamed = aboutAny(seen, finding.objects);
  // At the end of a run without faults, all processes restart.
  const tellsDeaths =
    finding.scenario.faults !== undefined || finding.class === "hot-loop" || finding.class === "overdue";
  const acts = new Set<Moment>();
  /** The beginnings of reconciles that go on, by process and request. */
  const open = new Map<string, Moment>();
  /** The last change of each process. */
  const changes = new Map<string, Moment>();
  const tell = (moment: Moment): void => {
    const { event } = moment;
    const process = event.type === "change" ? event.by : "process" in event ? event.process : undefined;
    for (const [key, begin] of open) if (key.startsWith(`${process} `)) acts.add(begin);
    acts.add(moment);
  };
  for (const moment of seen) {
    const { event } = moment;
    if (event.type === "change") changes.set(event.by, moment);
    if (event.type === "reconcile") {
      const key = `${event.process} ${event.controller} ${event.request}`;
      if (event.outcome === undefined) open.set(key, moment);
      else {
        if (isFailure(event.outcome) && acts.has(open.get(key)!)) acts.add(moment);
        open.delete(key);
      }
    } else if (event.type === "died" && tellsDeaths) {
      const last = changes.get(event.process);
      if (last) tell(last);
      tell(moment);
    } else if (isTelling(moment) || isNamed(moment)) tell(moment);
  }
  return seen.filter((moment) => acts.has(moment));
}

/** Returns whether a moment is told, whatever object it is about. */
function isTelling({ event }: Moment): boolean {
  return event.type === "leads" || event.type === "promise" || isFailing(event);
}

function isFailure(outcome: string): boolean {
  return outcome === "error" || outcome === "terminal" || outcome === "conflict";
}

/** Returns whether a request, a call or a webhook failed, or an error was logged. */
function isFailing(event: Moment["event"]): boolean {
  switch (event.type) {
    case "request":
      return event.status === 0 || (event.status >= 400 && event.status !== 404);
    case "call":
      return event.status === undefined || event.status >= 400 || (event.status > 0 && event.status < 100);
    case "webhook":
      return event.status === 0 || event.status >= 400;
    case "log":
      return true;
    default:
      return false;
  }
}

/** Leaves out lines in the middle. */
function cut(
  lines: readonly string[],
  { first, last, what }: { readonly first: number; readonly last: number; readonly what: string },
): string[] {
  const left = lines.length - first - Math.max(0, last);
  if (left <= 1) return [...lines];
  const middle = `… ${left} more ${what}, which the trace has`;
  return [...lines.slice(0, first), middle, ...(last > 0 ? lines.slice(-last) : [])];
}

/** The most lines that are repeated as one: a poll reads, calls, and writes. */
const longestRepetition = 4;

/** Says once what is repeated at once, as polls are, and how often it is repeated. */
function sayOnce(moments: Seen): string[] {
  const texts = moments.map((moment) => momentText({ ...moment, event: { ...moment.event, at: 0 } }));
  const told: string[] = [];
  for (let at = 0; at < moments.length;) {
    const [length, times] = repetitionAt(texts, at);
    const end = at + length * (times + 1);
    told.push(...moments.slice(at, at + length).map(momentText));
    if (times > 0)
      told.push(timed(moments[end - 1]!.event.at, `  … the same ${times} times more, until then`));
    at = end;
  }
  return told;
}

/** Returns how many lines are repeated, and how often, from one line on. What comes twice is told twice. */
function repetitionAt(texts: readonly string[], at: number): [length: number, times: number] {
  for (let length = 1; length <= longestRepetition; length++) {
    let times = 0;
    while (isRepeated(texts, at, length, times + 1)) times++;
    if (times > 1) return [length, times];
  }
  return [1, 0];
}

function isRepeated(texts: readonly string[], at: number, length: number, times: number): boolean {
  const again = at + length * times;
  return (
    again + length <= texts.length &&
    texts.slice(at, at + length).every((text, index) => text === texts[again + index])
  );
}
