import type { Schema } from "../schema/schema.ts";
import type { ArgumentType, MarkerValue } from "./argument-type.ts";

/** What a marker can stand on. A package is a version's folder, or for rbac and webhook markers any source file. */
export type MarkerTarget = "package" | "type" | "field";

/** An argument of a marker; the name is empty for a marker that has one value only. */
export type ArgumentDefinition = ArgumentType & { readonly optional?: boolean; readonly summary?: string };

/** What a marker that changes a schema is told about where it stands. */
export interface ApplyContext {
  readonly marker: string;
  readonly target: MarkerTarget;
  /** The values of all string constants declared with the type, for `k8s:enum`. */
  constants(): readonly string[];
}

/** A marker: its name, where it may stand, its arguments and its effect. Its page stands beside it as Markdown. */
export interface MarkerDefinition {
  readonly name: string;
  readonly targets: readonly MarkerTarget[];
  readonly summary: string;
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  /** Markers with a lower number are applied first; 10 unless said otherwise. Equal ones apply in source order. */
  readonly priority?: number;
  /** Exists also with `items:` before the last part of its name, for the elements of a list. */
  readonly forItems?: boolean;
  /** A `#` starts a comment in the value, as Kubernetes' own declarative validation has it. */
  readonly hashComments?: boolean;
  /** Changes the schema, or says why it can't. */
  readonly apply?: (schema: Schema, args: MarkerArguments, context: ApplyContext) => string | undefined;
  /** Says what is wrong with the arguments themselves. */
  readonly check?: (args: MarkerArguments) => string | undefined;
}

/** A group of markers that are explained on one page. */
export interface MarkerFamily {
  /** Name of the file and its page. */
  readonly name: string;
  readonly title: string;
  readonly markers: readonly MarkerDefinition[];
}

export type MarkerArguments = Readonly<Record<string, MarkerValue | undefined>>;

export const fieldAndType: readonly MarkerTarget[] = ["field", "type"];

/** Defines a marker with one value, given after `=`. */
export function singleValue(type: ArgumentType["type"] | ArgumentType): Record<string, ArgumentDefinition> {
  return { "": typeof type === "string" ? ({ type } as ArgumentDefinition) : type };
}

export const listOfStrings: ArgumentType = { type: "list", item: { type: "string" } };

/** The text of an argument; empty if it was not given. */
export function text(args: MarkerArguments, name = ""): string {
  const value = args[name];
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
}

/** The texts of an argument that is a list; empty if it was not given. */
export function strings(args: MarkerArguments, name = ""): readonly string[] {
  return (args[name] ?? []) as readonly string[];
}
