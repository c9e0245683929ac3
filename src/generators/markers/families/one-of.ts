import { addRule, celName } from "../../model/schema.ts";
import type { MarkerDefinition, MarkerFamily } from "../definition.ts";
import { listOfStrings, singleValue, strings } from "../definition.ts";

/** Limits on how many of several fields are set: CEL rules, because a structural schema does not allow oneOf. */
export const oneOf: MarkerFamily = {
  name: "one-of",
  title: "How many of several fields may be set",
  markers: [
    oneOfMarker("AtMostOneOf", 11, "At most one of the fields may be set.", {
      rule: (fields) => `${countSet(fields)} <= 1`,
      message: (fields) => `at most one of the fields in [${fields.join(" ")}] may be set`,
    }),
    oneOfMarker("ExactlyOneOf", 12, "Exactly one of the fields must be set.", {
      rule: (fields) => `${countSet(fields)} == 1`,
      message: (fields) => `exactly one of the fields in [${fields.join(" ")}] must be set`,
    }),
    oneOfMarker("AtLeastOneOf", 13, "At least one of the fields must be set.", {
      rule: (fields) => fields.map((field) => `has(self.${celName(field)})`).join("||"),
      message: (fields) => `at least one of the fields in [${fields.join(" ")}] must be set`,
    }),
  ],
};

/** Names of the markers whose fields must be optional. */
export const oneOfMarkers: ReadonlySet<string> = new Set(oneOf.markers.map(({ name }) => name));

/** The CEL rule of a marker for its fields, and the message. */
interface OneOfRule {
  rule(fields: readonly string[]): string;
  message(fields: readonly string[]): string;
}

function oneOfMarker(name: string, priority: number, summary: string, celRule: OneOfRule): MarkerDefinition {
  return {
    name: `kubebuilder:validation:${name}`,
    targets: ["type"],
    repeatable: true,
    priority,
    summary,
    arguments: singleValue(listOfStrings),
    check(args) {
      const nested = strings(args).filter((field) => field.includes("."));
      return nested.length === 0 ? undefined : `it does not support nested fields: ${nested.join(", ")}`;
    },
    apply(schema, args) {
      const fields = strings(args);
      if (fields.length > 0)
        addRule(schema, { rule: celRule.rule(fields), message: celRule.message(fields) });
      return undefined;
    },
  };
}

/** Returns the CEL expression for the number of fields that are set, in the form of controller-gen since v0.22. */
function countSet(fields: readonly string[]): string {
  return fields.map((field) => `(has(self.${celName(field)})?1:0)`).join("+");
}
