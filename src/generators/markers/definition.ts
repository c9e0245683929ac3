import type { MarkerValue, Schema } from "../model/schema.ts";

/** A group of markers documented on one page. */
export interface MarkerFamily {
  /** The base name of the file and its page. */
  readonly name: string;
  readonly title: string;
  readonly markers: readonly MarkerDefinition[];
}

/** A marker: its name, targets, arguments and effect. Its documentation is the Markdown file next to it. */
export interface MarkerDefinition {
  readonly name: string;
  readonly targets: readonly MarkerTarget[];
  readonly summary: string;
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  /** Markers with a lower number are applied first. Default: 10. Equal ones are applied in source order. */
  readonly priority?: number;
  /** Also available with `items:` before the last part of its name, for the elements of a list. */
  readonly forItems?: boolean;
  /** Each of several on one field or type has an effect; of others only the last one has. */
  readonly repeatable?: boolean;
  /** A `#` starts a comment in the value, as in Kubernetes' declarative validation. */
  readonly hashComments?: boolean;
  /** Changes the schema; returns a message instead if the marker does not apply to it. */
  readonly apply?: (schema: Schema, args: MarkerArguments, context: ApplyContext) => string | undefined;
  /** Returns a message if the arguments are invalid, whatever the schema. */
  readonly check?: (args: MarkerArguments) => string | undefined;
}

/** The place of a marker. A package is a version's folder or, for rbac and webhook markers, any source file. */
export type MarkerTarget = "package" | "type" | "field";

/** An argument of a marker; the name is empty for a marker with a single value. */
export type ArgumentDefinition = ArgumentType & { readonly optional?: boolean; readonly summary?: string };

/** The type of a marker's argument. `raw` is the rest of the line, `json` the rest of the line parsed as JSON. */
export type ArgumentType =
  | { readonly type: "string" | "int" | "number" | "bool" | "any" | "raw" | "json" }
  | { readonly type: "list" | "map"; readonly item: ArgumentType };

/** The values of a marker's arguments by name; a single value has the empty name. */
export type MarkerArguments = Readonly<Record<string, MarkerValue | undefined>>;

/** Information about the place of a marker that changes a schema. */
export interface ApplyContext {
  readonly marker: string;
  readonly target: MarkerTarget;
  /** The values of all string constants declared with the type, for `k8s:enum`. */
  constants(): readonly string[];
}

export const fieldAndType: readonly MarkerTarget[] = ["field", "type"];

/** The type of an argument; without items, its name is enough. */
type TypeOrName = ArgumentType["type"] | ArgumentType;

/** Defines the argument of a marker with one value after `=`. */
export function singleValue(type: TypeOrName): Record<string, ArgumentDefinition> {
  return { "": typed(type) };
}

/** Defines an argument that may be omitted. */
export function optional(type: TypeOrName, summary?: string): ArgumentDefinition {
  return { ...typed(type), optional: true, ...(summary === undefined ? {} : { summary }) };
}

function typed(type: TypeOrName): ArgumentType {
  return typeof type === "string" ? ({ type } as ArgumentType) : type;
}

/** The value of a marker that sets a key of a schema. */
export interface KeyValue<Value> {
  readonly type: TypeOrName;
  readonly read: (args: MarkerArguments) => Value;
  /** Returns the reason why a schema can't have the value. */
  readonly refuse?: (schema: Schema, args: MarkerArguments) => string | undefined;
}

/** Defines a marker that sets one key of a schema, on a field or type, or with `items:` for the elements of a list. */
export function keyMarker<Key extends keyof Schema>(
  name: string,
  key: Key,
  { type, read, refuse }: KeyValue<Schema[Key]>,
  summary: string,
): MarkerDefinition {
  return {
    name,
    targets: fieldAndType,
    forItems: true,
    summary,
    arguments: singleValue(type),
    apply(schema, args) {
      const problem = refuse?.(schema, args);
      if (problem === undefined) schema[key] = read(args);
      return problem;
    },
  };
}

/** Defines such a marker with kubebuilder's prefix: `kubebuilder:validation:Maximum`. */
export function validation<Key extends keyof Schema>(
  name: string,
  key: Key,
  value: KeyValue<Schema[Key]>,
  summary: string,
): MarkerDefinition {
  return keyMarker(`kubebuilder:validation:${name}`, key, value, summary);
}

/** The value of a marker with one number. */
export function numeric(args: MarkerArguments): number {
  return Number(args[""]);
}

/** The value of a marker with true or false; a schema has no key for false. */
export function flag(args: MarkerArguments): true | undefined {
  return args[""] === true ? true : undefined;
}

export const listOfStrings: ArgumentType = { type: "list", item: { type: "string" } };

/** The string value of an argument. Default: empty. */
export function text(args: MarkerArguments, name = ""): string {
  const value = args[name];
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}

/** The values of a list argument. Default: empty. */
export function strings(args: MarkerArguments, name = ""): readonly string[] {
  return (args[name] ?? []) as readonly string[];
}
