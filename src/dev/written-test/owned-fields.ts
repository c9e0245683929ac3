import { isEqual, isObject, memberOf, setMember } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** What somebody gave to create an object, without what the server added, as far as its managed fields tell. */
export function initialObject(object: KubernetesObject): object {
  const managers = managedFieldsOf(object).filter(({ subresource }) => subresource === undefined);
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

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** The server gives it to each namespace. */
const nameLabel = "kubernetes.io/metadata.name";

/** An object that has no managed fields, without the addresses that a Service gets. */
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

/** Who owns which fields of an object. */
export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: object;
}

/** What `metadata.managedFields` says; nothing if the object has none. */
export function managedFieldsOf({ metadata }: KubernetesObject): readonly ManagedFields[] {
  return metadata.managedFields ?? [];
}

/**
 * The parts of an object that some managers own. For a list's items of others, `foreign` stands there; without it they
 * are left out.
 */
export function ownedFields(
  object: KubernetesObject,
  managers: readonly ManagedFields[],
  foreign?: unknown,
): Readonly<Record<string, unknown>> {
  let owned: unknown;
  for (const { fieldsV1 = {} } of managers) owned = merge(owned, pick(object, fieldsV1));
  return isObject(owned) ? (fill(owned, foreign) as Record<string, unknown>) : {};
}

/** A place in a list of which nobody that counts owns anything. */
const hole = Symbol("hole");

function pick(value: unknown, fields: object): unknown {
  const names = Object.keys(fields).filter((name) => name !== ".");
  // A leaf is owned with all that it contains; with a dot alone, only that it is there.
  if (names.length === 0) return "." in fields ? hole : value;
  if (Array.isArray(value)) {
    return value.map((item: unknown) => {
      const name = names.find((each) => isItem(item, each));
      if (name === undefined) return hole;
      const picked = pick(item, memberOf(fields as Record<string, object>, name)!);
      return name.startsWith("k:") && isObject(picked)
        ? { ...(JSON.parse(name.slice(2)) as object), ...picked }
        : picked;
    });
  }
  if (!isObject(value)) return value;
  const picked: Record<string, unknown> = {};
  // In the order of the object: some operators write a spec as text.
  for (const [field, member] of Object.entries(value)) {
    const below = memberOf(fields as Record<string, object>, `f:${field}`);
    const part = below === undefined ? hole : pick(member, below);
    if (part !== hole) setMember(picked, field, part);
  }
  return picked;
}

/** Whether an item of a list is the one that `k:{"name":"db"}` or `v:"db"` means. */
function isItem(item: unknown, name: string): boolean {
  if (name.startsWith("v:")) return isEqual(item, JSON.parse(name.slice(2)));
  if (!name.startsWith("k:") || !isObject(item)) return false;
  return Object.entries(JSON.parse(name.slice(2)) as object).every(([key, value]) =>
    isEqual(item[key], value),
  );
}

/** What either of two managers owns of the same value. */
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
