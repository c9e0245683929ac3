import { isObject, memberOf } from "@tsbuilder/apimachinery/json";
import type { Document, Node, Pair } from "yaml";
import { LineCounter, isAlias, isMap, isScalar, isSeq, parseAllDocuments } from "yaml";
import { type Position, TsbuilderError } from "../shared/errors.ts";
import { readYaml } from "../shared/read-yaml.ts";

type Step = string | number;

/** A value in a YAML file, with its position. Members of a missing value are missing, too, so that no access throws. */
export class Located {
  readonly #source: Source;
  readonly #path: readonly Step[];
  /** The value; undefined if it is missing. */
  readonly value: unknown;

  constructor(source: Source, value: unknown, path: readonly Step[] = []) {
    this.#source = source;
    this.#path = path;
    this.value = value;
  }

  /** Returns the member at a path, which may be missing. */
  get(...steps: readonly Step[]): Located {
    return new Located(this.#source, steps.reduce(childOf, this.value), [...this.#path, ...steps]);
  }

  /** The elements of a list; none if it is not a list. */
  get items(): Located[] {
    return Array.isArray(this.value) ? this.value.map((_, index) => this.get(index)) : [];
  }

  /** The members of an object; none if it is not an object. */
  get entries(): [key: string, value: Located][] {
    return isObject(this.value) ? Object.keys(this.value).map((key) => [key, this.get(key)]) : [];
  }

  /** The value if it is a text, and undefined otherwise. */
  get text(): string | undefined {
    return typeof this.value === "string" ? this.value : undefined;
  }

  /** The texts of a list, without its other elements. */
  get texts(): string[] {
    return this.items.flatMap(({ text }) => text ?? []);
  }

  /** True for null, too: an API server drops it. */
  get isMissing(): boolean {
    return this.value === undefined || this.value === null;
  }

  get file(): string {
    return this.#source.file;
  }

  /** The path in the document: `spec.installModes[0]`. */
  get path(): string {
    return this.#path
      .map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${step}`))
      .join("");
  }

  /** The position of a scalar, or of a collection's key. For a missing value, the position of its nearest parent. */
  get at(): Position {
    return this.#source.locate(this.#path);
  }

  /** Returns the value at the path of a field error, such as `spec.list[0].a.b`, or its nearest parent. */
  find(path: string): Located {
    if (path === "") return this;
    if (Array.isArray(this.value)) {
      const [matched = "", index] = /^\[(\d+)\]\.?/u.exec(path) ?? [];
      return index === undefined ? this : this.get(Number(index)).find(path.slice(matched.length));
    }
    // Keys of maps may contain dots, and some errors put them into brackets.
    const rest = path.replace(/^\[/u, "");
    const [key] = this.entries
      .map(([name]) => name)
      .filter((name) => rest.startsWith(name) && /^(?:$|[.[\]])/u.test(rest.slice(name.length)))
      .sort((a, b) => b.length - a.length);
    return key === undefined ? this : this.get(key).find(rest.slice(key.length).replace(/^\]?\.?/u, ""));
  }
}

function childOf(value: unknown, step: Step): unknown {
  if (Array.isArray(value)) return typeof step === "number" ? (value[step] as unknown) : undefined;
  return isObject(value) ? memberOf(value, String(step)) : undefined;
}

/** A document of a YAML file; it is parsed for positions only if one is asked for. */
class Source {
  readonly file: string;
  readonly #text: string;
  readonly #index: number;
  #parsed: { readonly document: Document.Parsed | undefined; readonly lines: LineCounter } | undefined;

  constructor(file: string, text: string, index = 0) {
    this.file = file;
    this.#text = text;
    this.#index = index;
  }

  locate(path: readonly Step[]): Position {
    const { document, lines } = (this.#parsed ??= this.#parse());
    const offset = document ? offsetOf(document, path) : 0;
    const { line, col } = lines.linePos(offset);
    return { file: this.file, line: Math.max(1, line), column: Math.max(1, col) };
  }

  #parse(): { document: Document.Parsed | undefined; lines: LineCounter } {
    const lines = new LineCounter();
    const documents = parseAllDocuments(this.#text, { lineCounter: lines, uniqueKeys: false });
    return { document: documents[this.#index], lines };
  }
}

/** Returns the offset of the value at a path, or of its nearest parent. Follows aliases. */
function offsetOf(document: Document.Parsed, path: readonly Step[]): number {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? document.range[0];
  for (const step of path) {
    const target: Node | null | undefined = isAlias(node) ? node.resolve(document) : node;
    if (isSeq<Node>(target) && typeof step === "number" && target.items[step]) {
      node = target.items[step];
      offset = node.range?.[0] ?? offset;
    } else if (isMap<Node, Node | null>(target)) {
      const pair: Pair<Node, Node | null> | undefined = target.items.find(
        ({ key }) => isScalar(key) && String(key.value) === String(step),
      );
      if (!pair) return offset;
      node = pair.value;
      const start = isScalar(node) && node.value !== null ? node : pair.key;
      offset = start.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

/** Reads the documents of a YAML file, without empty ones. Returns the error if the file is not YAML. */
export function readDocuments(file: string, text: string): Located[] | TsbuilderError {
  try {
    const values = readYaml(file, text, { code: "INVALID_SOURCE", hint: "fix the file" });
    return values
      .map((value, index) => new Located(new Source(file, text, index), value))
      .filter(({ isMissing }) => !isMissing);
  } catch (error) {
    if (error instanceof TsbuilderError) return error;
    throw error;
  }
}

/** Returns a file without content: all its values are missing, with the position of its beginning. */
export function missingFile(file: string): Located {
  return new Located(new Source(file, ""), undefined);
}
