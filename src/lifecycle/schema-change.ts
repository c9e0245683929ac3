import type { JSONSchema, ValidationRule } from "@tsbuilder/apimachinery/schema";
import type { ChangeRule } from "./rules.ts";

/** A step from a schema to a schema inside it. */
export type Step = { readonly property: string } | "items" | "additionalProperties";

/** A difference between two schemas of the same version. */
export interface SchemaChange {
  readonly rule: ChangeRule;
  readonly steps: readonly Step[];
  readonly message: string;
  /** The keyword that changed, in the notation of a CRD's errors: `maximum`, `x-kubernetes-validations[0]`. */
  readonly keyword?: string;
  /** How to find a witness; absent if no object can show the change. */
  readonly aim?: Aim;
  /** The change goes in the direction that breaks nobody. */
  readonly isHarmless?: boolean;
  /** For a removed field: a place near it that the new schema, and so the sources, still has. Default: `steps`. */
  readonly beside?: readonly Step[];
}

/** Directs the search for an object that shows a change. */
export interface Aim {
  /** What happens to the object under the new schema. */
  readonly expects: "refused" | "lost" | "other value";
  /** The roles are swapped: the object is valid under the new schema, and the old schema rejects it. Earlier clients don't expect it. */
  readonly isReversed?: boolean;
  /** The schema from which the value at the place is drawn. Default: the schema in which the object has to be valid. */
  readonly schema?: JSONSchema;
  /** The object lacks the field. */
  readonly isAbsent?: boolean;
  /** The list contains its first item twice. */
  readonly isDoubled?: boolean;
  /** The field in which the second of these items differs, so that the two had different keys before. */
  readonly variedKey?: string;
  /** The text is as short as the schema allows. */
  readonly isShortest?: boolean;
  /** Matches the error of this change, and of no other change at the same place. */
  readonly error?: RegExp;
  /** The CEL rule that rejects the object. */
  readonly rule?: ValidationRule;
  /** The CEL rule reads a field that the old schema lacks: without a witness, the rule is no obstacle to existing objects. */
  readonly isAboutNewField?: boolean;
}

/** Formats a place in an object: `.spec.ports[].name`, or `.spec.labels.*` for the values of a map. */
export function placeText(steps: readonly Step[]): string {
  return steps
    .map((step) => (step === "items" ? "[]" : step === "additionalProperties" ? ".*" : `.${step.property}`))
    .join("");
}
