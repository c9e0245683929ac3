import { type JSONObject, setMember } from "@tsbuilder/apimachinery/json";
import { compareText, goFloat, goValue } from "@tsbuilder/apimachinery/text";
import * as yaml from "yaml";

/**
 * Reads the first document of a text in YAML as the API server does: plain scalars by the rules of YAML 1.1, so that `yes`
 * is true and `0644` is octal, but without its times and sexagesimal numbers. What is behind the first document is ignored.
 */
export function parseGoYAML(text: string): unknown {
  return new Reader(text).read();
}

/** Lists the duplicate keys of a YAML text as Go reports them, by the line on which the value begins. */
export function findDuplicateKeys(text: string): readonly string[] {
  const reader = new Reader(text);
  reader.read();
  return reader.duplicates.map(({ key, start }) => {
    const line = text.slice(0, start).split("\n").length;
    return `line ${line}: key ${key === null ? "<nil>" : JSON.stringify(key)} already set in map`;
  });
}

/** Turns the nodes of a document into the values that Go makes of them, in the order of the text. */
class Reader {
  readonly #text: string;
  readonly #anchors = new Map<string, yaml.Node>();
  readonly #targets = new Map<yaml.Alias, yaml.Node>();
  /** The aliases that are being followed. */
  readonly #followed = new Set<yaml.Alias>();
  #nodes = 0;
  #aliasedNodes = 0;
  readonly duplicates: { readonly key: unknown; readonly start: number }[] = [];

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/u, "");
  }

  read(): unknown {
    const { contents } = readDocument(this.#text);
    return contents ? toJSON(this.#value(contents, false)) : null;
  }

  #value(node: yaml.Node, inFlow: boolean): unknown {
    this.#count();
    if (yaml.isAlias(node)) return this.#follow(node, (target) => this.#value(target, true));
    this.#remember(node);
    if (!inFlow) this.#checkTab(node);
    if (yaml.isSeq<yaml.Node>(node))
      return node.items.map((item) => this.#value(item, inFlow || node.flow === true));
    if (!yaml.isMap(node)) return this.#scalar(node as yaml.Scalar);
    const members = new Map<unknown, unknown>();
    this.#setMembers(node, members, inFlow || node.flow === true);
    return members;
  }

  /** Remembers the anchor of a node; one that is read again through an alias is not set again. */
  #remember(node: Exclude<yaml.Node, yaml.Alias>): void {
    if (node.anchor !== undefined && this.#followed.size === 0) this.#anchors.set(node.anchor, node);
  }

  /** Sets members in the order of the text, as Go does: the last one of several wins. */
  #setMembers(map: yaml.YAMLMap, members: Map<unknown, unknown>, inFlow: boolean): void {
    for (const { key, value } of map.items as yaml.Pair<yaml.Node, yaml.Node | null>[]) {
      if (isMerge(key)) {
        this.#merge(value, members);
        continue;
      }
      const name = this.#value(key, true);
      if (typeof name === "object" && name !== null)
        throw new ContentError(`yaml: invalid map key: ${goValue(toJSON(name))}`);
      const member = value ? this.#value(value, inFlow) : null;
      if (members.has(name)) this.duplicates.push({ key: name, start: (value?.range ?? key.range)![0] });
      members.set(name, member);
    }
  }

  /** Adds the members of a mapping, or of several: then the first one wins, and is added last. */
  #merge(value: yaml.Node | null, members: Map<unknown, unknown>): void {
    const sources = yaml.isSeq<yaml.Node>(value) ? value.items.toReversed() : [value];
    const add = (source: yaml.Node | null): void => {
      this.#count();
      if (yaml.isAlias(source)) this.#follow(source, add);
      else if (yaml.isMap(source)) {
        this.#remember(source);
        this.#setMembers(source, members, true);
      } else throw new ContentError("yaml: map merge requires map or sequence of maps as the value");
    };
    for (const source of sources) add(source);
  }

  #follow<T>(alias: yaml.Alias, read: (target: yaml.Node) => T): T {
    // An alias that is read again keeps its target, even if another node has the anchor by now.
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (!target) throw new ContentError(`yaml: unknown anchor '${alias.source}' referenced`);
    this.#targets.set(alias, target);
    if (this.#followed.has(alias))
      throw new ContentError(`yaml: anchor '${alias.source}' value contains itself`);
    this.#followed.add(alias);
    const value = read(target);
    this.#followed.delete(alias);
    return value;
  }

  /** Refuses, by Go's rule, a document of which too much comes from aliases: a small text could expand to gigabytes. */
  #count(): void {
    this.#nodes++;
    if (this.#followed.size > 0) this.#aliasedNodes++;
    if (this.#aliasedNodes <= 100 || this.#nodes <= 1000) return;
    const beyond = Math.min(Math.max(this.#nodes - 400_000, 0), 3_600_000);
    if (this.#aliasedNodes / this.#nodes > 0.99 - (0.89 * beyond) / 3_600_000)
      throw new ContentError("yaml: document contains excessive aliasing");
  }

  /** Refuses a tab where an indentation could be. */
  #checkTab({ range }: yaml.Node): void {
    const start = range?.[0] ?? 0;
    if (this.#text[start - 1] !== "\t") return;
    const before = this.#text.slice(this.#text.lastIndexOf("\n", start - 1) + 1, start);
    if (/^[ ?-]*\t\s*$/u.test(before))
      throw new ContentError(`yaml: ${this.#line(start)}found character that cannot start any token`);
  }

  #line(at: number): string {
    return `line ${this.#text.slice(0, at).split("\n").length}: `;
  }

  /** Refuses escaped slashes, as Go does, and removes the line break that `yaml` adds to a last block scalar. */
  #scalar({ value, type, range }: yaml.Scalar): unknown {
    const [from = 0, to = 0] = range ?? [];
    if (type === "QUOTE_DOUBLE") {
      const escape = /^(?:[^\\]|\\[^/])*\\\//u.exec(this.#text.slice(from, to));
      if (escape)
        throw new ContentError(`yaml: ${this.#line(from + escape[0].length)}found unknown escape character`);
    }
    const isLast = to >= this.#text.length && type?.startsWith("BLOCK_");
    return isLast && /\S/u.test(this.#text.slice(this.#text.lastIndexOf("\n")))
      ? (value as string).replace(/\n$/u, "")
      : value;
  }
}

/** Returns true for the key of a merge. */
function isMerge(key: yaml.Node): boolean {
  return (
    yaml.isScalar(key) && key.type === "PLAIN" && key.value === "<<" && /^$|:merge$/u.test(key.tag ?? "")
  );
}

/** Converts values to JSON as Go does, with sorted members, in whose order errors are reported. Other values have no form in JSON. */
function toJSON(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJSON);
  if (typeof value === "number" && !Number.isFinite(value))
    throw new ContentError(`json: unsupported value: ${goFloat(value)}`);
  if (!(value instanceof Map)) return value;
  const named = [...(value as ReadonlyMap<unknown, unknown>)].map(([key, member]) => {
    if (key !== null) return [nameOf(key), member] as const;
    const shown = member === null ? "<nil>" : goValue(toJSON(member));
    throw new ContentError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${shown}`);
  });
  const sorted: JSONObject<unknown> = {};
  for (const [name, member] of named.toSorted(([a], [b]) => compareText(a, b)))
    setMember(sorted, name, toJSON(member));
  return sorted;
}

/** Returns the name in JSON of a key in YAML: infinities and NaN are written as in YAML. */
function nameOf(key: unknown): string {
  if (typeof key !== "number" || Number.isFinite(key)) return String(key);
  return Number.isNaN(key) ? ".nan" : key > 0 ? ".inf" : "-.inf";
}

/** The words that plain scalars may be in YAML 1.1, with their values. */
const plainWords = new Map<string, boolean | null | number>([
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Infinity] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, -Infinity] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word) => [word, true] as const,
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word) => [word, false] as const,
  ),
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
]);

/** The value of a scalar without quotes: a word, a number or the text itself. Like Go, it ignores `_` between digits. */
function resolvePlain(text: string): unknown {
  const word = plainWords.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.\d]/u.test(text)) return text;
  const digits = text.startsWith(".") ? text : text.replaceAll("_", "");
  return parseInteger(digits) ?? parseFloatText(digits) ?? text;
}

/** Parses Go's integers of any base; a leading zero means octal. */
function parseInteger(text: string): number | undefined {
  const pattern = /^([-+]?)(?:(0x[\da-f]+|0b[01]+|[1-9]\d*|0)|0o?([0-7]+))$/iu;
  const [, sign, digits, octal] = pattern.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const value = Number(octal === undefined ? digits : `0o${octal}`);
  return sign === "-" ? -value : value;
}

function parseFloatText(text: string): number | undefined {
  if (!/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?$/iu.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const prefix = "tag:yaml.org,2002:";

const plainScalar: yaml.ScalarTag = {
  tag: `${prefix}plain`,
  default: true,
  test: /^/u,
  resolve: resolvePlain,
};

/** Reads `!!binary` as text, as Go does. */
const binaryScalar: yaml.ScalarTag = {
  tag: `${prefix}binary`,
  resolve(text) {
    const bytes = Buffer.from(text, "base64");
    if (bytes.toString("base64") === text.replaceAll(/[\r\n]/gu, "")) return bytes.toString();
    throw new TypeError("!!binary value contains invalid base64 data");
  },
};

/** The tags of scalars that say which type a plain scalar would have. */
const typedScalars = ["int", "float", "bool", "null", "timestamp"].map((tag): yaml.ScalarTag => ({
  tag: `${prefix}${tag}`,
  resolve(text) {
    const value = resolvePlain(text);
    const type = typeOf(value);
    if (type === tag || (type === "int" && tag === "float")) return value;
    throw new TypeError(`cannot decode !!${type} \`${text}\` as a !!${tag}`);
  },
}));

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "string") return timestamp.test(value) ? "timestamp" : "str";
  if (typeof value === "boolean") return "bool";
  return Number.isInteger(value) ? "int" : "float";
}

/** The times of YAML 1.1, which stay texts. */
const timestamp =
  /^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d+)?[ \t]*(?:Z|[-+]\d\d?(?::?\d\d)?)?)?$/u;

const options: yaml.ParseOptions & yaml.DocumentOptions & yaml.SchemaOptions = {
  schema: "failsafe",
  customTags: [plainScalar, binaryScalar, ...typedScalars],
  resolveKnownTags: false,
  uniqueKeys: false,
  // Warnings would go to standard error.
  logLevel: "error",
};

// oxlint-disable-next-line no-control-regex -- these are the characters that YAML does not allow
const controlCharacter = /[\0-\u0008\v\f\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]/u;

/** Reads the first document of a text. Go reads no further than the end of its content: errors behind it are ignored. */
function readDocument(text: string): yaml.Document {
  if (controlCharacter.test(text)) throw new ContentError("yaml: control characters are not allowed");
  const parser = new yaml.Parser();
  Object.assign(parser, { lexer: createLexer() });
  const documents = new yaml.Composer(options).compose(parser.parse(text), true, text.length);
  const document = documents.next().value as yaml.Document;
  const { explicit, version } = document.directives?.yaml ?? {};
  if (explicit && version !== "1.1") throw new ContentError("yaml: found incompatible YAML document");
  const error = document.errors.find(({ message }) => !message.startsWith("Comments must be separated"));
  if (!error || isBehind(document.contents, error.pos[0], text)) return document;
  const first = firstFlow(text);
  if (first !== text) return readDocument(first);
  if (error.code !== "TAG_RESOLVE_FAILED") throw error;
  throw new ContentError(`yaml: ${error.message.split(" at line ")[0]!}`);
}

/** Returns true for a position on a line that ends the content: it has less indentation, or is behind the end of the document. */
function isBehind(contents: yaml.Node | null, position: number, text: string): boolean {
  const [start = 0, end = text.length] = contents?.range ?? [];
  const columnOf = (at: number): number => at - text.lastIndexOf("\n", at - 1);
  return (
    position >= end && (columnOf(position) < columnOf(start) || /^\.{3}\s/mu.test(text.slice(end, position)))
  );
}

/** Tokens of the lexer that are no part of the text. */
const marks = new Set(["\u0002", "\u0018", "\u001F"]);

/** Cuts off what follows the object or list in brackets with which a text begins: `yaml` takes `{} {}` for a key. */
function firstFlow(text: string): string {
  if (!/^\s*[[{]/u.test(text)) return text;
  let depth = 0;
  let end = 0;
  for (const token of createLexer().lex(text)) {
    if (!marks.has(token)) end += token.length;
    if (token === "{" || token === "[") depth++;
    if ((token === "}" || token === "]") && --depth === 0) return text.slice(0, end);
  }
  return text;
}

/**
 * A lexer that, as Go's, ignores the indentation of lines within quotes and brackets: they may begin left of the key. This
 * relies on private members of `yaml` 2.9.1, which is pinned: the tests must pass with each new version.
 */
function createLexer(): yaml.Lexer {
  const lexer = new yaml.Lexer();
  type Parse = () => Generator<string, unknown>;
  const inner = lexer as unknown as {
    indentNext: number;
    parseQuotedScalar: Parse;
    parseFlowCollection: Parse;
  };
  for (const name of ["parseQuotedScalar", "parseFlowCollection"] as const) {
    const parse = inner[name].bind(lexer);
    inner[name] = function* () {
      const { indentNext } = inner;
      inner.indentNext = 0;
      const next = yield* parse();
      inner.indentNext = indentNext;
      return next;
    };
  }
  return lexer;
}

/** Thrown for content that `yaml` accepts and Go refuses, such as an anchor that contains an alias of itself. */
class ContentError extends Error {
  override readonly name = "ContentError";
}

/** Explains a YAML error in Go's words where they are known, with the line if the text has several. */
export function explainYAML(error: unknown, text: string): string {
  const [message = ""] = (error as Error).message.split("\n");
  if (error instanceof ContentError) return message;
  // Go's parser limits the depth; `yaml` recurses until the stack overflows.
  if (message.startsWith("Maximum call stack")) return "yaml: exceeded max depth";
  const problem = problemOf(error, text) ?? message;
  const lines = text.trimEnd().split("\n").length;
  // Go reports the end of the text on the next line.
  if (problem.startsWith("did not find")) return `yaml: line ${lines}: ${problem}`;
  if (lines === 1) return `yaml: ${problem}`;
  const line = error instanceof yaml.YAMLParseError ? text.slice(0, error.pos[0]).split("\n").length : 1;
  return `yaml: line ${line}: ${problem}`;
}

/** Go's message for an error of the parser; undefined if it is unknown. */
function problemOf(error: unknown, text: string): string | undefined {
  if (!(error instanceof yaml.YAMLParseError)) return undefined;
  const { code, message } = error;
  if (code === "TAB_AS_INDENT") return "found character that cannot start any token";
  if (code === "BLOCK_AS_IMPLICIT_KEY") return "mapping values are not allowed in this context";
  if (message.startsWith("Missing closing")) return "found unexpected end of stream";
  const bracket = /must (?:be sufficiently indented and )?end with a (.)/u.exec(message)?.[1];
  if (bracket === undefined) return undefined;
  return /[[{,:]\s*$/u.test(text)
    ? "did not find expected node content"
    : `did not find expected ',' or '${bracket}'`;
}
