import type { LeadingComments, MappedModifier } from "../loader/index.ts";
import type { Environment, Typed } from "./environment.ts";
import type { Schema } from "./schema.ts";

/** A property of a type, wherever it was declared: its comments and names are resolved in its own file. */
export interface Property {
  readonly name: string;
  readonly type: Typed;
  /** Precomputed, for a property of a built-in type of Kubernetes. */
  readonly schema?: Schema;
  readonly optional: boolean;
  /** `-?` and `Required` take undefined from the type. */
  readonly isDefined?: boolean;
  readonly readonly: boolean;
  readonly comments: LeadingComments | undefined;
  readonly pos: number;
  readonly env: Environment;
  /** The same property in other members of an intersection. */
  readonly others?: readonly Property[];
}

/** The properties of an object type, in order of declaration, and the type of its additional properties. */
export interface Shape {
  readonly properties: Map<string, Property>;
  readonly index: Typed | undefined;
  readonly foreign: readonly { readonly what: string; readonly env: Environment; readonly pos: number }[];
}

export function emptyShape(): Shape {
  return { properties: new Map(), index: undefined, foreign: [] };
}

/** A property as each member of an intersection declares it, the last one first. */
export function declarationsOf(property: Property): readonly Property[] {
  return property.others ? [property, ...property.others] : [property];
}

/** A property with what the modifiers of a mapped type add or remove. */
export function withModifiers(
  property: Property,
  optional: MappedModifier,
  readonly: MappedModifier,
): Property {
  return {
    ...property,
    ...(optional && { optional: optional === "add" }),
    ...(optional === "remove" && property.optional && { isDefined: true }),
    ...(readonly && { readonly: readonly === "add" }),
  };
}

/** A property that no declaration has, such as one of `Record<"a" | "b", T>`. */
export function madeProperty(name: string, type: Typed, optional: boolean, pos: number): [string, Property] {
  return [name, { name, type, optional, readonly: false, comments: undefined, pos, env: type.env }];
}
