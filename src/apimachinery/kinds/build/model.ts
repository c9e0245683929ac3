import { existsSync, readFileSync } from "node:fs";
import { compareText } from "../../text/index.ts";
import { type Release, defaultRelease } from "../releases.ts";

/** A Kubernetes type; tables and TypeScript types are generated from it. */
export interface ModelType {
  /** `core/v1` */
  readonly module: string;
  /** `PodSpec` */
  readonly name: string;
  readonly description: string;
  /** The lengths of the description's lines; empty if it has one. */
  readonly lines: readonly number[];
  /** The facts of the type itself, in the notation of the tables. */
  readonly words: readonly string[];
  /** Kubernetes has no text for some field that refers to a type; it has for those of all other types. */
  readonly isUndescribed: boolean;
  /** Sorted by name. */
  readonly fields: readonly ModelField[];
  /** How Go declares the fields, in its order: see `parseField` in go-fields.ts. */
  readonly go: readonly string[];
}

/** A field of a type. */
export interface ModelField {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly lines: readonly number[];
  /**
   * A scalar (`string`, `int32`, `Quantity` …) or the name of a type (`core/v1.PodSpec`), after `[]` for each list and
   * `{}` for each map around it.
   */
  readonly type: string;
  /** The facts of the field, in the notation of the tables; an enum is the last. */
  readonly words: readonly string[];
  /** The known values of a string. */
  readonly enum?: readonly string[];
  /** The protobuf field number; undefined for a kind's own apiVersion and kind, which are in the envelope around it. */
  readonly number: string | undefined;
}

/** All types by name: `core/v1.PodSpec`. */
export type Model = ReadonlyMap<string, ModelType>;

/** Strips the list and map prefixes from a field's type. */
export function elementOf(type: string): string {
  return type.replace(/^(?:\[\]|\{\})+/u, "");
}

/** Returns true for the name of a type, false for a scalar. */
export function isNamed(type: string): boolean {
  return type.includes(".");
}

/** A line without an indent, and those with one that follow it, by the first word: a type and its fields. */
export type Blocks = ReadonlyMap<string, readonly string[]>;

const factsFolder = new URL("facts/", import.meta.url);

/** Returns the lines of a file of facts, without comments; none if there is no such file. */
export function readLines(file: string): string[] {
  const url = new URL(file, factsFolder);
  const text = existsSync(url) ? readFileSync(url, "utf8") : "";
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

/** Splits the lines of a file of facts into blocks. */
export function readBlocks(lines: readonly string[]): Blocks {
  const blocks = new Map<string, string[]>();
  let block: string[] = [];
  for (const line of lines) {
    if (!line.startsWith(" ")) blocks.set(line.split(" ", 1)[0]!, (block = []));
    block.push(line);
  }
  return blocks;
}

/**
 * Reads the facts of a release: those of the default one, where the release has none of its own in a folder of its name. A
 * block that begins with "-" is of something that the release lacks.
 */
export function readFacts(file: string, release: Release = defaultRelease): Blocks {
  const ofDefault = readBlocks(readLines(file));
  const blocks = new Map([...ofDefault, ...readBlocks(readLines(`${release}/${file}`))]);
  for (const head of [...blocks.keys()].filter((name) => name.startsWith("-"))) {
    blocks.delete(head);
    blocks.delete(head.slice(1));
  }
  return blocks;
}

/**
 * Reads facts/types.txt, which `npm run lab -- facts` makes from Kubernetes' Go module. A line without an indent is a type:
 * its name, "kind" if it has an apiVersion and a kind, "undescribed" if Kubernetes has no text for some field of another type,
 * and its facts. Its fields follow in Go's order: the name in JSON, after the structs that JSON inlines, with "!" if it is
 * required; the protobuf number with a mark (see go-fields.ts); the type, which begins with a dot if it is of the same module,
 * and after a colon Go's name for it, where that does not follow; then facts. Facts: a list is atomic unless it is a
 * "map(keys)", a "set" or "plain"; "patch(strategy;key)" is
 * for strategic merge patches; "atomic" and "granular" are for objects; "off(gates)" is for fields of features that are
 * off by default; "default=" is in JSON; "sets=", too: a default that is not published; "lines(…)" are the lengths
 * of the description's lines; "enum(a|b)" comes last.
 */
export function readModel(blocks = readFacts("types.txt")): Model {
  const types = [...blocks.values()].map(readType);
  return new Map(types.map((type) => [`${type.module}.${type.name}`, type]));
}

/** Adds the types and fields that only other models have, for what is the same in all releases. */
export function joinModels(model: Model, others: readonly Model[]): Model {
  const joined = new Map(model);
  for (const [name, type] of others.flatMap((other) => [...other])) {
    const known = joined.get(name);
    const fields = type.fields.filter((field) => !known?.fields.some((same) => same.name === field.name));
    if (!known) joined.set(name, type);
    else if (fields.length > 0) joined.set(name, joinTypes(known, type, fields));
  }
  return joined;
}

function joinTypes(type: ModelType, other: ModelType, fields: readonly ModelField[]): ModelType {
  const names = new Set(fields.map(({ name }) => name));
  const go = [...type.go];
  // Each new field follows the one that it follows in the other declaration.
  for (const [index, word] of other.go.entries()) {
    if (!names.has(goName(word))) continue;
    const before = index === 0 ? undefined : goName(other.go[index - 1]!);
    go.splice(go.findIndex((known) => goName(known) === before) + 1, 0, word);
  }
  return { ...type, fields: [...type.fields, ...fields].sort((a, b) => compareText(a.name, b.name)), go };
}

/** The name in JSON of a field that Go declares. */
function goName(word: string): string {
  return /^(?:\w+\/)*([^?!=*:]+)/u.exec(word)![1]!;
}

const envelope: readonly ModelField[] = ["apiVersion", "kind"].map((name) => ({
  name,
  required: false,
  description: "",
  lines: [],
  type: "string",
  words: [],
  number: undefined,
}));

function readType([head = "", ...fieldLines]: readonly string[]): ModelType {
  const [typeName = "", ...words] = head.split(" ");
  const [module = "", name = ""] = typeName.split(".");
  const declared = fieldLines.map((line) => readField(typeName, line.slice(1)));
  const fields = [...(words.includes("kind") ? envelope : []), ...declared.map(({ field }) => field)];
  return {
    module,
    name,
    description: "",
    lines: readLengths(words),
    words: words.filter((word) => !/^(?:kind$|undescribed$|lines\()/u.test(word)),
    isUndescribed: words.includes("undescribed"),
    fields: fields.sort((a, b) => compareText(a.name, b.name)),
    go: declared.map(({ go }) => go),
  };
}

/** A field with a default that the facts lack: Kubernetes sets those of CRDs elsewhere than those of other kinds. */
const furtherDefault = "apiextensions/v1.CustomResourceConversion.strategy";

const fieldPattern =
  /^((?:\w+\/)*)([^!]+?)(!?) ([\d.]*)([?!=*]?) ([^ :]+)(?::([^ ]+))?((?: (?!enum\()[^ ]+)*)(?: enum\((.*)\))?$/u;

function readField(typeName: string, line: string): { field: ModelField; go: string } {
  const match = fieldPattern.exec(line);
  if (!match) throw new Error(`not a field: ${line}`);
  const [, path = "", name = "", required, number = "", mark = "", type = "", goType, rest = "", values] =
    match;
  const words = rest.split(" ").filter((word) => word !== "");
  const element = elementOf(type);
  const field = {
    name,
    required: required === "!",
    description: "",
    lines: readLengths(words),
    type: element.startsWith(".")
      ? type.slice(0, type.length - element.length) + typeName.split(".", 1)[0]! + element
      : type,
    words: words.filter((word) => !word.startsWith("lines(")),
    // Bytes are present in a message only if there are any.
    number: number + (mark === "?" || (mark === "" && type === "byte") ? "?" : ""),
    ...(values !== undefined && { enum: values.split("|") }),
  };
  // Go would write the zero value, if the server did not replace it by a default.
  const isSet = words.some((word) => word.startsWith("sets=")) || `${typeName}.${name}` === furtherDefault;
  const goMark = mark === "!" && isSet ? "?" : mark;
  return { field, go: path + name + goMark + (goType === undefined ? "" : `:${goType}`) };
}

function readLengths(words: readonly string[]): number[] {
  const word = words.find((candidate) => candidate.startsWith("lines("));
  return word?.slice("lines(".length, -1).split(",").map(Number) ?? [];
}
