import { isObject, memberOf, setMember } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject, ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
import { isElementOf } from "@tsbuilder/apimachinery/patch/fields-v1";

/** Returns the fields of an object that managers own. Items of lists that others own become `foreign`, or are left out. */
export function ownedFields(
  object: KubernetesObject,
  managers: readonly ManagedFieldsEntry[],
  foreign?: unknown,
): Readonly<Record<string, unknown>> {
  let owned: unknown;
  for (const { fieldsV1 = {} } of managers) owned = merge(owned, pickOwned(object, fieldsV1));
  return isObject(owned) ? (fillHoles(owned, foreign) as Record<string, unknown>) : {};
}

/** Marks a value that none of the managers owns. */
const hole = Symbol("hole");

/** Returns the part of a value that `fieldsV1` names, with holes for the rest. */
function pickOwned(value: unknown, fields: object): unknown {
  const names = Object.keys(fields).filter((name) => name !== ".");
  // A leaf is owned with its whole value; with "." alone, only its existence is.
  if (names.length === 0) return "." in fields ? hole : value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const name = names.find((element) => isElementOf(element, item, index));
      if (name === undefined) return hole;
      const picked = pickOwned(item, memberOf(fields as Record<string, object>, name)!);
      return name.startsWith("k:") && isObject(picked)
        ? { ...(JSON.parse(name.slice(2)) as object), ...picked }
        : picked;
    });
  }
  if (!isObject(value)) return value;
  const picked: Record<string, unknown> = {};
  // The order of the object is kept: some operators store a spec as text.
  for (const [field, member] of Object.entries(value)) {
    const subfields = memberOf(fields as Record<string, object>, `f:${field}`);
    const part = subfields === undefined ? hole : pickOwned(member, subfields);
    if (part !== hole) setMember(picked, field, part);
  }
  return picked;
}

/** Returns the union of the fields that two managers own of one value. */
function merge(a: unknown, b: unknown): unknown {
  if (a === undefined || a === hole) return b;
  if (b === undefined || b === hole) return a;
  if (Array.isArray(a) && Array.isArray(b)) return a.map((item, index) => merge(item, b[index]));
  if (!isObject(a) || !isObject(b)) return a;
  const merged = { ...a };
  for (const [key, value] of Object.entries(b)) setMember(merged, key, merge(memberOf(merged, key), value));
  return merged;
}

/** Replaces holes in lists, or removes them if there is no replacement. */
function fillHoles(value: unknown, foreign: unknown): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((item) => item !== hole || foreign !== undefined)
      .map((item) => (item === hole ? foreign : fillHoles(item, foreign)));
  }
  if (!isObject(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) setMember(filled, key, fillHoles(member, foreign));
  return filled;
}

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** The label that the API server adds to each namespace. */
const nameLabel = "kubernetes.io/metadata.name";

/** Returns the body with which an object was created, without the fields that the API server added, by its managed fields. */
export function initialObject(object: KubernetesObject): object {
  const { managedFields = [] } = object.metadata;
  const managers = managedFields.filter(({ subresource }) => subresource === undefined);
  const owned = managers.length === 0 ? withoutAddresses(object) : ownedFields(object, managers);
  const { apiVersion: _, kind: __, metadata: ownedMetadata = {}, status: ___, data, ...rest } = owned;
  const { name, namespace, labels, annotations } = object.metadata;
  const {
    labels: ownedLabels = {},
    annotations: ownedAnnotations = {},
    finalizers,
  } = ownedMetadata as Metadata;
  const metadata = {
    name,
    namespace,
    labels: filterKeys(labels, (key) => Object.hasOwn(ownedLabels, key) && key !== nameLabel),
    annotations: filterKeys(
      annotations,
      (key) => Object.hasOwn(ownedAnnotations, key) && !key.startsWith("kubectl.kubernetes.io/"),
    ),
    finalizers: finalizers?.length === 0 ? undefined : finalizers,
  };
  const values =
    data === undefined ? {} : object.kind === "Secret" ? { stringData: placeholders(data) } : { data };
  return { metadata, ...rest, ...values };
}

/** Returns an object without managed fields; a Service without the addresses that the API server assigned. */
export function withoutAddresses(object: KubernetesObject): Readonly<Record<string, unknown>> {
  const { spec, ...rest } = object as unknown as Readonly<Record<string, unknown>>;
  if (!isObject(spec)) return spec === undefined ? rest : { ...rest, spec };
  if (object.kind !== "Service" || spec["clusterIP"] === "None") return { ...rest, spec };
  const { clusterIP: _, clusterIPs: __, ...others } = spec;
  return { ...rest, spec: others };
}

/** Returns placeholders for the values of a Secret, which are not recorded. */
function placeholders(data: unknown): Record<string, string> {
  return Object.fromEntries(Object.keys(data as object).map((key) => [key, "not-recorded"]));
}

/** Returns the members whose keys are kept; undefined if there are none. */
function filterKeys(
  texts: Readonly<Record<string, string>> = {},
  isKept: (key: string) => boolean,
): Readonly<Record<string, string>> | undefined {
  const kept = Object.entries(texts).filter(([key]) => isKept(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
