import type { BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import type { Strategy } from "../registry/resource.ts";

/** Fields whose feature gates are off by default. */
const gated = new Set([
  "apps/v1.RollingUpdateStatefulSetStrategy.maxUnavailable",
  "core/v1.Lifecycle.stopSignal",
  "core/v1.PodSpec.schedulingGroup",
  "core/v1.PodStatus.nodeAllocatableResourceClaimStatuses",
  "core/v1.VolumeMountStatus.volumeStatus",
  "core/v1.VolumeProjection.clusterTrustBundle",
  "core/v1.VolumeProjection.podCertificate",
  "storage/v1.CSIDriverSpec.preventPodSchedulingIfMissing",
]);

/** Structs that are dropped, too, if nothing is left in them. */
const emptied = new Set(["lifecycle"]);

/** Says that the rest of a path is within each item of a list. */
const each = Symbol("each");

/** The way to a gated field. */
type Path = readonly (string | typeof each)[];

/**
 * Drops fields whose feature is off before a write is validated, unless the stored object has one. The server records
 * who set them all the same.
 */
export function dropGatedFields(
  schema: () => BuiltinSchema | undefined,
  { prepareForCreate, prepareForUpdate }: Pick<Strategy, "prepareForCreate" | "prepareForUpdate">,
): Pick<Strategy, "prepareForCreate" | "prepareForUpdate"> {
  const drop = (object: object, old?: object): void => {
    const root = schema();
    for (const paths of root ? gatedPaths(root).values() : []) {
      if (old && paths.some((path) => has(old, path))) continue;
      for (const path of paths) removeAt(object, path);
    }
  };
  return {
    prepareForCreate(object, write) {
      drop(object);
      prepareForCreate?.(object, write);
    },
    prepareForUpdate(object, old, write) {
      drop(object, old);
      prepareForUpdate?.(object, old, write);
    },
  };
}

/** The ways to each gated field from a value of a type, by the field: a feature is in use if the field is anywhere. */
type GatedPaths = ReadonlyMap<string, readonly Path[]>;

/** The same for every type that was asked for; empty for one within itself. */
const pathsByType = new Map<string, GatedPaths>();

function gatedPaths(schema: BuiltinSchema): GatedPaths {
  if (schema.items) return below(each, gatedPaths(schema.items));
  const { typeName, properties } = schema;
  if (!properties || typeName === undefined) return new Map();
  const known = pathsByType.get(typeName);
  if (known) return known;
  pathsByType.set(typeName, new Map());
  const found = new Map<string, readonly Path[]>();
  for (const [field, node] of Object.entries(properties)) {
    const name = `${typeName}.${field}`;
    const inner = gated.has(name) ? new Map([[name, [[field]]]]) : below(field, gatedPaths(node));
    for (const [of, paths] of inner) found.set(of, [...(found.get(of) ?? []), ...paths]);
  }
  pathsByType.set(typeName, found);
  return found;
}

function below(step: string | typeof each, paths: GatedPaths): GatedPaths {
  return new Map([...paths].map(([name, all]) => [name, all.map((path) => [step, ...path])]));
}

function has(value: unknown, [first, ...rest]: Path): boolean {
  if (first === undefined) return value !== undefined;
  if (first === each) return Array.isArray(value) && value.some((item) => has(item, rest));
  return typeof value === "object" && value !== null && has((value as Record<string, unknown>)[first], rest);
}

function removeAt(value: unknown, [first, ...rest]: Path): void {
  if (typeof value !== "object" || value === null || first === undefined) return;
  if (first === each) {
    if (Array.isArray(value)) for (const item of value) removeAt(item, rest);
    return;
  }
  const fields = value as Record<string, unknown>;
  if (rest.length === 0) delete fields[first];
  else if (has(fields[first], rest)) {
    removeAt(fields[first], rest);
    if (emptied.has(first) && Object.keys(fields[first] as object).length === 0) delete fields[first];
  }
}
