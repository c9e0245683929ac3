import type { Condition } from "../meta/index.ts";
import { type JSONSchema, nodesOf, parseFieldPath } from "../schema/index.ts";
import type { FieldError } from "../errors/index.ts";
import {
  duplicate,
  invalid,
  invalidStruct,
  notSupported,
  required,
  ruled,
  tooMany,
} from "../errors/index.ts";
import { checkLabel1035, checkSubdomain } from "../naming/index.ts";
import { isEqual } from "../json/index.ts";
import { checkSchema } from "../cel/index.ts";

/** The spec of a CRD. */
export interface CRDSpec {
  group: string;
  scope: "Namespaced" | "Cluster";
  names: CRDNames;
  versions: CRDVersion[];
  conversion?: CRDConversion;
  preserveUnknownFields?: boolean;
}

/** The status of a CRD, which the API server writes. */
export interface CRDStatus {
  acceptedNames?: Partial<CRDNames>;
  conditions?: Condition[] | null;
  storedVersions?: string[];
}

/** The names of a custom resource. */
export interface CRDNames {
  plural: string;
  kind: string;
  singular?: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

/** A version of a custom resource. */
export interface CRDVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JSONSchema };
  subresources?: {
    status?: object;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: PrinterColumn[];
  selectableFields?: Array<{ jsonPath: string }>;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  format?: string;
  description?: string;
  priority?: number;
}

/** How objects are converted between the versions of a CRD. */
export interface CRDConversion {
  strategy: "None" | "Webhook";
  webhook?: {
    conversionReviewVersions: string[];
    clientConfig?: {
      url?: string;
      caBundle?: string;
      service?: { namespace: string; name: string; path?: string; port?: number };
    };
  };
}

/** Sets the defaults of a CRD's names and conversion, as the API server does before validation. */
export function defaultNames(spec: CRDSpec | undefined): void {
  const names = spec?.names;
  if (!names?.kind) return;
  names.singular ??= names.kind.toLowerCase();
  names.listKind ??= `${names.kind}List`;
  spec!.conversion ??= { strategy: "None" };
}

/** Validates a CRD's `spec.conversion`; only a caller that calls conversion webhooks needs it. */
export type CheckConversion = (field: string, conversion: CRDConversion) => Iterable<FieldError>;

/** The part of a CRD that is validated. */
interface CRD {
  readonly metadata: { readonly name?: string | undefined; readonly generateName?: string | undefined };
  readonly spec?: CRDSpec;
}

/**
 * Validates a new CRD as the API server does: its names, its versions, and every schema with its CEL rules. Updates
 * are validated without metadata. Call `defaultNames()` first.
 */
export function validateCRD(crd: CRD, checkConversion: CheckConversion = () => []): FieldError[] {
  if (!crd.spec) return [required("spec.group"), required("spec.scope"), required("spec.versions")];
  return [...crdProblems(crd.metadata, crd.spec, checkConversion)];
}

const scopes: readonly string[] = ["Cluster", "Namespaced"];

/** The errors of a CRD, in the API server's order. */
type Problems = Generator<FieldError, void>;

function* crdProblems(metadata: CRD["metadata"], spec: CRDSpec, checkConversion: CheckConversion): Problems {
  for (const field of ["generateName", "name"] as const) {
    const name = metadata[field];
    if (!name || name === `${spec.names?.plural}.${spec.group}`) continue;
    yield invalid(`metadata.${field}`, name, `must be spec.names.plural+"."+spec.group`);
  }
  const { group = "", versions = [] } = spec as Partial<CRDSpec>;
  const names: Partial<CRDNames> = spec.names ?? {};
  const problems = checkSubdomain(group);
  if (group === "") yield required("spec.group");
  else if (problems.length > 0) yield invalid("spec.group", group, problems.join(","));
  else if (!group.includes(".")) {
    yield invalid("spec.group", group, "should be a domain with at least one dot");
  }
  if (!spec.scope) yield required("spec.scope");
  else if (!scopes.includes(spec.scope)) yield notSupported("spec.scope", spec.scope, scopes);
  yield* ruled("schemas", missingSchemas(versions));
  if (spec.preserveUnknownFields && versions.some(hasDefaults)) {
    const detail = "must be false in order to use defaults in the schema";
    yield invalid("spec.preserveUnknownFields", true, detail);
  }
  const preserves = spec.preserveUnknownFields ?? false;
  yield* versionProblems(spec.versions, preserves);
  // The API server copies the name of the first version to spec.version.
  yield* labelProblems("spec.version", versions[0]?.name);
  for (const name of ["plural", "singular", "kind", "listKind"] as const) {
    if (!names[name]) yield required(`spec.names.${name}`);
  }
  yield* nameProblems("spec.names", names);
  yield* commonProblems(versions, preserves);
  if (spec.conversion) yield* checkConversion("spec.conversion", spec.conversion);
  if (spec.preserveUnknownFields) {
    const detail =
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
    yield* ruled("unknown fields", [invalid("spec.preserveUnknownFields", true, detail)]);
  }
}

function hasDefaults({ schema }: CRDVersion): boolean {
  return [...nodesOf(schema?.openAPIV3Schema ?? {})].some((node) => node.default !== undefined);
}

/** Validates the names in a CRD's spec, or those in its status, of which none is required. */
export function* nameProblems(field: string, names: Partial<CRDNames>): Problems {
  for (const name of ["plural", "singular"] as const) yield* labelProblems(`${field}.${name}`, names[name]);
  for (const name of ["kind", "listKind"] as const) {
    const value = names[name] ?? "";
    const reasons = value === "" ? [] : checkLabel1035(value.toLowerCase());
    if (reasons.length === 0) continue;
    const detail = `may have mixed case, but should otherwise match: ${reasons.join(",")}`;
    yield invalid(`${field}.${name}`, value, detail);
  }
  for (const [index, name] of (names.shortNames ?? []).entries()) {
    yield* labelProblems(`${field}.shortNames[${index}]`, name);
  }
  if (names.kind && names.kind === names.listKind) {
    yield invalid(`${field}.listKind`, names.listKind, "kind and listKind may not be the same");
  }
  for (const [index, name] of (names.categories ?? []).entries()) {
    yield* labelProblems(`${field}.categories[${index}]`, name);
  }
}

function* labelProblems(field: string, name = ""): Problems {
  const reasons = name === "" ? [] : checkLabel1035(name);
  if (reasons.length > 0) yield invalid(field, name, reasons.join(","));
}

/** Reports versions without a schema. */
function* missingSchemas(versions: readonly CRDVersion[]): Problems {
  for (const [index, { schema }] of versions.entries()) {
    if (!schema?.openAPIV3Schema) yield required(`spec.versions[${index}].schema.openAPIV3Schema`);
  }
}

// The API server checks selectable fields only with the schema in the same section.
const noVersionSchema = "may only be set when `version.schema.openAPIV3Schema` is not included";

/** Validates the versions of a CRD, each without the parts that are equal in all versions. */
function* versionProblems(
  specVersions: readonly CRDVersion[] | null | undefined,
  preserves: boolean,
): Problems {
  const versions = specVersions ?? [];
  const common = commonKeys(versions);
  const reduced = versions.map((version) => withoutKeys(version, common));
  for (const [index, version] of reduced.entries()) {
    const field = `spec.versions[${index}]`;
    const names = checkLabel1035(version.name ?? "");
    if (names.length > 0) yield invalid(`${field}.name`, version.name ?? "", names.join(","));
    for (const detail of checkDeprecation(version)) {
      yield invalid(`${field}.deprecationWarning`, version.deprecationWarning, detail);
    }
    const section = { field, schemaField: "schema", noSchema: noVersionSchema, preserves };
    yield* sectionProblems(version, section, versions[index]!);
  }
  const goVersions = (specVersions ? reduced.map(goVersion) : null) as object;
  if (new Set(reduced.map(({ name }) => name)).size < reduced.length) {
    yield invalidStruct("spec.versions", goVersions, "must contain unique version names");
  }
  if (reduced.filter(({ storage }) => storage).length !== 1) {
    const detail = "must have exactly one version marked as storage version";
    yield invalidStruct("spec.versions", goVersions, detail);
  }
}

function* checkDeprecation({ deprecated, deprecationWarning: text }: CRDVersion): Generator<string, void> {
  if (text === undefined || text === null) return;
  if (!deprecated) return yield "can only be set for deprecated versions";
  if (Buffer.byteLength(text) > 256) yield "must be <= 256 characters long";
  if (text === "") yield "must not be an empty string";
  const at = text.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at === -1) return;
  const index = Buffer.byteLength(text.slice(0, at));
  yield `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
}

const noCommonSchema = "may only be set when validations.schema is included";

/** Validates the parts that are equal in all versions. */
function* commonProblems(versions: readonly CRDVersion[], preserves: boolean): Problems {
  const [first] = versions;
  if (!first) return;
  const common = commonKeys(versions);
  const part = Object.fromEntries(common.map((key) => [key, first[key]]));
  const hasStatus = versions.find(({ subresources }) => subresources?.status !== undefined);
  const section = { field: "spec", schemaField: "validation", noSchema: noCommonSchema, preserves };
  yield* sectionProblems(part, section, hasStatus ?? first);
}

/** If these are equal in all versions, the API server moves them to the top level of the spec, and reports them there. */
const movableKeys = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

function commonKeys(versions: readonly CRDVersion[]): Array<(typeof movableKeys)[number]> {
  return movableKeys.filter((key) =>
    versions.every((version) => isEqual(normalizeEmpty(version[key]), normalizeEmpty(versions[0]![key]))),
  );
}

/** An empty list and null count as an absent field. */
function normalizeEmpty(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? null : (value ?? null);
}

function withoutKeys(version: CRDVersion, keys: ReadonlyArray<(typeof movableKeys)[number]>): CRDVersion {
  const rest = { ...version };
  for (const key of keys) delete rest[key];
  return rest;
}

/** Returns a version as the API server shows it: its Go struct, without the schema, which would be too long. */
function goVersion({ name, served, storage, deprecated = false, deprecationWarning }: CRDVersion): object {
  return {
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated,
    DeprecationWarning: deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

/** A part of the spec with a schema, columns and the like: a version, or the top level, where the common ones are. */
interface Section {
  readonly field: string;
  readonly schemaField: string;
  /** The error of selectable fields whose schema is in another section. */
  readonly noSchema: string;
  /** The CRD preserves unknown fields. */
  readonly preserves: boolean;
}

/** Validates a section. `whole` is the version in the request: its status subresource may be among the common parts. */
function* sectionProblems(
  part: Partial<CRDVersion>,
  { field, schemaField, noSchema, preserves }: Section,
  whole: CRDVersion,
): Problems {
  const root = part.schema?.openAPIV3Schema;
  if (root) {
    const hasStatus = whole.subresources?.status !== undefined;
    yield* checkSchema(root, { path: `${field}.${schemaField}.openAPIV3Schema`, hasStatus, preserves });
  }
  yield* scaleProblems(`${field}.subresources`, part);
  for (const [index, column] of (part.additionalPrinterColumns ?? []).entries()) {
    yield* columnProblems(`${field}.additionalPrinterColumns[${index}]`, column);
  }
  if (!part.selectableFields?.length) return;
  if (root) yield* selectableProblems(`${field}.selectableFields`, part.selectableFields, root, part.name);
  else yield invalid(`${field}.selectableFields`, "", noSchema);
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function* columnProblems(field: string, { name, type, format, jsonPath }: PrinterColumn): Problems {
  const types = `must be one of ${columnTypes.join(",")}`;
  if (!name) yield required(`${field}.name`);
  if (!type) yield required(`${field}.type`, types);
  else if (!columnTypes.includes(type)) yield invalid(`${field}.type`, type, types);
  if (format && !columnFormats.includes(format)) {
    yield invalid(`${field}.format`, format, `must be one of ${columnFormats.join(",")}`);
  }
  if (!jsonPath) yield required(`${field}.JSONPath`);
  else yield* simplePathProblems(`${field}.JSONPath`, jsonPath);
}

/** Reports a path that doesn't start with a dot; returns true if it does. */
function* simplePathProblems(field: string, path: string): Generator<FieldError, boolean> {
  if (path.startsWith(".")) return true;
  yield invalid(field, path, "must be a simple json path starting with .");
  return false;
}

function* scaleProblems(field: string, { subresources }: Partial<CRDVersion>): Problems {
  const scale = subresources?.scale;
  if (!scale) return;
  const roots = { specReplicasPath: ".spec", statusReplicasPath: ".status" } as const;
  for (const [name, root] of Object.entries(roots)) {
    const path = scale[name as keyof typeof roots];
    const at = `${field}.scale.${name}`;
    if (!path) yield required(at);
    else if ((yield* simplePathProblems(at, path)) && !path.startsWith(`${root}.`)) {
      yield invalid(at, path, `should be a json path under ${root}`);
    }
  }
  const { labelSelectorPath: path } = scale;
  const at = `${field}.scale.labelSelectorPath`;
  if (path && (yield* simplePathProblems(at, path)) && !/^\.(spec|status)\./.test(path)) {
    yield invalid(at, path, "should be a json path under either .spec or .status");
  }
}

const maxSelectableFields = 8;
const selectableTypes = new Set<unknown>(["string", "boolean", "integer"]);

/** Validates selectable fields, which must be scalars outside of metadata, each at a path of its own. */
function* selectableProblems(
  field: string,
  selectableFields: ReadonlyArray<{ readonly jsonPath: string }>,
  schema: JSONSchema,
  version = "",
): Problems {
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of selectableFields.entries()) {
    const at = `${field}[${index}].jsonPath`;
    if (!jsonPath) {
      yield required(at);
      continue;
    }
    const path = parseFieldPath(jsonPath, schema, { allowBrackets: false });
    if (typeof path === "string") {
      yield invalid(at, jsonPath, `is an invalid path: ${path}`);
      continue;
    }
    if (path.names[0] === "metadata") yield invalid(at, jsonPath, "must not point to fields in metadata");
    if (!selectableTypes.has(path.schema.type)) {
      const detail =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      yield invalid(at, jsonPath, detail);
    }
    if (seen.has(path.text)) yield duplicate(at, jsonPath);
    seen.add(path.text);
  }
  // More may stay if none of them changes.
  const rule = `selectable fields of ${version}: ${[...seen].join()}`;
  if (seen.size > maxSelectableFields) yield* ruled(rule, [tooMany(field, seen.size, maxSelectableFields)]);
}
