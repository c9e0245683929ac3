import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DiscoveredResource } from "./reduce-facts.ts";

/** The parts of discovery documents that are read. */
interface GroupDocument {
  readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
}

/** Reads the documents in `api/discovery` of Kubernetes' module: the stable versions, in the order of a server. */
export function readDiscovery(folder: string): Map<string, readonly DiscoveredResource[]> {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
  const { groups } = read("apis") as GroupDocument;
  const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
  const stable = versions.filter((version) => /\/v\d+$/u.test(version));
  const documents = new Map([
    ["v1", "api__v1"],
    ...stable.map((version) => [version, `apis__${version.replace("/", "__")}`] as const),
  ]);
  return new Map(
    [...documents].map(([version, name]) => [
      version,
      (read(name) as { resources: readonly DiscoveredResource[] }).resources,
    ]),
  );
}
