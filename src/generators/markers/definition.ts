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
  /** Changes the schema, or returns an error. */
  readonly apply?: (schema: Schema, args: MarkerArguments, context: ApplyContext) => string | undefined;
  /** Validates the arguments. */
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

export type MarkerArguments = Readonly<Record<string, MarkerValue | undefined>>;

/** Information about the place of a marker that changes a schema. */
export interface ApplyContext {
  readonly marker: string;
  readonly target: MarkerTarget;
  /** The values of all string constants declared with the type, for `k8s:enum`. */
  constants(): readonly string[];
}

export const fieldAndType: readonly MarkerTarget[] = ["field", "type"];

/** Defines a marker with one value after `=`. */
export function singleValue(type: ArgumentType["type"] | ArgumentType): Record<string, ArgumentDefinition> {
  return { "": typeof type === "string" ? ({ type } as ArgumentDefinition) : type };
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
