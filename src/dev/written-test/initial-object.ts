import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { managedFieldsOf, ownedFields } from "./owned-fields.ts";

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
