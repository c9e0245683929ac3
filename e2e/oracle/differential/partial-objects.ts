import { isObject } from "@tsbuilder/apimachinery/json";
import { builtinResources, type BuiltinSchema, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import type { Samples } from "./samples.ts";
import { post, put, type Step, type Story, story } from "../conformance/story.ts";

/** A valid object, and the values that are added to it, one at a time: those whose paths match. */
export interface PartialTable {
  readonly path: string;
  /** The name of its type in the schemas: `core/v1.Pod`. */
  readonly type: string;
  readonly base: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string };
  };
  readonly creations?: RegExp;
  readonly updates?: RegExp;
  readonly statuses?: RegExp;
}

const dry = (path: string): string => `${path}?dryRun=All`;

/** Creates, replaces and reports a valid object with one more value, over and over; nothing but the valid one is stored. */
export async function partialStory(table: PartialTable): Promise<Story> {
  const { path, type, base, creations, updates, statuses } = table;
  const [module = "", name = ""] = type.split(".");
  const parts = partialObjects(base, (await loadSchemas(module))!.get(name)!);
  const at = `${path}/${base.metadata.name}`;
  const steps = (wanted: RegExp | undefined, step: (body: object) => Step): Step[] =>
    wanted ? parts.filter((part) => wanted.test(part.name)).map(({ body }) => step(body)) : [];
  return story(`${base.kind} with one more value`, [
    ...steps(creations, (body) => post(dry(path), body)),
    post(path, base),
    ...steps(updates, (body) => put(dry(at), body)),
    ...steps(statuses, (body) => put(dry(`${at}/status`), body)),
    { method: "DELETE", path: at },
  ]);
}

/** A story of each kind, or of one, with every value that it may have. The shortest sample is the valid object. */
export function partialStories(samples: Samples, wanted?: string): Promise<Story[]> {
  const tables = builtinResources().flatMap(
    ({ apiVersion, kind, group, plural, scope, type, verbs, subresources }) => {
      const prefix = group === "" ? "/api" : "/apis";
      const path = `${prefix}/${apiVersion}${scope === "Namespaced" ? "/namespaces/{ns}" : ""}/${plural}`;
      const [shortest] = (samples.get(path) ?? [])
        .filter((each) => (each as Partial<PartialTable["base"]>).metadata?.name)
        .toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
      if (!shortest || !verbs.includes("update") || (wanted ?? kind) !== kind) return [];
      const base = { apiVersion, kind, ...shortest } as PartialTable["base"];
      const hasStatus = subresources.some(({ name }) => name === "status");
      return [{ path, type, base, creations: /./, updates: /./, ...(hasStatus && { statuses: /^status/ }) }];
    },
  );
  return Promise.all(tables.map(partialStory));
}

/** A valid object with one more value, and the path of that value. */
interface PartialObject {
  readonly name: string;
  readonly body: object;
}

interface Tree {
  [field: string]: unknown;
}

/** How deep a value may be, counted in fields. */
const deepest = 12;

/**
 * A valid object once with each of the structs that its kind may have, empty, and once with each of their fields alone.
 * Required fields of structs in lists are filled in, so that more than their absence is noticed.
 */
function partialObjects(base: object, schema: BuiltinSchema): PartialObject[] {
  const { apiVersion: _v, kind: _k, metadata: _m, ...properties } = schema.properties ?? {};
  return Object.entries(properties).flatMap(([field, node]) =>
    valuesOf(node, field).map(({ name, value }) => ({
      name: `${field}${name}`,
      body: merged(base, { [field]: value }) as object,
    })),
  );
}

interface Value {
  readonly name: string;
  readonly value: unknown;
}

/** Every partial value of a schema, with the path of what it has. */
function valuesOf(schema: BuiltinSchema, field: string, depth = 1, outer: readonly string[] = []): Value[] {
  const type = schema.typeName ?? "";
  if (depth > deepest || outer.includes(type)) return [];
  const around = schema.properties ? [...outer, type] : outer;
  if (schema.type === "array" && schema.items) {
    const { items } = schema;
    const required = requiredOf(items);
    return valuesOf(items, field, depth + 1, around).flatMap(({ name, value }) => [
      { name: `[]${name}`, value: [value] },
      ...(required === undefined ? [] : [{ name: `[+]${name}`, value: [merged(required, value)] }]),
    ]);
  }
  if (schema.properties) {
    const fields = Object.entries(schema.properties).flatMap(([child, node]) =>
      valuesOf(node, child, depth + 1, around).map(({ name, value }) => ({
        name: `.${child}${name}`,
        value: { [child]: value },
      })),
    );
    return [{ name: "{}", value: {} }, ...fields];
  }
  return [{ name: "", value: scalarOf(schema, field) }];
}

function requiredOf({ properties = {}, required = [] }: BuiltinSchema): Tree | undefined {
  if (required.length === 0) return undefined;
  return Object.fromEntries(required.map((field) => [field, wholeOf(properties[field]!, field)]));
}

function wholeOf(schema: BuiltinSchema, field: string): unknown {
  if (schema.properties) return requiredOf(schema) ?? {};
  if (schema.type === "array" && schema.items) return [wholeOf(schema.items, field)];
  return scalarOf(schema, field);
}

const texts: Readonly<Record<string, string>> = {
  hostIP: "10.0.0.1",
  ip: "10.0.0.1",
  mountPath: "/a",
  devicePath: "/a",
  path: "/a",
  fieldPath: "metadata.name",
  resource: "limits.cpu",
  topologyKey: "kubernetes.io/hostname",
  restartPolicy: "Always",
  stopSignal: "SIGTERM",
  schedule: "* * * * *",
  url: "https://a.example.com",
  whenUnsatisfiable: "DoNotSchedule",
  image: "a:1",
};

function scalarOf(
  { type, typeName, format, enum: known, additionalProperties, ...rest }: BuiltinSchema,
  field: string,
): unknown {
  if (typeName === "Quantity" || typeName === "IntOrString") return "1";
  if (typeName === "Time") return "2026-01-01T00:00:00Z";
  if (typeName === "MicroTime") return "2026-01-01T00:00:00.000000Z";
  if (typeName === "Duration") return "1s";
  if (rest["x-kubernetes-int-or-string"]) return 1;
  switch (type) {
    case "string":
      return format === "byte" ? "YQ==" : (known?.at(-1) ?? texts[field] ?? "a");
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return true;
    case "array":
      return [];
    case "object":
      return additionalProperties ? { cpu: wholeOf(additionalProperties, field) } : {};
    case undefined:
      return {};
  }
}

/** Two values in one: structs are joined, and the first items of lists. */
function merged(a: unknown, b: unknown): unknown {
  if (Array.isArray(a) && Array.isArray(b) && a.length > 0 && b.length > 0)
    return [merged(a[0], b[0]), ...(a.slice(1) as unknown[])];
  if (!isObject(a) || !isObject(b)) return b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      name in a && name in b ? merged(a[name], b[name]) : name in b ? b[name] : a[name],
    ]),
  );
}
