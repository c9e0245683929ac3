import type { InProcessCluster } from "@tsbuilder/cluster";
import { refText } from "../contract/index.ts";

const resourcePath = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/([^?]+)/;

interface Write {
  readonly path: string;
  readonly body?: string | undefined;
}

/** The object that a request writes: `ConfigMap.v1 default/shop`. A new one is named by the body. */
export function objectOf(cluster: InProcessCluster, { path, body = "{}" }: Write): string | undefined {
  const { apiVersion, kind, namespace, name: given } = targetOf(cluster, path);
  const name = given ?? (JSON.parse(body) as { metadata?: { name?: string } }).metadata?.name;
  if (kind === undefined || name === undefined) return undefined;
  return refText({ apiVersion, kind, namespace, name });
}

/** What a request does to which kind, whatever the object is called: `PATCH Shop/status`. */
export function writePoint(
  cluster: InProcessCluster,
  { method, path }: Write & { readonly method: string },
): string {
  const { kind, subresource } = targetOf(cluster, path);
  return `${method} ${kind ?? path}${subresource === undefined ? "" : `/${subresource}`}`;
}

function targetOf({ core: { registry } }: InProcessCluster, path: string) {
  const [, group = "", version = "", rest = ""] = resourcePath.exec(path) ?? [];
  const parts = rest.split("/");
  const isWithin = parts[0] === "namespaces" && registry.find(group, parts[2] ?? "") !== undefined;
  const [plural = "", name, subresource] = isWithin ? parts.slice(2) : parts;
  return {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind: registry.find(group, plural)?.kind,
    namespace: isWithin ? parts[1] : undefined,
    name,
    subresource,
  };
}
