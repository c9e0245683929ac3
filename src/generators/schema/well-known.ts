import type { Schema } from "./schema.ts";

export const quantityPattern =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/** The pattern of a qualified condition type: an optional domain, a slash, a name. */
const conditionTypePattern =
  "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

const integerOrString = (): Schema => ({
  anyOf: [{ type: "integer" }, { type: "string" }],
  "x-kubernetes-int-or-string": true,
});

const anything = (): Schema => ({ "x-kubernetes-preserve-unknown-fields": true });

/** Types of `@tsbuilder/runtime` with a predefined schema, by name. */
const wellKnown: Readonly<Record<string, () => Schema>> = {
  int32: () => ({ type: "integer", format: "int32" }),
  int64: () => ({ type: "integer", format: "int64" }),
  float64: () => ({ type: "number" }),
  Quantity: () => ({ ...integerOrString(), pattern: quantityPattern }),
  IntOrString: integerOrString,
  Time: () => ({ type: "string", format: "date-time" }),
  MicroTime: () => ({ type: "string", format: "date-time" }),
  Duration: () => ({ type: "string" }),
  JSONValue: anything,
  RawExtension: () => ({ type: "object", ...anything() }),
  ObjectMeta: () => ({ type: "object" }),
  Condition: condition,
};

/** The predefined schema of a type; undefined if it has none. */
export function wellKnownSchema(name: string, embeddedObjectMeta: boolean): Schema | undefined {
  if (name === "ObjectMeta" && embeddedObjectMeta) return embeddedMetadata();
  return Object.hasOwn(wellKnown, name) ? wellKnown[name]!() : undefined;
}

/** Whether a list of this type is a list map, and its keys. */
export function listMapKeysOf(name: string): readonly string[] | undefined {
  return name === "Condition" ? ["type"] : undefined;
}

function condition(): Schema {
  return {
    type: "object",
    required: ["lastTransitionTime", "message", "reason", "status", "type"],
    properties: {
      lastTransitionTime: { type: "string", format: "date-time" },
      message: { type: "string", maxLength: 32768 },
      observedGeneration: { type: "integer", format: "int64", minimum: 0 },
      reason: {
        type: "string",
        minLength: 1,
        maxLength: 1024,
        pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
      },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      type: { type: "string", maxLength: 316, pattern: conditionTypePattern },
    },
  };
}

/** Kubernetes does not validate embedded metadata: without a schema, its fields would be pruned. */
function embeddedMetadata(): Schema {
  const strings = (): Schema => ({ type: "object", additionalProperties: { type: "string" } });
  return {
    type: "object",
    properties: {
      annotations: strings(),
      finalizers: { type: "array", items: { type: "string" } },
      labels: strings(),
      name: { type: "string" },
      namespace: { type: "string" },
    },
  };
}
