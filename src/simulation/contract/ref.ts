import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** Names an object. */
export interface Ref {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Returns the reference to an object. */
export function refOf({ apiVersion, kind, metadata }: KubernetesObject): Ref {
  const { namespace, name = "" } = metadata;
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

/** `ConfigMap.v1 default/shop`. */
export function refText({ apiVersion, kind, namespace, name }: Ref): string {
  return `${kind}.${apiVersion} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
