import { compareText, visibleText } from "@tsbuilder/apimachinery/text";
import { styleText } from "node:util";
import { quoteWord } from "../../shared/text.ts";
import { formatUnifiedDiff } from "../../scaffold/unified-diff.ts";
import type { ShownObject } from "../dev-event.ts";
import { numbersLine } from "./numbers-line.ts";
import { type ScreenState, shownKey } from "./screen-state.ts";

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

type Style = Parameters<typeof styleText>[0];

/** A line is cut to the screen's width before it is colored. */
interface Line {
  readonly text: string;
  readonly style?: Style;
}

/** Renders the state: as many lines as there are rows, none wider than the screen. */
export function renderScreen(state: ScreenState, { columns, rows }: ScreenSize): string[] {
  const keys: Line = { text: keysOf(state), style: "dim" };
  const head = headOf(state);
  const space = Math.max(0, rows - head.length - 1);
  const body = state.isDiffShown ? diffOf(state, space) : bodyOf(state, space);
  const empty = Array.from({ length: Math.max(0, space - body.length) }, (): Line => ({ text: "" }));
  return [...[...head, ...body.slice(0, space), ...empty].slice(0, Math.max(0, rows - 1)), keys]
    .slice(0, rows)
    .map(({ text, style }) => {
      const cut = cutTo(text, columns);
      return style && cut !== "" ? styleText(style, cut, { validateStream: false }) : cut;
    });
}

function headOf({ title, cluster, sample, note }: ScreenState): Line[] {
  const numbers = numbersLine(sample);
  return [
    { text: cluster ? `${title}  ${cluster.url}` : title, style: "bold" },
    ...(cluster ? [{ text: `KUBECONFIG=${quoteWord(cluster.kubeconfig)}`, style: "dim" as const }] : []),
    ...(numbers === undefined ? [] : [{ text: numbers, style: "dim" as const }]),
    { text: note, style: "cyan" },
    { text: "" },
  ];
}

/** Objects get a third of the rows, errors up to half, and the log the rest. */
function bodyOf(state: ScreenState, space: number): Line[] {
  const problem = problemOf(state).slice(0, Math.max(3, Math.floor(space / 2)));
  const objects = objectsOf(state, Math.max(2, Math.floor(space / 3)));
  const left = Math.max(0, space - problem.length - objects.length - 1);
  const log = state.log.slice(Math.max(0, state.log.length - left)).map(logLine);
  return [
    ...problem,
    ...objects,
    ...(log.length > 0 ? [{ text: "Operator", style: "bold" as const }] : []),
    ...log,
  ];
}

function problemOf({ problem }: ScreenState): Line[] {
  if (problem === undefined) return [];
  const lines = problem.split("\n").map((text, index): Line => {
    if (index === 0) return { text, style: ["red", "bold"] };
    return text.startsWith("hint:") ? { text, style: "yellow" } : { text };
  });
  return [...lines, { text: "" }];
}

function objectsOf(state: ScreenState, most: number): Line[] {
  const sorted = [...state.objects].toSorted(([a], [b]) => compareText(a, b));
  if (sorted.length === 0)
    return [{ text: "No objects yet: press s to apply config/samples.", style: "dim" }, { text: "" }];
  const marked = shownKey(state);
  const at = Math.max(
    0,
    sorted.findIndex(([key]) => key === marked),
  );
  const first = Math.max(0, Math.min(at - most + 2, sorted.length - most));
  const seen = sorted.slice(first, first + most);
  const hidden = sorted.length - seen.length;
  return [
    { text: `Objects${hidden > 0 ? ` (${hidden} more: use the arrow keys)` : ""}`, style: "bold" },
    ...seen.map(([key, object]) => objectLine(object, key === marked)),
    { text: "" },
  ];
}

function objectLine({ kind, namespace, name, conditions }: ShownObject, isMarked: boolean): Line {
  const words = conditions.map(
    ({ type, status, reason }) => `${type}=${status}${reason ? ` (${reason})` : ""}`,
  );
  const isWell = conditions.length > 0 && conditions.every(({ status }) => status === "True");
  const where = namespace ? `${namespace}/${name}` : name;
  return {
    text: `${isMarked ? ">" : " "} ${kind} ${where}  ${words.join(", ") || "no conditions yet"}`,
    style: isWell ? "green" : "yellow",
  };
}

function logLine(text: string): Line {
  if (/^[\d:]* error/.test(text)) return { text, style: "red" };
  return /^[\d:]* warn/.test(text) ? { text, style: "yellow" } : { text };
}

function diffOf(state: ScreenState, space: number): Line[] {
  const key = shownKey(state);
  const object = key === undefined ? undefined : state.objects.get(key);
  if (!object) return [{ text: "No object has changed yet.", style: "dim" }];
  const change = {
    path: object.name,
    action: "update",
    ownership: "generated",
    before: object.before,
    content: object.now,
  } as const;
  const [, , ...lines] = formatUnifiedDiff(change).trimEnd().split("\n");
  const title = object.before === undefined ? "made" : "last change";
  const cutOff = lines.length - (space - 1);
  const shown = cutOff > 0 ? [...lines.slice(0, space - 2), `... ${cutOff + 1} more lines`] : lines;
  return [{ text: `${object.kind} ${object.name}: ${title}`, style: "bold" }, ...shown.map(diffLine)];
}

function diffLine(text: string): Line {
  const styles: Readonly<Record<string, Style>> = { "+": "green", "-": "red", "@": "cyan" };
  const style = styles[text.slice(0, 1)];
  return style ? { text, style } : { text };
}

function keysOf({ isDiffShown }: ScreenState): string {
  return isDiffShown
    ? "q quit   d back   up/down select another object"
    : "q quit  s samples  d diff  o page  k shell  up/down select";
}

function cutTo(text: string, columns: number): string {
  const characters = Array.from(visibleText(text).replaceAll("\t", "  "));
  return characters.length <= columns
    ? characters.join("")
    : `${characters.slice(0, Math.max(0, columns - 1)).join("")}…`;
}
