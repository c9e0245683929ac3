import { formatScalar } from "./yaml-scalar.ts";

/** What a YAML document of ours holds. A bigint is an integer beyond what a number keeps exactly. */
export type YamlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue | undefined };

/**
 * Writes a value the way go-yaml v2 does, byte for byte: kubectl, kustomize and controller-gen print that form, so
 * a file of ours shows no difference to theirs. Keys are sorted, sequences inside a mapping are not indented.
 */
export function emitYaml(value: YamlValue): string {
  return emitNode(value, 0, 0, false).replace(/^\n/u, "").concat("\n");
}

/** Sorts keys as go-yaml does: letters after everything else, runs of digits by their number. */
export function compareKeys(a: string, b: string): number {
  if (isPlainWord(a) && isPlainWord(b)) return a < b ? -1 : a > b ? 1 : 0;
  const left = Array.from(a);
  const right = Array.from(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    if (left[i] === right[i]) continue;
    return compareRunes(left, right, i);
  }
  return left.length - right.length;
}

function compareRunes(left: string[], right: string[], at: number): number {
  const [a, b] = [left[at]!, right[at]!];
  const [aIsLetter, bIsLetter] = [LETTER.test(a), LETTER.test(b)];
  if (aIsLetter !== bIsLetter) return aIsLetter ? 1 : -1;
  if (!aIsLetter) {
    // A zero inside a longer run of digits counts as a place, not as a leading zero.
    const prefix = (a === "0" || b === "0") && hasSignificantDigitBefore(left, at) ? "1" : "";
    const [aRun, bRun] = [digitsFrom(left, at), digitsFrom(right, at)];
    const difference = Number(`${prefix}${aRun}` || 0) - Number(`${prefix}${bRun}` || 0);
    if (difference !== 0) return difference;
    if (aRun.length !== bRun.length) return aRun.length - bRun.length;
  }
  return a.codePointAt(0)! - b.codePointAt(0)!;
}

function hasSignificantDigitBefore(runes: string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && DIGIT.test(runes[i]!); i--) if (runes[i] !== "0") return true;
  return false;
}

function digitsFrom(runes: string[], at: number): string {
  let end = at;
  while (end < runes.length && DIGIT.test(runes[end]!)) end++;
  return runes.slice(at, end).join("");
}

const LETTER = /^\p{L}$/u;
const DIGIT = /^\d$/u;
const isPlainWord = (key: string): boolean => /^[A-Za-z]*$/u.test(key);

/** Column is where the value would start on the line of its key, the space before it included. */
function emitNode(value: YamlValue, indent: number, column: number, inMapping: boolean): string {
  if (Array.isArray(value)) return emitSequence(value as readonly YamlValue[], indent, inMapping);
  if (typeof value === "object" && value !== null) {
    return emitMapping(value as { readonly [key: string]: YamlValue | undefined }, indent);
  }
  return ` ${formatScalar(value, indent + 2, column)}`;
}

function emitSequence(items: readonly YamlValue[], indent: number, inMapping: boolean): string {
  if (items.length === 0) return " []";
  const at = inMapping ? indent - 2 : indent;
  const pad = " ".repeat(at);
  let text = "";
  for (const item of items) {
    const node = emitNode(item, isCollection(item) ? at + 2 : at, at + 2, false);
    text += `\n${pad}-${compact(node, at + 2)}`;
  }
  return text;
}

function emitMapping(mapping: { readonly [key: string]: YamlValue | undefined }, indent: number): string {
  const keys = Object.keys(mapping).filter((key) => mapping[key] !== undefined);
  if (keys.length === 0) return " {}";
  const pad = " ".repeat(indent);
  let text = "";
  for (const key of keys.sort(compareKeys)) {
    const value = mapping[key]!;
    const written = formatScalar(key, indent + 2, Number.NEGATIVE_INFINITY);
    const isSimple = Buffer.byteLength(key) <= 128;
    const start = isSimple ? `${written}:` : `? ${written}\n${pad}:`;
    const column = indent + Array.from(isSimple ? written : "").length + 2;
    const node = emitNode(value, isCollection(value) ? indent + 2 : indent, column, isSimple);
    text += `\n${pad}${start}${isSimple ? node : compact(node, indent + 2)}`;
  }
  return text;
}

/** Puts the first line of a nested block behind the `-` or `:` that introduces it. */
function compact(node: string, indent: number): string {
  return node.startsWith("\n") ? ` ${node.slice(1 + indent)}` : node;
}

function isCollection(value: YamlValue): boolean {
  return typeof value === "object" && value !== null;
}
