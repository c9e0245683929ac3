import { type FieldError, forbidden, invalid } from "../../errors/index.ts";
import type { JSONSchema } from "../../schema/json-schema.ts";
import { checkDefaults } from "../../schema/structural/check-defaults.ts";
import { checkOpenAPI, checkRoot } from "../../schema/structural/check-open-api.ts";
import { checkStructural, unsupportedKeyword } from "../../schema/structural/check-structural.ts";
import { compileRules } from "./compile-rules.ts";
import { staticSchemaLimit } from "./limits.ts";
import { budgetMessage, SchemaRules, TotalCost } from "./schema-rules.ts";

/** Options of a schema check. */
export interface CheckSchemaOptions {
  /** The path of the schema in its CRD. Default: `spec.versions[0].schema.openAPIV3Schema`. */
  readonly path?: string;
  /** The version has a status subresource. */
  readonly hasStatus?: boolean;
}

/** Returns all errors for which an API server would reject the schema of a CRD version. */
export function checkSchema(schema: JSONSchema, options: CheckSchemaOptions = {}): FieldError[] {
  const { path = "spec.versions[0].schema.openAPIV3Schema", hasStatus = false } = options;
  const errors = checkRoot(schema, path, hasStatus);
  const unsupported = unsupportedKeyword(schema);
  if (unsupported === undefined) errors.push(...checkStructure(schema, path));
  const total = new TotalCost();
  const rules =
    unsupported === undefined && errors.length === 0 ? SchemaRules.root(schema, total) : undefined;
  const context = {
    isRoot: true,
    insideMeta: false,
    noDefaults: undefined,
    uncorrelatable: undefined,
    rules,
  };
  const { schemaErrors, ruleErrors } = checkOpenAPI(schema, path, context);
  errors.push(...schemaErrors, ...ruleErrors);
  if (errors.length === 0 && unsupported !== undefined) errors.push(invalid(path, "", unsupported));
  return [...errors, ...checkTotal(total, path)];
}

function checkStructure(schema: JSONSchema, path: string): FieldError[] {
  const errors = checkStructural(schema, path);
  if (errors.length > 0) return errors;
  return checkDefaults(schema, path, (node, value, at) => {
    const rules = compileRules(node, node["x-kubernetes-embedded-resource"] === true);
    if (!rules) return [];
    // A default is valid if it passes both as an unchanged value and as a new one.
    const unchanged = rules.validate(value, { path: at, old: value });
    return unchanged.length > 0 ? unchanged : rules.validate(value, { path: at });
  });
}

function checkTotal(total: TotalCost, path: string): FieldError[] {
  if (total.cost <= staticSchemaLimit) return [];
  const contributed =
    "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
  const name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  return [
    ...total.mostExpensive.map((rule) => forbidden(rule.path, contributed)),
    forbidden(path, budgetMessage(name, total.cost, staticSchemaLimit)),
  ];
}
