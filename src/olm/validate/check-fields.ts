import { isObject } from "@tsbuilder/apimachinery/json";
import {
  type BuiltinSchema,
  DecodeError,
  decodeBuiltIn,
  findKind,
  loadSchemas,
  moduleOf,
} from "@tsbuilder/apimachinery/kinds";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { type CompiledSchema, compileSchema } from "@tsbuilder/apimachinery/schema";
import type { Located } from "../located.ts";
import { type Bundle, deploymentsOf } from "./bundle.ts";
import { loadCsvSchema } from "./csv-schema.ts";
import { type BundleFinding, finding } from "./finding.ts";
import type { RuleName } from "./rules.ts";

/** Types, required and unknown fields of an object, each at its place. */
export function checkFields(
  object: Located,
  schema: CompiledSchema,
  rules: { readonly wrong: RuleName; readonly unknown: RuleName },
): BundleFinding[] {
  if (!isObject(object.value)) return [];
  const pruned = schema.prune(object.value);
  // Nulls that mean "not set", such as a generator's creationTimestamp, are dropped with this.
  const errors = schema.validate(schema.applyDefaults(pruned.object));
  if (pruned.malformed) errors.push(pruned.malformed);
  return [
    ...errors.map(({ field, body }) =>
      finding(
        rules.wrong,
        object.find(field),
        `${field}: ${body}`,
        "set a value that the API allows: kubectl explain shows the fields",
      ),
    ),
    ...pruned.unknown.map((field) =>
      finding(
        rules.unknown,
        object.find(field),
        `${field}: there is no such field, so it is dropped`,
        "correct its name or place, or delete it",
      ),
    ),
  ];
}

/** The same for the ClusterServiceVersion. */
export async function checkCsvFields(bundle: Bundle): Promise<BundleFinding[]> {
  const schema = await loadCsvSchema();
  const findings = checkFields(bundle.csv, schema, { wrong: "csv-field", unknown: "csv-unknown-field" });
  if (findings.some(({ rule }) => rule === "csv-field")) return findings;
  const node = (await loadSchemas("apps/v1"))!.get("DeploymentSpec")!;
  const specs = deploymentsOf(bundle).map((deployment) => deployment.get("spec"));
  return [...findings, ...specs.flatMap((spec) => checkScalars(spec, node, "csv-field"))];
}

/** The same for an object of a built-in kind; nothing for others. */
export async function checkBuiltIn(object: Located): Promise<BundleFinding[]> {
  const [apiVersion, kind] = [object.get("apiVersion").text, object.get("kind").text];
  // The schemas of CRDs contain themselves, and are checked by rules of their own.
  if (apiVersion === undefined || kind === undefined || kind === "CustomResourceDefinition") return [];
  const groupVersion = parseApiVersion(apiVersion);
  if (!findKind(groupVersion, kind)) return [];
  const node = (await loadSchemas(moduleOf(groupVersion)))?.get(kind);
  if (!node) return [];
  const schema = compileSchema(node);
  const findings = checkFields(object, schema, { wrong: "object-field", unknown: "object-unknown-field" });
  const isWrong = findings.some(({ rule }) => rule === "object-field");
  return isWrong ? findings : [...findings, ...checkScalars(object, node, "object-field")];
}

/** Quantities, times and bytes that an API server can't decode, in a value whose fields have the right types. */
function checkScalars(value: Located, node: BuiltinSchema, rule: RuleName): BundleFinding[] {
  const why = explain(value.value, node);
  if (why === undefined) return [];
  const place = narrow(value, node);
  return [finding(rule, place, `${place.path}: ${why}`, "set a value that the API can decode")];
}

/** The innermost value that can't be decoded. */
function narrow(value: Located, node: BuiltinSchema): Located {
  for (const [key, child] of value.entries) {
    const inner = node.properties?.[key];
    if (!inner || explain({ [key]: child.value }, node) === undefined) continue;
    if (inner.properties) return narrow(child, inner);
    const element = inner.items;
    if (element) {
      const item = child.items.find((one) => explain({ [key]: [one.value] }, node) !== undefined) ?? child;
      return element.properties ? narrow(item, element) : item;
    }
    const entry = child.entries.find(([name, one]) => explain({ [key]: { [name]: one.value } }, node));
    return entry?.[1] ?? child;
  }
  return value;
}

function explain(value: unknown, node: BuiltinSchema): string | undefined {
  if (!isObject(value)) return undefined;
  try {
    decodeBuiltIn(value, node);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
