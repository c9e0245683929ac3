import type { BuiltinResource } from "@tsbuilder/apimachinery/kinds";
import type { SubresourceInfo } from "../registry/resource.ts";

/** The served subresources. Those that need a running container, such as logs, only respond that there is none. */
const served = new Set([
  "attach",
  "exec",
  "log",
  "portforward",
  "proxy",
  "status",
  "finalize",
  "approval",
  "scale",
  "binding",
  "eviction",
  "token",
  "ephemeralcontainers",
  "resize",
]);

/** The subresources of a built-in kind, in the order of discovery. */
export function builtInSubresources(resource: BuiltinResource): Map<string, SubresourceInfo> {
  const found = new Map<string, SubresourceInfo>();
  for (const { name, group, version, kind, verbs } of resource.subresources) {
    if (!served.has(name)) continue;
    const body = kind !== resource.kind && {
      body: { group: group === "" && resource.group === "" ? "" : group, version, kind },
    };
    found.set(name, { verbs, ...body });
  }
  return found;
}
