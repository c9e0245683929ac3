import type { InProcessCluster } from "@tsbuilder/cluster";
import { refText } from "../contract/index.ts";

const resourcePath = /^\/(?:api|apis\/([^/]+))\/([^/]+)\/([^?]+)/;

/** The object that a request writes: `ConfigMap.v1 default/shop`. A new one is named by the body. */
export function objectOf(
  { core: { registry } }: InProcessCluster,
  { path, body = "{}" }: { readonly path: string; readonly body?: string | undefined },
): string | undefined {
  const [, group = "", version = "", rest = ""] = resourcePath.exec(path) ?? [];
  const parts = rest.split("/");
  const isWithin = parts[0] === "namespaces" && registry.find(group, parts[2] ?? "") !== undefined;
  const [plural = "", given] = isWithin ? parts.slice(2) : parts;
  const kind = registry.find(group, plural)?.kind;
  const name = given ?? (JSON.parse(body) as { metadata?: { name?: string } }).metadata?.name;
  if (kind === undefined || name === undefined) return undefined;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return refText({ apiVersion, kind, namespace: isWithin ? parts[1] : undefined, name });
}
