import { isObject, memberOf, setMember } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject, ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
import { isElementOf } from "@tsbuilder/apimachinery/patch/fields-v1";

/**
 * Returns the fields of an object that some managers own. Items of lists that others own are replaced by `foreign`, or left
 * out without it.
 */
export function ownedFields(
  object: KubernetesObject,
  managers: readonly ManagedFieldsEntry[],
  foreign?: unknown,
): Readonly<Record<string, unknown>> {
  let owned: unknown;
  for (const { fieldsV1 = {} } of managers) owned = merge(owned, pick(object, fieldsV1));
  return isObject(owned) ? (fill(owned, foreign) as Record<string, unknown>) : {};
}

/** Marks a value that none of the managers owns. */
const hole = Symbol("hole");

function pick(value: unknown, fields: object): unknown {
  const names = Object.keys(fields).filter((name) => name !== ".");
  // A leaf is owned with its whole value; with "." alone, only its existence is.
  if (names.length === 0) return "." in fields ? hole : value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const name = names.find((each) => isElementOf(each, item, index));
      if (name === undefined) return hole;
      const picked = pick(item, memberOf(fields as Record<string, object>, name)!);
      return name.startsWith("k:") && isObject(picked)
        ? { ...(JSON.parse(name.slice(2)) as object), ...picked }
        : picked;
    });
  }
  if (!isObject(value)) return value;
  const picked: Record<string, unknown> = {};
  // The order of the object is kept: some operators store a spec as text.
  for (const [field, member] of Object.entries(value)) {
    const below = memberOf(fields as Record<string, object>, `f:${field}`);
    const part = below === undefined ? hole : pick(member, below);
    if (part !== hole) setMember(picked, field, part);
  }
  return picked;
}

/** Returns the union of the fields that two managers own of one value. */
function merge(one: unknown, other: unknown): unknown {
  if (one === undefined || one === hole) return other;
  if (other === undefined || other === hole) return one;
  if (Array.isArray(one) && Array.isArray(other)) return one.map((item, index) => merge(item, other[index]));
  if (!isObject(one) || !isObject(other)) return one;
  const merged = { ...one };
  for (const [key, value] of Object.entries(other))
    setMember(merged, key, merge(memberOf(merged, key), value));
  return merged;
}

function fill(value: unknown, foreign: unknown): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((item) => item !== hole || foreign !== undefined)
      .map((item) => (item === hole ? foreign : fill(item, foreign)));
  }
  if (!isObject(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) setMember(filled, key, fill(member, foreign));
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
  const given = managers.length === 0 ? withoutAddresses(object) : ownedFields(object, managers);
  const { apiVersion: _, kind: __, metadata: own, status: ___, data, ...rest } = given;
  const { name, namespace, labels, annotations } = object.metadata;
  const { labels: ownLabels = {}, annotations: ownAnnotations = {}, finalizers } = (own ?? {}) as Metadata;
  const metadata = {
    name,
    namespace,
    labels: nonEmpty(only(labels, (key) => Object.hasOwn(ownLabels, key) && key !== nameLabel)),
    annotations: nonEmpty(
      only(
        annotations,
        (key) => Object.hasOwn(ownAnnotations, key) && !key.startsWith("kubectl.kubernetes.io/"),
      ),
    ),
    finalizers: finalizers?.length === 0 ? undefined : finalizers,
  };
  const values =
    data === undefined ? {} : object.kind === "Secret" ? { stringData: notRecorded(data) } : { data };
  return { metadata, ...rest, ...values };
}

/** Returns an object without managed fields; a Service without the addresses that the API server assigned. */
export function withoutAddresses(object: KubernetesObject): Readonly<Record<string, unknown>> {
  const { spec, ...rest } = object as unknown as Readonly<Record<string, unknown>>;
  if (!isObject(spec)) return spec === undefined ? rest : { ...rest, spec };
  if (object.kind !== "Service" || spec["clusterIP"] === "None") return { ...rest, spec };
  const { clusterIP: _, clusterIPs: __, ...given } = spec;
  return { ...rest, spec: given };
}

function notRecorded(data: unknown): Record<string, string> {
  return Object.fromEntries(Object.keys(data as object).map((key) => [key, "not-recorded"]));
}

function only(
  texts: Readonly<Record<string, string>> = {},
  isKept: (key: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => isKept(key)));
}

function nonEmpty(texts: Record<string, string>): Record<string, string> | undefined {
  return Object.keys(texts).length === 0 ? undefined : texts;
}
