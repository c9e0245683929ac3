import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { fieldPaths } from "@tsbuilder/apimachinery/patch/fields-v1";

/** A field manager with the fields that it owns. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: "Apply" | "Update" | undefined;
  /** Such as `status`. */
  readonly subresource: string | undefined;
  /** When it last set a field or changed the set of fields that it owns. */
  readonly at: string | undefined;
  /** Such as `spec.replicas`, without those of the metadata that only machines read. */
  readonly fields: readonly string[];
}

/** Returns the field managers of an object, who wrote last first. */
export function fieldManagersOf({ metadata: { managedFields = [] } }: KubernetesObject): FieldManager[] {
  return managedFields
    .map(({ manager = "unknown", operation, subresource, time, fieldsV1 }) => ({
      manager,
      operation,
      subresource,
      at: time,
      fields: fieldPaths(fieldsV1),
    }))
    .sort((a, b) => (b.at ?? "").localeCompare(a.at ?? ""));
}

/** A field that several managers own. */
interface ContestedField {
  readonly path: string;
  readonly managers: readonly string[];
}

/** Returns the fields outside of the metadata that several managers own. */
export function contestedFields(object: KubernetesObject): ContestedField[] {
  const managers = new Map<string, Set<string>>();
  for (const { manager, fields } of fieldManagersOf(object))
    for (const path of fields.filter(isOfContent))
      managers.set(path, (managers.get(path) ?? new Set()).add(manager));
  return [...managers].flatMap(([path, names]) => (names.size > 1 ? [{ path, managers: [...names] }] : []));
}

/** Kubernetes' own parts, which write what they should. */
const parts = /^(?:kube-|kubelet)/u;

/**
 * Returns who else than the operator wrote an object that an operator made: other managers of its content, but for the status
 * and Kubernetes' own. The operator is who owns the references to the owner.
 */
export function foreignWriters(object: KubernetesObject): FieldManager[] {
  const managers = fieldManagersOf(object);
  const makers = new Set(
    managers
      .filter(({ fields }) => fields.some((path) => path.startsWith("metadata.ownerReferences")))
      .map(({ manager }) => manager),
  );
  if (makers.size === 0) return [];
  return managers.flatMap(({ fields, ...rest }) => {
    const content = fields.filter(isOfContent);
    const isForeign = rest.subresource !== "status" && !makers.has(rest.manager) && !parts.test(rest.manager);
    return isForeign && content.length > 0 ? [{ ...rest, fields: content }] : [];
  });
}

function isOfContent(path: string): boolean {
  return !path.startsWith("metadata") && !path.startsWith("status");
}
