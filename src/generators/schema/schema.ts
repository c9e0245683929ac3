import type { Place } from "../diagnostic.ts";
import type { MarkerValue } from "../markers/argument-type.ts";

/** One CEL rule of a schema. */
export interface Rule {
  rule: string;
  message?: string | undefined;
  messageExpression?: string | undefined;
  reason?: string | undefined;
  fieldPath?: string | undefined;
  optionalOldSelf?: boolean | undefined;
}

/** A node of `openAPIV3Schema` while it is built; a missing key and `undefined` mean the same. */
export interface Schema {
  type?: string | undefined;
  format?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
  default?: MarkerValue | undefined;
  example?: MarkerValue | undefined;
  externalDocs?: { url: string; description?: string | undefined } | undefined;
  nullable?: boolean | undefined;
  enum?: readonly MarkerValue[] | undefined;
  maximum?: number | undefined;
  minimum?: number | undefined;
  exclusiveMaximum?: boolean | undefined;
  exclusiveMinimum?: boolean | undefined;
  multipleOf?: number | undefined;
  maxLength?: number | undefined;
  minLength?: number | undefined;
  pattern?: string | undefined;
  maxItems?: number | undefined;
  minItems?: number | undefined;
  uniqueItems?: boolean | undefined;
  maxProperties?: number | undefined;
  minProperties?: number | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: readonly string[] | undefined;
  items?: Schema | undefined;
  additionalProperties?: Schema | true | undefined;
  allOf?: readonly Schema[] | undefined;
  anyOf?: readonly Schema[] | undefined;
  "x-kubernetes-embedded-resource"?: boolean | undefined;
  "x-kubernetes-int-or-string"?: boolean | undefined;
  "x-kubernetes-list-map-keys"?: readonly string[] | undefined;
  "x-kubernetes-list-type"?: string | undefined;
  "x-kubernetes-map-type"?: string | undefined;
  "x-kubernetes-preserve-unknown-fields"?: boolean | undefined;
  "x-kubernetes-validations"?: readonly Rule[] | undefined;

  /** The named type that this use refers to, already flat. It is merged in once the use's own markers are applied. */
  [refKey]?: Schema | undefined;
  /** Something that is wrong unless a marker mends it: a plain `number`, an `unknown`. */
  [problemKey]?: Problem | undefined;
  /** Where the schema comes from, for findings that show only when it is whole. */
  [originKey]?: Origin | undefined;
}

export const refKey: unique symbol = Symbol("ref");
export const problemKey: unique symbol = Symbol("problem");
export const originKey: unique symbol = Symbol("origin");

/** The marker behind a rule, where there is one. */
export const rulePlaces: WeakMap<Rule, Place> = new WeakMap();

interface Problem {
  readonly place: Place;
  readonly message: string;
  readonly hint: string;
}

interface Origin {
  /** The declaration or property. */
  readonly place: Place;
  /** Marker that set a key, for the keys a marker set. */
  readonly markers: ReadonlyMap<string, Place>;
}
