import { formatScalar } from "./format-scalar.ts";

type Runes = string | readonly string[];

/** Sorts keys as go-yaml does: letters after everything else, runs of digits by their number. */
export function compareKeys(a: string, b: string): number {
  // Without surrogates, a text is a list of its runes, and is read without a copy.
  if (surrogate.test(a) || surrogate.test(b)) return compareRunes(Array.from(a), Array.from(b));
  return compareRunes(a, b);
}

function compareRunes(left: Runes, right: Runes): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) if (left[at] !== right[at]) return compareAt(left, right, at);
  return left.length - right.length;
}

function compareAt(left: Runes, right: Runes, at: number): number {
  const [a, b] = [left[at]!, right[at]!];
  const [aIsLetter, bIsLetter] = [isLetter(a), isLetter(b)];
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

function hasSignificantDigitBefore(runes: Runes, at: number): boolean {
  for (let i = at - 1; i >= 0 && digit.test(runes[i]!); i--) if (runes[i] !== "0") return true;
  return false;
}

function digitsFrom(runes: Runes, at: number): string {
  let digits = "";
  for (let end = at; end < runes.length && digit.test(runes[end]!); end++) digits += runes[end];
  return digits;
}

/** The number of characters of a text. */
function countRunes(text: string): number {
  return surrogate.test(text) ? Array.from(text).length : text.length;
}

const surrogate = /[\ud800-\udfff]/;

function isLetter(rune: string): boolean {
  const code = rune.charCodeAt(0);
  // A small letter begins where the capital one does, and 32.
  return code < 0x80 ? (code | 32) >= 97 && (code | 32) <= 122 : letter.test(rune);
}

const letter = /^\p{L}$/u;

const digit = /^\d$/u;

/** A value in our YAML documents. A bigint is an integer that a number does not represent exactly. */
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

/** Where a node begins: behind a key, or behind the `-` or `:` that introduces it, on the line that is being written. */
interface Start {
  readonly inMapping: boolean;
  readonly isInline: boolean;
}

/** Writes piece by piece into one list: a CRD with pod templates has ten thousand lines. */
class Emitter {
  readonly #out: string[] = [];
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
      this.node(item, isCollection(item) ? at + 2 : at, at + 2, inline);
    }
  }

  #mapping(
    mapping: { readonly [key: string]: YamlValue | undefined },
    indent: number,
    { isInline }: Start,
  ): void {
    const keys = definedKeys(mapping);
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
    for (let i = 0; i < keys.length; i++) {
      if (i > 0 || !isInline) this.#newLine(indent);
      this.#entry(keys[i]!, mapping[keys[i]!]!, indent);
    }
    texts?.set(indent, this.#out.slice(start).join(""));
  }

  #entry(key: string, value: YamlValue, indent: number): void {
    const simple = simpleKey(key);
    if (simple === undefined) {
      // go-yaml writes long keys, and those of several lines, in the explicit form.
      this.#out.push(`? ${formatScalar(key, indent + 2, indent + 2)}`);
      this.#newLine(indent);
      this.#out.push(": ");
      this.node(value, isCollection(value) ? indent + 2 : indent, indent + 2, inline);
      return;
    }
    const { text, width } = simple;
    this.#out.push(text);
    const isNested = isCollection(value) && !isEmpty(value as object);
    if (!isNested) this.#out.push(" ");
    this.node(value, isCollection(value) ? indent + 2 : indent, indent + width + 1, belowKey);
  }

  #newLine(indent: number): void {
    this.#out.push((lineStarts[indent] ??= `\n${" ".repeat(indent)}`));
  }
}

/** A line break and an indent, by the indent. */
const lineStarts: string[] = [];

const belowKey: Start = { inMapping: true, isInline: false };

const inline: Start = { inMapping: false, isInline: true };

/** The keys with a value, sorted. */
function definedKeys(mapping: { readonly [key: string]: YamlValue | undefined }): string[] {
  const keys: string[] = [];
  for (const key of Object.keys(mapping)) if (mapping[key] !== undefined) keys.push(key);
  return keys.length > 1 ? keys.sort(compareKeys) : keys;
}

interface SimpleKey {
  /** With its colon. */
  readonly text: string;
  /** In characters. */
  readonly width: number;
}

/** A schema repeats few keys thousands of times. */
const simpleKeys = new Map<string, SimpleKey>();

const keptKeys = 10_000;

/** Undefined for a key in the explicit form. */
function simpleKey(key: string): SimpleKey | undefined {
  const known = simpleKeys.get(key);
  if (known !== undefined) return known;
  if (key.includes("\n") || (key.length > 42 && Buffer.byteLength(key) > 128)) return undefined;
  const text = `${formatScalar(key, 0, Number.NEGATIVE_INFINITY)}:`;
  const simple = { text, width: countRunes(text) };
  if (simpleKeys.size >= keptKeys) simpleKeys.clear();
  simpleKeys.set(key, simple);
  return simple;
}

function isCollection(value: YamlValue): boolean {
  return typeof value === "object" && value !== null;
}

function isEmpty(value: object): boolean {
  for (const item of Object.values(value)) if (item !== undefined) return false;
  return true;
}
