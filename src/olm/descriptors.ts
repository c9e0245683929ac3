import type { FieldDescription } from "../generators/describe-kinds.ts";
import type { FieldDescriptor } from "./csv.ts";

/** The part of an OpenAPI schema that descriptors are made from. */
export interface DescribedSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
}

/**
 * Describes the fields of a spec or status: all outer ones by their schemas, and those with a marker by what it says,
 * first those that it gives a position.
 */
export function describeFields(
  schema: DescribedSchema | undefined,
  part: "spec" | "status",
  marked: readonly FieldDescription[] = [],
): FieldDescriptor[] {
  const fields = new Map(
    Object.entries(schema?.properties ?? {}).map(([path, field]): [string, FieldDescriptor] => [
      path,
      descriptor(path, path, field.description, controlsOf(path, field, part)),
    ]),
  );
  for (const { path, name, description, displayName, xDescriptors } of marked) {
    const derived = fields.get(path);
    const controls = xDescriptors.length > 0 ? xDescriptors : (derived?.["x-descriptors"] ?? []);
    const words = derived?.description ?? description;
    fields.set(path, { ...descriptor(path, name, words, controls), ...(displayName ? { displayName } : {}) });
  }
  const position = ({ path }: FieldDescriptor): number =>
    marked.find((field) => field.path === path)?.order ?? Number.MAX_SAFE_INTEGER;
  return [...fields.values()].sort((a, b) => position(a) - position(b));
}

function descriptor(
  path: string,
  name: string,
  description: string | undefined,
  controls: readonly string[],
): FieldDescriptor {
  return {
    ...(description === undefined ? {} : { description }),
    displayName: inWords(name),
    path,
    ...(controls.length > 0 ? { "x-descriptors": controls } : {}),
  };
}

const console = "urn:alm:descriptor:com.tectonic.ui:";

/** How OLM's console lets people edit or see a field, where its type says so. */
function controlsOf(name: string, field: DescribedSchema, part: "spec" | "status"): string[] {
  const { type, properties = {}, enum: values } = field;
  if (part === "status") return name === "conditions" ? ["urn:alm:descriptor:io.kubernetes.conditions"] : [];
  if (values) return values.map((value) => `${console}select:${String(value)}`);
  if (type === "integer") return [`${console}${name === "replicas" ? "podCount" : "number"}`];
  if ("limits" in properties && "requests" in properties) return [`${console}resourceRequirements`];
  const control = { boolean: "booleanSwitch", number: "number", string: "text" }[type ?? ""];
  return control === undefined ? [] : [`${console}${control}`];
}

/** A name as words: `minReadySeconds` is "Min Ready Seconds", `clusterIPs` "Cluster IPs". */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z]{2,})/gu, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A kind as words: `AppService` is "App Service", but MySQL is a name. */
export function kindInWords(kind: string): string {
  return kind.replaceAll(/([a-z0-9])(?=[A-Z][a-z])/gu, "$1 ");
}
