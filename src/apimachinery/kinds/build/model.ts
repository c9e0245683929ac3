import { readFileSync } from "node:fs";
import { compareText } from "../../text/index.ts";

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

/** Returns the lines of a file of facts, without comments. */
export function readLines(file: string): string[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

/**
 * Reads facts/types.txt, which `npm run lab -- facts` makes from Kubernetes' Go module. A line without an indent is a type:
 * its name, "kind" if it has an apiVersion and a kind, and its facts. Its fields follow in Go's order: the name in JSON,
 * after the structs that JSON inlines, with "!" if it is required; the protobuf number with a mark (see go-fields.ts); the
 * type, which begins with a dot if it is of the same module, and after a colon Go's name for it, where that does not
 * follow; then facts. Facts: a list is atomic unless it is a "map(keys)", a "set" or "plain"; "patch(strategy;key)" is
 * for strategic merge patches; "atomic" and "granular" are for objects; "off(gates)" is for fields of features that are
 * off by default; "default=" is in JSON; "sets=", too: a default that is not published; "lines(…)" are the lengths
 * of the description's lines; "enum(a|b)" comes last.
 */
export function readModel(lines = readLines("facts/types.txt")): Model {
  const model = new Map<string, ModelType>();
  let block: string[] = [];
  for (const line of [...lines, ""]) {
    if (!line.startsWith(" ") && block.length > 0) {
      const type = readType(block);
      model.set(`${type.module}.${type.name}`, type);
      block = [];
    }
    block.push(line);
  }
  return model;
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
    words: words.filter((word) => word !== "kind" && !word.startsWith("lines(")),
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
