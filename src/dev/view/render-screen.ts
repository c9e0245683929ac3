import { stripVTControlCharacters, styleText } from "node:util";
import { type Tone, conditionTone } from "@tsbuilder/apimachinery/meta";
import { compareText, visibleText } from "@tsbuilder/apimachinery/text";
import { count, quoteWord } from "../../shared/text.ts";
import { formatUnifiedDiff } from "../../scaffold/tree.ts";
import type { ShownObject } from "../dev-event.ts";
import { connectionAdvice, readableError } from "./readable-log.ts";
import { type LogLine, type ScreenState, about, shownKey, textOfLine } from "./screen-state.ts";
import type { RecordedReconcile, RecordedSample } from "../record/recorded.ts";

/** The size of the terminal in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

type Style = Parameters<typeof styleText>[0];

/** A line without colors: `renderScreen` cuts it to the width of the screen, then colors it. */
interface Line {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** Renders the state: as many lines as there are rows, none wider than the screen. */
export function renderScreen(state: ScreenState, { columns, rows }: ScreenSize): string[] {
  const keys = dim(keysOf(state));
  const head = headOf(state, columns);
  const problem = problemOf(state, columns).slice(0, Math.max(3, Math.floor((rows - head.length) / 2)));
  head.push(...problem);
  const space = Math.max(0, rows - head.length - 1);
  const body = viewOf(state, space, columns);
  const empty = Array.from({ length: Math.max(0, space - body.length) }, (): Line => ({ text: "" }));
  return [...[...head, ...body.slice(0, space), ...empty].slice(0, Math.max(0, rows - 1)), keys]
    .slice(0, rows)
    .map(({ text, style }) => {
      const cut = cutTo(text, columns);
      return style && cut !== "" ? styleText(style, cut, { validateStream: false }) : cut;
    });
}

function headOf(state: ScreenState, columns: number): Line[] {
  const { title, cluster, sample, reconciles, note, findings, view } = state;
  const numbers = numbersLine(sample, reconciles);
  const reconcile = reconcileLine(state);
  const heading: Line = { text: cluster ? `${title}  ${cluster.url}` : title, style: "bold" };
  // Failures need the rows that the rest of the head takes.
  if (view === "failures") return [heading, ...wrapped({ text: note, style: "cyan" }, columns), { text: "" }];
  return [
    heading,
    ...(cluster ? [dim(`KUBECONFIG=${quoteWord(cluster.kubeconfig)}`), dim(`page ${cluster.page}`)] : []),
    ...(numbers === undefined ? [] : [dim(numbers)]),
    ...(reconcile === undefined ? [] : [reconcile]),
    ...wrapped({ text: note, style: "cyan" }, columns),
    ...findings.slice(0, mostFindings).map(({ title }): Line => ({
      text: `! ${title}`,
      style: "yellow",
    })),
    { text: "" },
  ];
}

/** The number of findings that the head names; a key unfolds all of them. */
const mostFindings = 3;

/** Tells which reconcile runs or ran last, so that a loop shows. */
function reconcileLine({ running, last }: ScreenState): Line | undefined {
  const [now] = running.values();
  if (now !== undefined && now.groupedBy === undefined) {
    const others = running.size > 1 ? ` and ${count(running.size - 1, "other")}` : "";
    return { text: `↻ ${now.controller} reconciles ${now.request}${others}`, style: "cyan" };
  }
  if (last === undefined || last.outcome === "unfinished") return undefined;
  const { controller, request, outcome, seconds = 0, inARow, at, groupedBy, requests } = last;
  const again = inARow > 1 ? `, ${inARow} times in a row` : "";
  const took = seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
  const did =
    groupedBy === undefined
      ? `reconciled ${request} in ${took}`
      : `${request}: ${count(requests.length, "request")} in ${took}, by their ${groupedBy}`;
  return dim(`· ${at.slice(11, 19)} ${controller} ${did}: ${outcomeWords[outcome]}${again}`);
}

const outcomeWords: Readonly<Record<Exclude<RecordedReconcile["outcome"], "unfinished">, string>> = {
  done: "done",
  later: "done, again later",
  again: "again at once",
  conflict: "conflict, retried",
  error: "failed",
  terminal: "failed for good",
};

/** Shorter blocks of the event loop, in milliseconds, are not shown. */
const shortestBlock = 20;

/** Prints a sample and the number of finished reconciles on one line; undefined if the process has ended. */
function numbersLine(sample: RecordedSample | undefined, reconciles: number): string | undefined {
  if (sample === undefined || sample.resident === 0) return undefined;
  const { controllers, cached, blocked, resident } = sample;
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  const busy = sum(controllers.map(({ active }) => active));
  return [
    `queue ${sum(controllers.map(({ queued }) => queued))}`,
    `workers ${busy}/${sum(controllers.map(({ workers }) => workers))}`,
    count(reconciles, "reconcile"),
    `cache ${count(sum(Object.values(cached)), "object")}`,
    ...(blocked > shortestBlock ? [`blocked ${blocked} ms`] : []),
    `memory ${Math.round(resident / 1024 / 1024)} MB`,
  ].join("  ");
}

function problemOf({ problem }: ScreenState, columns: number): Line[] {
  if (problem === undefined) return [];
  const lines = problem.split("\n").flatMap((text, index): Line[] => {
    if (index === 0) return wrapped({ text, style: ["red", "bold"] }, columns);
    return text.startsWith("hint:") ? wrapped({ text, style: "yellow" }, columns) : [{ text }];
  });
  return [...lines, { text: "" }];
}

function viewOf(state: ScreenState, space: number, columns: number): readonly Line[] {
  switch (state.view) {
    case "overview":
      return overviewOf(state, space, columns);
    case "diff":
      return diffOf(state, space);
    case "failures":
      return failuresOf(state, space, columns);
    case "help":
      return helpOf(state, columns);
  }
}

/** Renders objects with their dependents on half of the rows, and the log on the rest. */
function overviewOf(state: ScreenState, space: number, columns: number): Line[] {
  const objects = objectsOf(state, Math.max(2, Math.floor(space / 2)));
  const logRows = Math.max(0, space - objects.length - 1);
  const log = state.log.slice(-logRows).flatMap((line) => logLines(line, columns));
  return [
    ...objects,
    ...(log.length > 0 && logRows > 0 ? [{ text: "Operator", style: "bold" as const }] : []),
    ...log.slice(Math.max(0, log.length - logRows)),
  ];
}

/** Renders as many objects as there are rows for them, with the marked one among them. */
function objectsOf(state: ScreenState, maxObjects: number): Line[] {
  const sorted = [...state.objects].toSorted(([a], [b]) => compareText(a, b));
  if (sorted.length === 0) return [dim("No objects yet: press s to apply config/samples."), { text: "" }];
  const marked = shownKey(state);
  const markedIndex = Math.max(
    0,
    sorted.findIndex(([key]) => key === marked),
  );
  const markedObject = marked === undefined ? undefined : state.objects.get(marked);
  // At least half of the rows are for objects: others may fail.
  const mostChildren = Math.max(Math.floor(maxObjects / 2), maxObjects - sorted.length);
  const children = markedObject ? childrenOf(state, markedObject, mostChildren) : [];
  const most = maxObjects - children.length;
  // Where there is one, the object after the marked one is shown, too.
  const first = Math.max(0, Math.min(markedIndex - Math.max(0, most - 2), sorted.length - most));
  const visible = sorted.slice(first, first + most);
  const hidden = sorted.length - visible.length;
  return [
    { text: `Objects${hidden > 0 ? ` (${hidden} more: use the arrow keys)` : ""}`, style: "bold" },
    ...visible.flatMap(([key, object]) => [
      objectLine(state, object, key === marked),
      ...(key === marked ? children : []),
    ]),
    { text: "" },
  ];
}

const signs: Readonly<Record<Tone, string>> = { bad: "✗", busy: "◐", good: "✓", none: "·" };
const styles: Readonly<Record<Tone, Style>> = { bad: "red", busy: "yellow", good: "green", none: "dim" };

/** Renders the dependents of an object, indented by their owners. */
function childrenOf({ owned }: ScreenState, { uid }: ShownObject, most: number): Line[] {
  const below = uid === undefined ? [] : (owned?.below(uid) ?? []);
  // If there are too many, those that are not as they should be are shown first.
  const worst = below.filter(({ standing: { tone } }) => tone === "bad" || tone === "busy");
  const kept = below.length <= most ? below : [...new Set([...worst, ...below])].slice(0, most - 1);
  const lines = below
    .filter((one) => kept.includes(one))
    .map(({ kind, key, depth, standing: { tone, why } }): Line => {
      const [name] = key.split("/").slice(-1);
      return {
        text: `${"  ".repeat(depth + 1)}${signs[tone]} ${kind} ${name}  ${why}`.trimEnd(),
        style: styles[tone],
      };
    });
  const more = below.length - lines.length;
  return more > 0 ? [...lines, dim(`    … and ${more} more`)] : lines;
}

function objectLine(state: ScreenState, object: ShownObject, isMarked: boolean): Line {
  const { kind, namespace, name, conditions } = object;
  const words = conditions.map(
    ({ type, status, reason }) => `${type}=${status}${reason ? ` (${reason})` : ""}`,
  );
  const states = conditions.map(({ type, status, reason }) => conditionTone(type, status, reason));
  const objectKey = namespace ? `${namespace}/${name}` : name;
  const failure = about(state, object, state.failures);
  const tone: Tone = failure || states.includes("bad") ? "bad" : isReady(states) ? "good" : "busy";
  const sign = about(state, object, state.running) ? "↻" : signs[tone];
  const failed = failure ? `  reconcile failed ${count(failure.times, "time")}: ${failure.error ?? ""}` : "";
  return {
    text: `${isMarked ? ">" : " "} ${sign} ${kind} ${objectKey}  ${words.join(", ") || "no conditions yet"}${failed}`,
    style: styles[tone],
  };
}

/** Returns true if something is as it should be, and nothing is on its way. */
function isReady(states: readonly Tone[]): boolean {
  return states.includes("good") && !states.includes("busy");
}

/** Wraps errors, and leaves other lines to be cut. */
function logLines(line: LogLine, columns: number): Line[] {
  const text = textOfLine(line);
  if (line.text.startsWith("error")) return wrapped({ text, style: "red" }, columns);
  return [{ text, style: line.text.startsWith("warn") ? "yellow" : undefined }];
}

function diffOf(state: ScreenState, space: number): readonly Line[] {
  const key = shownKey(state);
  const object = key === undefined ? undefined : state.objects.get(key);
  if (!object) return [dim("No object has changed yet.")];
  const change = {
    path: object.name,
    action: "update",
    ownership: "generated",
    before: object.before,
    content: object.now,
  } as const;
  const [, , ...lines] = formatUnifiedDiff(change).trimEnd().split("\n");
  const title = object.before === undefined ? "made" : "last change";
  const heading: Line = { text: `${object.kind} ${object.name}: ${title}`, style: "bold" };
  return shortened([heading, ...lines.map(diffLine)], space);
}

function diffLine(text: string): Line {
  const styles: Readonly<Record<string, Style>> = { "+": "green", "-": "red", "@": "cyan" };
  const style = styles[text.slice(0, 1)];
  return style ? { text, style } : { text };
}

function failuresOf(
  { failures, findings, root, skipped }: ScreenState,
  space: number,
  columns: number,
): readonly Line[] {
  const found = findings.map(({ title, text }): Line[] => [
    { text: `! ${title}`, style: ["yellow", "bold"] },
    ...wrapped({ text: `  ${text}` }, columns),
    { text: "" },
  ]);
  const failed = [...failures.values()]
    .toReversed()
    .map(({ at, controller, request, error = "", stack, times }): Line[] => {
      const { message, frames } = readableError(error, stack, root);
      const advice = connectionAdvice(error);
      return [
        {
          text: `${controller} ${request}: failed ${count(times, "time")} in a row, at ${at.slice(11, 19)}`,
          style: ["red", "bold"],
        },
        ...[...message.split("\n"), ...frames].flatMap((text) =>
          wrapped({ text, ...(text.startsWith("    …") && { style: "dim" as const }) }, columns),
        ),
        ...(advice === undefined ? [] : wrapped({ text: `hint: ${advice}`, style: "yellow" }, columns)),
        { text: "" },
      ];
    });
  const well: Line[] = [
    { text: "The last reconcile of every object succeeded.", style: "green" },
    { text: "" },
  ];
  const all = [...found, ...failed];
  // Some may have ended since the user moved.
  const shown = all.slice(Math.min(skipped, Math.max(0, all.length - 1))).flat();
  return shortened([...(failures.size === 0 ? well : []), ...shown], space);
}

function helpOf({ cluster }: ScreenState, columns: number): Line[] {
  const keys = [
    "q          stop the operator and the cluster; also Ctrl-C",
    "s          apply config/samples",
    "up, down   select another object",
    "d          the last change of the selected object",
    "e          reconciles that fail, with their stacks, and probable mistakes with advice",
    "o          the page in your browser: causes, requests, changes and time of everything",
    "k          a shell with this KUBECONFIG; exit comes back",
  ];
  const more = [
    "✓ as it should be   ◐ on its way   ✗ failed   · says nothing   ↻ is being reconciled   ! a probable mistake",
    `Every reconcile is recorded in .tsbuilder/dev/reconciles.jsonl, with causes, requests and stack; --record FILE records the session.`,
    "dev doesn't check types: your editor does, and npm run vet.",
  ];
  return [
    { text: "Keys", style: "bold" },
    ...keys.map((text) => ({ text })),
    { text: "" },
    ...(cluster ? [{ text: `The page: ${cluster.page}` }] : []),
    ...more.flatMap((text) => wrapped({ text }, columns)),
  ];
}

function keysOf({ view, failures, findings }: ScreenState): string {
  const problems = failures.size + findings.length;
  const errors = problems > 0 ? `e errors (${problems})` : "e errors";
  switch (view) {
    case "overview":
      return `q quit  s samples  d diff  ${errors}  o page  k shell  ? help  up/down select`;
    case "diff":
      return "q quit   d back   up/down select another object";
    case "failures":
      return `q quit   e back${problems > 1 ? "   up/down the others" : ""}`;
    case "help":
      return "q quit   ? back";
  }
}

function dim(text: string): Line {
  return { text, style: "dim" };
}

/** Cuts lines to the space, and replaces the rest by the number of further lines. */
function shortened(lines: readonly Line[], space: number): readonly Line[] {
  if (lines.length <= space) return lines;
  const kept = Math.max(0, space - 1);
  return [...lines.slice(0, kept), dim(`... ${count(lines.length - kept, "more line")}`)];
}

/** Wraps a line at the width of the screen. The further lines have its indent and two more spaces. */
function wrapped({ text, style }: Line, columns: number): Line[] {
  const indent = `${/^ */u.exec(text)?.[0] ?? ""}  `;
  const width = Math.max(columns, indent.length + 10);
  const lines: Line[] = [];
  let rest = Array.from(onOneLine(text));
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const end = space > indent.length ? space : width;
    lines.push({ text: rest.slice(0, end).join(""), style });
    rest = [...Array.from(indent), ...rest.slice(space > indent.length ? end + 1 : end)];
  }
  return [...lines, { text: rest.join(""), style }];
}

function cutTo(text: string, columns: number): string {
  const characters = Array.from(onOneLine(text));
  return characters.length <= columns
    ? characters.join("")
    : `${characters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}

/** Makes a text safe for one line: escape sequences from the operator or an object must not move the cursor. */
export function onOneLine(text: string): string {
  return visibleText(stripVTControlCharacters(text)).replaceAll("\t", "  ").replaceAll(/\r?\n/gu, " ");
}
