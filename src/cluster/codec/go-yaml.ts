import { type JSONObject, isObject, setMember } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import * as yaml from "yaml";

/**
 * Reads YAML as the API server does: plain scalars by the rules of YAML 1.1, so that `yes` is true and `0644` is octal,
 * but without its times and sexagesimal numbers. The number of aliases is limited: otherwise a small text could expand
 * to gigabytes.
 */
export function parseGoYAML(text: string): unknown {
  const document = readDocument(text);
  const [error] = document.errors;
  if (error?.code === "TAG_RESOLVE_FAILED") throw new ContentError(invalidBase64);
  if (error) throw error;
  checkScalars(document, text);
  if (!/<<|\*/u.test(text)) return sortMembers(document.toJS());
  checkAliases(document);
  expandMerges(document);
  return sortMembers(document.toJS({ maxAliasCount: options.maxAliasCount! }));
}

const invalidBase64 = "!!binary value contains invalid base64 data";

const plainScalar: yaml.ScalarTag = {
  tag: "tag:yaml.org,2002:plain",
  default: true,
  // The key of a merge has its own tag.
  test: /^(?!<<$)/u,
  resolve: (text) => resolvePlain(text),
};

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
  const match = /^([-+]?)(?:0x([\da-f]+)|0b([01]+)|0o?([0-7]+)|(0|[1-9]\d*))$/iu.exec(text);
  if (!match) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const value =
    hex !== undefined
      ? Number.parseInt(hex, 16)
      : binary !== undefined
        ? Number.parseInt(binary, 2)
        : octal !== undefined
          ? Number.parseInt(octal, 8)
          : Number(decimal);
  return sign === "-" ? -value : value;
}

function parseFloatText(text: string): number | undefined {
  if (!/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?$/iu.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Reads `!!binary` as text, as Go does. */
const binaryScalar: yaml.ScalarTag = {
  tag: "tag:yaml.org,2002:binary",
  resolve(text) {
    const bytes = Buffer.from(text, "base64");
    if (bytes.toString("base64") === text.replaceAll(/[\r\n]/gu, "")) return bytes.toString();
    throw new TypeError(invalidBase64);
  },
};

const options: yaml.ParseOptions & yaml.DocumentOptions & yaml.SchemaOptions & yaml.ToJSOptions = {
  schema: "failsafe",
  customTags: [plainScalar, binaryScalar],
  maxAliasCount: 100,
  merge: true,
  // Warnings would go to standard error.
  logLevel: "error",
};

/** The options without the check for duplicate keys: the last one wins. */
const readOptions = { ...options, uniqueKeys: false };

/** Reads the first document of a text. Ignores other documents, and text behind an object in braces. */
function readDocument(text: string, lineCounter?: yaml.LineCounter): yaml.Document {
  const source = firstFlow(text);
  const parser = new yaml.Parser(lineCounter?.addNewLine);
  Object.assign(parser, { lexer: createLexer() });
  const documents = new yaml.Composer(readOptions).compose(parser.parse(source), true, source.length);
  return documents.next().value as yaml.Document;
}

/** Cuts off the rest of a text that begins with an object or list in brackets; any other text stays unchanged. */
function firstFlow(text: string): string {
  if (!/^\s*[[{]/u.test(text)) return text;
  let depth = 0;
  let lastChar = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if ((char === '"' || char === "'") && startsValue(lastChar)) at = endOfQuoted(text, at);
    else if (char === "#" && /\s/u.test(text[at - 1] ?? "")) at = endOfLine(text, at);
    else if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return withoutRest(text, at + 1);
    if (!/\s/u.test(char)) lastChar = char;
  }
  return text;
}

/** Cuts off the rest of a text, unless a colon makes the object the key of another one. */
function withoutRest(text: string, end: number): string {
  return /^[ \t]*:/u.test(text.slice(end)) ? text : text.slice(0, end);
}

/** Returns true if a value can start after a character; elsewhere, a quote is a plain character. */
function startsValue(lastChar: string): boolean {
  return lastChar !== "" && "{[,:".includes(lastChar);
}

function endOfQuoted(text: string, start: number): number {
  const quote = text[start];
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += quote === '"' && text[at] === "\\" ? 2 : 1;
  return at;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}

/**
 * A lexer that, as Go's, ignores the indentation of lines within quotes: they may begin left of the key. This relies on
 * private members of `yaml` 2.9.1, which is pinned: the tests must pass with each new version.
 */
function createLexer(): yaml.Lexer {
  const lexer = new yaml.Lexer();
  const inner = lexer as unknown as { indentNext: number; parseQuotedScalar(): Generator<string, unknown> };
  const parseQuotedScalar = inner.parseQuotedScalar.bind(lexer);
  inner.parseQuotedScalar = function* () {
    const { indentNext } = inner;
    inner.indentNext = 0;
    const next = yield* parseQuotedScalar();
    inner.indentNext = indentNext;
    return next;
  };
  return lexer;
}

/** Refuses escaped slashes, as Go does, and removes the line break that `yaml` adds to a last block scalar. */
function checkScalars(document: yaml.Document, text: string): void {
  const lacksLineEnd = /\S$/u.test(text);
  if (!lacksLineEnd && !text.includes("\\/")) return;
  yaml.visit(document, {
    Scalar(_, scalar) {
      const [from = 0, to = 0] = scalar.range ?? [];
      if (scalar.type === "QUOTE_DOUBLE") {
        const escape = /^(?:[^\\]|\\[^/])*\\\//u.exec(text.slice(from, to));
        if (!escape) return;
        const line = text.slice(0, from + escape[0].length).split("\n").length;
        throw new ContentError(`line ${line}: found unknown escape character`);
      }
      const isLast = lacksLineEnd && to >= text.length && scalar.type?.startsWith("BLOCK_");
      if (isLast && typeof scalar.value === "string") scalar.value = scalar.value.replace(/\n$/u, "");
    },
  });
}

/** Refuses aliases without an anchor, and aliases of a node that contains them. */
function checkAliases(document: yaml.Document): void {
  yaml.visit(document, {
    Alias(_, alias, parents) {
      const target = alias.resolve(document);
      if (!target) throw new ContentError(`unknown anchor '${alias.source}' referenced`);
      if (parents.includes(target)) throw new ContentError(`anchor '${alias.source}' value contains itself`);
    },
  });
}

/** The number of members that the merges of a document may add: merges of merges could add billions. */
const maxMergedMembers = 100_000;

/**
 * Replaces each merge (`<<`) of a document by the members that it adds. Go sets members in the order of the text: the last
 * one wins, and a key that is already set is a duplicate.
 */
function expandMerges(document: yaml.Document): void {
  const expanded = new Set<yaml.YAMLMap>();
  let remaining = maxMergedMembers;

  function expand(node: unknown): void {
    if (yaml.isSeq(node)) node.items.forEach(expand);
    if (!yaml.isMap(node) || expanded.has(node)) return;
    expanded.add(node);
    for (const { value } of node.items) expand(value);
    if (node.items.some(isMerge))
      node.items = node.items.flatMap((pair) => (isMerge(pair) ? membersOf(pair.value) : [pair]));
  }

  /** If a merge has several mappings, the first one wins: its members are set last. */
  function membersOf(value: unknown): yaml.Pair[] {
    const source = yaml.isAlias(value) ? value.resolve(document) : value;
    if (yaml.isSeq(source)) return source.items.toReversed().flatMap(membersOf);
    if (!yaml.isMap(source)) throw new TypeError("map merge requires map or sequence of maps as the value");
    expand(source);
    remaining -= source.items.length;
    if (remaining < 0) throw new RangeError("document contains excessive aliasing");
    return source.items;
  }

  expand(document.contents);
}

/** Returns true for a merge. The parser reads its key as text or, with the option `merge`, as a symbol. */
function isMerge({ key }: yaml.Pair): boolean {
  if (!yaml.isScalar(key) || key.type !== "PLAIN") return false;
  const { value } = key;
  return value === "<<" || (typeof value === "symbol" && value.description === "<<");
}

/** Sorts the members of all objects: Go converts YAML to JSON with sorted keys, and reports errors in that order. */
function sortMembers(value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new UnsupportedNumberError(value);
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isObject(value)) return value;
  const sorted: JSONObject<unknown> = {};
  for (const name of Object.keys(value).toSorted(compareText))
    setMember(sorted, name, sortMembers(value[name]));
  return sorted;
}

/** Lists the duplicate keys of a YAML text as Go reports them, by the line on which the value begins. */
export function findDuplicateKeys(text: string): readonly string[] {
  const lineCounter = new yaml.LineCounter();
  const document = readDocument(text, lineCounter);
  if (text.includes("<<")) expandMerges(document);
  return [...duplicatesIn(document.contents)].map(
    ({ name, start }) =>
      `line ${lineCounter.linePos(start).line}: key ${JSON.stringify(name)} already set in map`,
  );
}

/** Finds duplicate keys in linear time; the parser's own check is quadratic. */
function* duplicatesIn(node: unknown): Generator<{ name: unknown; start: number }, void> {
  if (yaml.isSeq(node)) for (const item of node.items) yield* duplicatesIn(item);
  if (!yaml.isMap<yaml.Node, yaml.Node>(node)) return;
  const names = new Set<unknown>();
  for (const { key, value } of node.items) {
    yield* duplicatesIn(value);
    if (!yaml.isScalar(key)) continue;
    const { value: name, range } = key;
    if (names.has(name)) yield { name, start: (value?.range ?? range)![0] };
    names.add(name);
  }
}

/** Thrown for content that `yaml` accepts and Go refuses, such as an anchor that contains an alias of itself. */
class ContentError extends Error {
  constructor(problem: string) {
    super(`yaml: ${problem}`);
    this.name = "ContentError";
  }
}

/** Thrown for infinities and NaN, which JSON does not have. */
class UnsupportedNumberError extends Error {
  constructor(value: number) {
    super(`json: unsupported value: ${value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN"}`);
    this.name = "UnsupportedNumberError";
  }
}

/** Explains a YAML error in Go's words where they are known, with the line if the text has several. */
export function explainYAML(error: unknown, text: string): string {
  const [message = ""] = (error as Error).message.split("\n");
  if (error instanceof UnsupportedNumberError || error instanceof ContentError) return message;
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
