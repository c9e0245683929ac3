import { compareText } from "../text/index.ts";
import { formatScalar } from "./format-scalar.ts";

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
export function emitYaml(value: YamlValue, shared?: SharedMappings): string {
  const emitter = new Emitter(shared);
  emitter.node(value, 0, 0, { inMapping: false, isInline: true });
  return emitter.text();
}

/** Mappings that stand in many documents at the same depth: each is written once, and its text kept. */
export class SharedMappings {
  readonly #texts = new WeakMap<object, Map<number, string>>();

  add(mapping: object): void {
    if (!this.#texts.has(mapping)) this.#texts.set(mapping, new Map());
  }

  /** The texts of a shared mapping by its indent; undefined if it isn't shared. */
  textsOf(mapping: object): Map<number, string> | undefined {
    return this.#texts.get(mapping);
  }
}

function sortKeys(keys: string[]): string[] {
  return keys.every(isPlainWord) ? keys.sort(compareText) : keys.sort(compareKeys);
}

/** Sorts keys as go-yaml does: letters after everything else, runs of digits by their number. */
export function compareKeys(a: string, b: string): number {
  if (isPlainWord(a) && isPlainWord(b)) return compareText(a, b);
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
  const [aIsLetter, bIsLetter] = [letter.test(a), letter.test(b)];
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
  for (let i = at - 1; i >= 0 && digit.test(runes[i]!); i--) if (runes[i] !== "0") return true;
  return false;
}

function digitsFrom(runes: string[], at: number): string {
  let end = at;
  while (end < runes.length && digit.test(runes[end]!)) end++;
  return runes.slice(at, end).join("");
}

const letter = /^\p{L}$/u;
const digit = /^\d$/u;
const isPlainWord = (key: string): boolean => /^[A-Za-z]*$/u.test(key);

/** Where a node begins: behind a key, or behind the `-` or `:` that introduces it, on the line that is being written. */
interface Start {
  readonly inMapping: boolean;
  readonly isInline: boolean;
}

/** Writes piece by piece into one list: a CRD with pod templates has ten thousand lines. */
class Emitter {
  readonly #out: string[] = [];
  /** The texts of plain keys: the same few stand in a schema thousands of times. */
  readonly #keys = new Map<string, string>();
  readonly #shared: SharedMappings | undefined;

  constructor(shared?: SharedMappings) {
    this.#shared = shared;
  }

  text(): string {
    return `${this.#out.join("")}\n`;
  }

  /** `column` is where a scalar starts on the current line; collections use `indent` alone. */
  node(value: YamlValue, indent: number, column: number, start: Start): void {
    if (Array.isArray(value)) this.#sequence(value as readonly YamlValue[], indent, start);
    else if (typeof value === "object" && value !== null) {
      this.#mapping(value as { readonly [key: string]: YamlValue | undefined }, indent, start);
    } else this.#out.push(formatScalar(value, indent + 2, column));
  }

  #sequence(items: readonly YamlValue[], indent: number, { inMapping, isInline }: Start): void {
    if (items.length === 0) {
      this.#out.push("[]");
      return;
    }
    // Inside a mapping, the dashes stand below the key and not to its right.
    const at = inMapping ? indent - 2 : indent;
    for (const [i, item] of items.entries()) {
      if (i > 0 || !isInline) this.#newLine(at);
      this.#out.push("- ");
      this.node(item, isCollection(item) ? at + 2 : at, at + 2, { inMapping: false, isInline: true });
    }
  }

  #mapping(
    mapping: { readonly [key: string]: YamlValue | undefined },
    indent: number,
    { isInline }: Start,
  ): void {
    const keys = Object.keys(mapping).filter((key) => mapping[key] !== undefined);
    if (keys.length === 0) {
      this.#out.push("{}");
      return;
    }
    const texts = isInline ? undefined : this.#shared?.textsOf(mapping);
    const known = texts?.get(indent);
    if (known !== undefined) {
      this.#out.push(known);
      return;
    }
    const start = this.#out.length;
    for (const [i, key] of sortKeys(keys).entries()) {
      if (i > 0 || !isInline) this.#newLine(indent);
      this.#entry(key, mapping[key]!, indent);
    }
    texts?.set(indent, this.#out.slice(start).join(""));
  }

  #entry(key: string, value: YamlValue, indent: number): void {
    // go-yaml writes long keys, and those of several lines, in the explicit form.
    const isSimple = (key.length <= 42 || Buffer.byteLength(key) <= 128) && !key.includes("\n");
    const written = isSimple ? this.#simpleKey(key) : formatScalar(key, indent + 2, indent + 2);
    this.#out.push(isSimple ? `${written}:` : `? ${written}`);
    if (!isSimple) {
      this.#newLine(indent);
      this.#out.push(":");
    }
    const isNested = isCollection(value) && !isEmpty(value as object);
    if (!isNested || !isSimple) this.#out.push(" ");
    const column = indent + (isSimple ? countCharacters(written) : 0) + 2;
    const inner = isCollection(value) ? indent + 2 : indent;
    this.node(value, inner, column, { inMapping: isSimple, isInline: !isSimple });
  }

  #simpleKey(key: string): string {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const written = formatScalar(key, 0, Number.NEGATIVE_INFINITY);
    this.#keys.set(key, written);
    return written;
  }

  #newLine(indent: number): void {
    this.#out.push(`\n${" ".repeat(indent)}`);
  }
}

function isCollection(value: YamlValue): boolean {
  return typeof value === "object" && value !== null;
}

function countCharacters(text: string): number {
  return isPlainWord(text) ? text.length : Array.from(text).length;
}

function isEmpty(value: object): boolean {
  return Object.values(value).every((item) => item === undefined);
}
