import { isObject } from "@tsbuilder/apimachinery/json";
import type { BuiltinSchema, SchemaTable } from "@tsbuilder/apimachinery/kinds";
import { DecodeError, decodeBuiltIn, findKind, loadSchemas, moduleOf } from "@tsbuilder/apimachinery/kinds";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { type CompiledSchema, type JSONSchema, compileSchema } from "@tsbuilder/apimachinery/schema";
import type { Located } from "../located.ts";
import { type Bundle, deploymentsOf } from "./bundle.ts";
import { type BundleFinding, type RuleName, finding } from "./rules.ts";
import { webhookTypes } from "../bundle-format.ts";

/** Checks the types, and the required and unknown fields of an object. */
export function checkFields(
  object: Located,
  schema: CompiledSchema,
  rules: { readonly wrong: RuleName; readonly unknown: RuleName },
): BundleFinding[] {
  if (!isObject(object.value)) return [];
  const pruned = schema.prune(object.value);
  // Also drops nulls that mean "not set", such as the creationTimestamp that generators write.
  const errors = schema.validate(schema.applyDefaults(pruned.object));
  if (pruned.malformed) errors.push(pruned.malformed);
  const hint = "set a value that the API allows: kubectl explain shows the fields";
  return [
    ...errors.map(({ field, body }) => finding(rules.wrong, object.find(field), `${field}: ${body}`, hint)),
    ...pruned.unknown.map((field) => {
      const message = `${field}: there is no such field, so it is dropped`;
      return finding(rules.unknown, object.find(field), message, "correct its name or place, or delete it");
    }),
  ];
}

let csvSchema: Promise<CompiledSchema> | undefined;

/** Checks the fields of the ClusterServiceVersion, with the quantities and times in its Deployments. */
export async function checkCsvFields(bundle: Bundle): Promise<BundleFinding[]> {
  const schema = await (csvSchema ??= compileCsvSchema());
  const findings = checkFields(bundle.csv, schema, { wrong: "csv-field", unknown: "csv-unknown-field" });
  if (findings.some(({ rule }) => rule === "csv-field")) return findings;
  const node = (await loadSchemas("apps/v1"))!.get("DeploymentSpec")!;
  const specs = deploymentsOf(bundle).map((deployment) => deployment.get("spec"));
  return [...findings, ...specs.flatMap((spec) => checkScalars(spec, node, "csv-field"))];
}

const text: JSONSchema = { type: "string" };
const boolean: JSONSchema = { type: "boolean" };
const integer: JSONSchema = { type: "integer", format: "int32" };
const texts: JSONSchema = { type: "object", additionalProperties: text };
const anything: JSONSchema = { "x-kubernetes-preserve-unknown-fields": true };
const link = object({ name: text, url: text });

const descriptors = list(
  object(
    { path: text, displayName: text, description: text, "x-descriptors": list(text), value: anything },
    "path",
  ),
);

const describedFields = {
  name: text,
  version: text,
  kind: text,
  displayName: text,
  description: text,
  resources: list(object({ name: text, kind: text, version: text }, "name", "kind", "version")),
  specDescriptors: descriptors,
  statusDescriptors: descriptors,
  actionDescriptors: descriptors,
};

const crd = object(describedFields, "name", "version", "kind");

const apiService = object(
  { ...describedFields, group: text, deploymentName: text, containerPort: integer },
  "name",
  "group",
  "version",
  "kind",
);

/** Compiles the schema of a ClusterServiceVersion, with the fields that OLM reads. Parts of Kubernetes have Kubernetes' types. */
async function compileCsvSchema(): Promise<CompiledSchema> {
  const [apps, rbac, admission, meta] = await Promise.all([
    load("apps/v1"),
    load("rbac/v1"),
    load("admissionregistration/v1"),
    load("meta/v1"),
  ]);
  const selector = typeOf(meta, "LabelSelector");
  const rules = list(typeOf(rbac, "PolicyRule"));
  const permissions = list(object({ serviceAccountName: text, rules }, "serviceAccountName", "rules"));
  const deployment = { name: text, label: texts, spec: typeOf(apps, "DeploymentSpec") };
  const webhook = {
    generateName: text,
    type: { ...text, enum: Object.values(webhookTypes) },
    deploymentName: text,
    containerPort: integer,
    targetPort: { "x-kubernetes-int-or-string": true },
    rules: list(typeOf(admission, "RuleWithOperations")),
    failurePolicy: { ...text, enum: ["Ignore", "Fail"] },
    matchPolicy: { ...text, enum: ["Exact", "Equivalent"] },
    objectSelector: selector,
    sideEffects: text,
    timeoutSeconds: integer,
    admissionReviewVersions: list(text),
    reinvocationPolicy: { ...text, enum: ["Never", "IfNeeded"] },
    webhookPath: text,
    conversionCRDs: list(text),
  };
  const strategy = object(
    {
      deployments: list(object(deployment, "name", "spec")),
      permissions,
      clusterPermissions: permissions,
    },
    "deployments",
  );
  const spec = {
    install: object({ strategy: text, spec: strategy }, "strategy"),
    version: text,
    release: text,
    maturity: text,
    customresourcedefinitions: object({ owned: list(crd), required: list(crd) }),
    apiservicedefinitions: object({ owned: list(apiService), required: list(apiService) }),
    webhookdefinitions: list(
      object(webhook, "generateName", "type", "sideEffects", "admissionReviewVersions"),
    ),
    nativeAPIs: list(object({ group: text, version: text, kind: text }, "group", "version", "kind")),
    minKubeVersion: text,
    displayName: text,
    description: text,
    keywords: list(text),
    maintainers: list(object({ name: text, email: text })),
    provider: link,
    links: list(link),
    icon: list(object({ base64data: text, mediatype: text }, "base64data", "mediatype")),
    installModes: list(object({ type: text, supported: boolean }, "type", "supported")),
    replaces: text,
    skips: list(text),
    labels: texts,
    annotations: texts,
    selector,
    cleanup: object({ enabled: boolean }, "enabled"),
    relatedImages: list(object({ name: text, image: text }, "name", "image")),
  };
  return compileSchema(
    object(
      {
        apiVersion: text,
        kind: text,
        metadata: typeOf(meta, "ObjectMeta"),
        spec: object(spec, "install", "displayName"),
        status: anything,
      },
      "metadata",
      "spec",
    ),
  );
}

function object(properties: Readonly<Record<string, JSONSchema>>, ...required: string[]): JSONSchema {
  return { type: "object", properties, required };
}

function list(items: JSONSchema): JSONSchema {
  return { type: "array", items };
}

async function load(module: string): Promise<SchemaTable> {
  return (await loadSchemas(module))!;
}

/** Returns the schema of a built-in type. The generated tables have the form of structural schemas. */
function typeOf(table: SchemaTable, name: string): JSONSchema {
  return table.get(name) satisfies BuiltinSchema | undefined as JSONSchema;
}

/** Checks the fields of an object of a built-in kind. Other kinds have no findings. */
export async function checkBuiltIn(object: Located): Promise<BundleFinding[]> {
  const [apiVersion, kind] = [object.get("apiVersion").text, object.get("kind").text];
  // CRDs have rules of their own, and their schema is recursive.
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

/** Finds quantities, times and bytes that an API server can't decode. The fields must have the right types. */
function checkScalars(value: Located, node: BuiltinSchema, rule: RuleName): BundleFinding[] {
  const reason = decodeError(value.value, node);
  if (reason === undefined) return [];
  const place = findUndecodable(value, node);
  return [finding(rule, place, `${place.path}: ${reason}`, "set a value that the API can decode")];
}

/** Returns the innermost value that can't be decoded. */
function findUndecodable(value: Located, node: BuiltinSchema): Located {
  for (const [key, child] of value.entries) {
    const inner = node.properties?.[key];
    if (!inner || decodeError({ [key]: child.value }, node) === undefined) continue;
    if (inner.properties) return findUndecodable(child, inner);
    const element = inner.items;
    if (element) {
      const item =
        child.items.find((one) => decodeError({ [key]: [one.value] }, node) !== undefined) ?? child;
      return element.properties ? findUndecodable(item, element) : item;
    }
    const entry = child.entries.find(([name, one]) => decodeError({ [key]: { [name]: one.value } }, node));
    return entry?.[1] ?? child;
  }
  return value;
}

function decodeError(value: unknown, node: BuiltinSchema): string | undefined {
  if (!isObject(value)) return undefined;
  try {
    decodeBuiltIn(value, node);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
