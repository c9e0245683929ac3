import { addRule, celName } from "../../model/schema.ts";
import type { MarkerDefinition, MarkerFamily } from "../definition.ts";
import { listOfStrings, singleValue, strings } from "../definition.ts";

/** Limits on how many of several fields are set: CEL rules, because a structural schema does not allow oneOf. */
export const oneOf: MarkerFamily = {
  name: "one-of",
  title: "How many of several fields may be set",
  markers: [
    oneOfMarker("AtMostOneOf", 11, "At most one of the fields may be set.", {
      rule: (fields) => `${sum(fields)} <= 1`,
      message: (fields) => `at most one of the fields in [${fields.join(" ")}] may be set`,
    }),
    oneOfMarker("ExactlyOneOf", 12, "Exactly one of the fields must be set.", {
      rule: (fields) => `${sum(fields)} == 1`,
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

interface OneOfRule {
  rule(fields: readonly string[]): string;
  message(fields: readonly string[]): string;
}

function oneOfMarker(name: string, priority: number, summary: string, words: OneOfRule): MarkerDefinition {
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
      if (fields.length > 0) addRule(schema, { rule: words.rule(fields), message: words.message(fields) });
      return undefined;
    },
  };
}

/** The form of controller-gen since v0.22; earlier versions filtered a list. */
function sum(fields: readonly string[]): string {
  return fields.map((field) => `(has(self.${celName(field)})?1:0)`).join("+");
}
