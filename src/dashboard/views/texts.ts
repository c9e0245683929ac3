import { visibleText } from "@tsbuilder/apimachinery/text";
import type { ObjectMeta, Tone } from "@tsbuilder/apimachinery/meta";
import { toneWords } from "../../dev/view/standing.ts";

/** Formats the time of day in UTC with milliseconds, as `tsbuilder replay` does. */
export function timeOfDay(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : "";
}

/** Formats a duration in its most readable unit. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1) return "under 1 ms";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

/** Formats a number: `2,812`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
}

/** Formats a number of things: `1 object`, `2,812 reconciles`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** What a filter may ask about something besides its text: `kind:Pod`, `ns:shop`, `is:failing`. */
export interface Facts {
  readonly kind?: string;
  readonly key?: string;
  readonly tone?: Tone;
}

/** Returns the term of a filter for a tone: `is:progress`. A first word would not do: "in" is a part of "failing". */
export function toneTerm(tone: Tone): string {
  return `is:${toneWords[tone].split(" ").at(-1)}`;
}

/** Says how the own objects stand. Requests fail, too, whose objects are of other kinds, were deleted, or are not in the record. */
export function verdictText(
  { bad, busy, good, none }: Readonly<Record<Tone, number>>,
  failures: number,
): string {
  const all = bad + busy + good + none;
  if (bad > 0) return `${grouped(bad)} of ${counted(all, "object")} failing`;
  if (failures > 0) return `${counted(failures, "request")} failing`;
  if (all === 0) return "No objects of your kinds yet";
  if (busy > 0) return `${grouped(busy)} of ${grouped(all)} still in progress`;
  if (none === all) return `${counted(all, "object")}, none failing`;
  if (none > 0) return `${grouped(good)} of ${grouped(all)} objects ready, ${grouped(none)} without a status`;
  return all === 1 ? "Your object is well" : `All ${grouped(all)} objects are well`;
}

/** Returns the command that shows an object. A shell would execute a name such as `$(id)`, and a third-party record may have one. */
export function kubectlCommand(resource: string, { namespace, name = "" }: ObjectMeta): string {
  const words = ["get", resource, name, ...(namespace === undefined ? [] : ["-n", namespace]), "-o", "yaml"];
  return ["kubectl", ...words.map(quoted)].join(" ");
}

function quoted(word: string): string {
  return /^[\w.:-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Returns a predicate for texts with all words of a filter, in any case. A term such as `is:failing` asks for a fact. `kind:` finds
 * the kinds that begin so, unless one is called so: MySQL is not MySQLBackup.
 */
export function matcher(
  filter: string,
  record: { readonly kinds: Iterable<string> } = { kinds: [] },
): (text: string, facts?: Facts) => boolean {
  const words = filter.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return () => true;
  const kinds = new Set(filter.includes(":") ? [...record.kinds].map((kind) => kind.toLowerCase()) : []);
  return (text, { kind = "", key = "", tone } = {}) => {
    const lower = text.toLowerCase();
    return words.every((word) => {
      const [, name, value = ""] = /^(kind|ns|is):(.*)$/u.exec(word) ?? [];
      if (name === undefined) return lower.includes(word);
      if (name === "kind") {
        const own = kind.toLowerCase();
        return kinds.has(value) ? own === value : own.startsWith(value);
      }
      if (name === "ns") return key.toLowerCase().startsWith(value === "" ? "" : `${value}/`);
      return tone !== undefined && toneWords[tone].includes(value);
    });
  };
}

/** Shortens a path, or that of a stack's frame, to the part that a project's people know: from `src`, `api` or the like on. */
export function shortPath(text: string): string {
  return text.replace(
    /(^|\(|^\s+at (?:async )?)(?:file:\/\/)?\/.*?\/?(?=(?:src|api|cmd|internal|lib)\/)/u,
    "$1",
  );
}

interface Node {
  readonly type: unknown;
  props: unknown;
}

/**
 * Passes the text and the title of a node through `visibleText()`: texts come from a cluster, or from a recording by
 * somebody else, and characters that change the direction of text could disguise a difference.
 */
export function showAllCharacters(node: Node): void {
  const { type, props } = node;
  if (type === null && typeof props === "string" && isUnusual.test(props)) node.props = visibleText(props);
  const titled = props as { title?: unknown } | null;
  if (typeof titled?.title === "string" && isUnusual.test(titled.title))
    titled.title = visibleText(titled.title);
}

/** Finds characters beside those of ASCII that are printed. Nearly all texts have none, and every frame passes thousands through here. */
const isUnusual = /[^ -~]/;
