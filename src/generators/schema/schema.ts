import type { Place } from "../diagnostic.ts";
import type { MarkerValue } from "../markers/argument-type.ts";

/** A CEL rule of a schema. */
export interface Rule {
  rule: string;
  message?: string | undefined;
  messageExpression?: string | undefined;
  reason?: string | undefined;
  fieldPath?: string | undefined;
  optionalOldSelf?: boolean | undefined;
}

/** A node of `openAPIV3Schema` while it is built; a missing key and `undefined` are equivalent. */
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

  /** The named type at this use, already merged. It is merged once the use's own markers are applied. */
  [refKey]?: Schema | undefined;
  /** A problem unless a marker resolves it: a plain `number`, an `unknown`. */
  [problemKey]?: Problem | undefined;
  /** The source of the schema, for findings about the complete schema. */
  [originKey]?: Origin | undefined;
  /** How OLM's console shows the field. */
  [descriptorsKey]?: readonly FieldMarker[] | undefined;
}

/** A marker on a field about OLM's console; a type that is used in spec and status has one for each. */
interface FieldMarker {
  readonly type: string;
  readonly displayName: string | undefined;
  readonly order: number | undefined;
  readonly xDescriptors: readonly string[];
}

export const refKey: unique symbol = Symbol("ref");
export const problemKey: unique symbol = Symbol("problem");
export const originKey: unique symbol = Symbol("origin");
export const descriptorsKey: unique symbol = Symbol("descriptors");

/** The marker of a rule, if any. */
export const rulePlaces: WeakMap<Rule, Place> = new WeakMap();

interface Problem {
  readonly place: Place;
  readonly message: string;
  readonly hint: string;
}

interface Origin {
  /** The declaration or property. */
  readonly place: Place;
  /** The marker that set each key. */
  readonly markers: ReadonlyMap<string, Place>;
}
