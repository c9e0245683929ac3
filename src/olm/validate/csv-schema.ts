import { type BuiltinSchema, loadSchemas, type SchemaTable } from "@tsbuilder/apimachinery/kinds";
import { type CompiledSchema, compileSchema, type JSONSchema } from "@tsbuilder/apimachinery/schema";
import { webhookTypes } from "../bundle-format.ts";

/** The fields of a ClusterServiceVersion that OLM reads; what Kubernetes has a type for is of that type. */
export async function loadCsvSchema(): Promise<CompiledSchema> {
  return (loaded ??= await compileCsvSchema());
}

let loaded: CompiledSchema | undefined;

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
const described = {
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
const crd = object(described, "name", "version", "kind");
const apiService = object(
  { ...described, group: text, deploymentName: text, containerPort: integer },
  "name",
  "group",
  "version",
  "kind",
);

function object(properties: Readonly<Record<string, JSONSchema>>, ...required: string[]): JSONSchema {
  return { type: "object", properties, required };
}

function list(items: JSONSchema): JSONSchema {
  return { type: "array", items };
}

async function load(module: string): Promise<SchemaTable> {
  return (await loadSchemas(module))!;
}

/** The tables of built-in kinds have the form of structural schemas. */
function typeOf(table: SchemaTable, name: string): JSONSchema {
  return table.get(name) satisfies BuiltinSchema | undefined as JSONSchema;
}
