import { compareText } from "../../text/index.ts";
import { type FieldError, formatFieldError, required } from "../../errors/index.ts";
import { type JSONSchema, itemsOf } from "../json-schema.ts";
import { checkInvariants } from "./check-invariants.ts";
import { isPresent } from "./go-schema.ts";

/**
 * Checks that a schema is structural; the errors and their order are those of creating the CRD on an API server.
 * `path` is the path of the schema, such as `spec.validation.openAPIV3Schema`.
 */
export function checkStructural(schema: JSONSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  checkInvariants(schema, "root", path, errors);
  checkCompleteness(schema, path, errors);
  return errors
    .map((error) => ({ error, text: formatFieldError(error) }))
    .sort((a, b) => compareText(a.text, b.text))
    .map(({ error }) => error);
}

/** Checks that every field in `allOf`, `anyOf`, `oneOf` or `not` is also specified outside of them. */
function checkCompleteness(schema: JSONSchema, path: string, errors: FieldError[]): void {
  checkBranches(schema, schema, path, path, errors);
}

function checkBranches(
  restricting: JSONSchema,
  describing: JSONSchema,
  path: string,
  branchPath: string,
  errors: FieldError[],
): void {
  if (restricting.not) checkBranch(restricting.not, describing, path, `${branchPath}.not`, errors);
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    restricting[name]?.forEach((branch, index) => {
      checkBranch(branch, describing, path, `${branchPath}.${name}[${index}]`, errors);
    });
  }
}

function checkBranch(
  branch: JSONSchema,
  describing: JSONSchema | undefined,
  path: string,
  branchPath: string,
  errors: FieldError[],
): void {
  if (!describing) {
    errors.push(required(path, `because it is defined in ${branchPath}`));
    return;
  }
  checkBranches(branch, describing, path, branchPath, errors);
  const items = itemsOf(branch);
  if (items) checkBranch(items, itemsOf(describing), `${path}.items`, `${branchPath}.items`, errors);
  for (const [name, child] of Object.entries(branch.properties ?? {})) {
    const step = `.properties[${name}]`;
    const described = Object.hasOwn(describing.properties ?? {}, name)
      ? describing.properties![name]
      : undefined;
    checkBranch(child, described, path + step, branchPath + step, errors);
  }
}

/** Returns an error if a keyword prevents converting the schema to a structural one. */
export function unsupportedKeyword(schema: JSONSchema): string | undefined {
  const own = unsupported.find((name) => isPresent(schema[name]));
  if (own !== undefined) return `OpenAPIV3Schema '${own === "$schema" ? "schema" : own}' is not supported`;
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return unsupportedBelow(schema);
}

function unsupportedBelow(schema: JSONSchema): string | undefined {
  const { not, allOf, anyOf, oneOf, items, properties, additionalProperties: values } = schema;
  let found = not && unsupportedKeyword(not);
  if (allOf || anyOf || oneOf) {
    const branches = [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])];
    for (const branch of branches) found ??= unsupportedKeyword(branch);
  }
  if (items) found ??= unsupportedKeyword(items as JSONSchema);
  for (const name in properties) found ??= unsupportedKeyword(properties[name]!);
  if (typeof values === "object") found ??= unsupportedKeyword(values);
  return found;
}

const unsupported = [
  "id",
  "$schema",
  "$ref",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
] as const;
