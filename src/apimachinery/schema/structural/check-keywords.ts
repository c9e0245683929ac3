import { type FieldError, forbidden, notSupported } from "../../errors/index.ts";
import { hasDefault } from "../apply-defaults.ts";
import type { JSONSchema } from "../json-schema.ts";
import { isPresent } from "./is-present.ts";

/** Whether a node may have a default or be an embedded resource. */
export interface KeywordContext {
  /** Why a default is not allowed here; undefined if it is allowed. */
  readonly noDefaults: string | undefined;
  readonly insideMeta: boolean;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** Checks that a node uses only the keywords of OpenAPI v3 that Kubernetes supports. */
export function checkKeywords(
  schema: JSONSchema,
  path: string,
  context: KeywordContext,
  errors: FieldError[],
): void {
  const type = schema.type ?? "";
  if (type !== "" && !types.includes(type)) errors.push(notSupported(`${path}.type`, type, types));
  if (hasDefault(schema) && context.noDefaults !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${context.noDefaults}`.trimEnd()));
  }
  for (const name of unsupported) {
    if (isPresent(schema[name])) errors.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (type === "null") {
    errors.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (context.insideMeta && schema["x-kubernetes-embedded-resource"]) {
    const detail = "must not be used inside of resource meta";
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, detail));
  }
}

const unsupported = [
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref",
] as const;
