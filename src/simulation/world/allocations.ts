import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/**
 * Replaces the addresses that the cluster gave to pods and Services by what has them, wherever operators copied them to: which of several
 * pods is first is chance.
 */
export function withoutAllocations(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const holders = new Map(
    objects.flatMap((object) => addressesOf(object).map((one) => [one, holderOf(object)])),
  );
  return objects.map((object) => replace(object, holders) as KubernetesObject);
}

function addressesOf({ kind, ...object }: KubernetesObject): string[] {
  const { spec, status } = object as { readonly spec?: Allocated; readonly status?: Allocated };
  if (kind === "Pod") return (status?.podIPs ?? []).map(({ ip }) => ip);
  return kind === "Service" ? (spec?.clusterIPs ?? []).filter((ip) => ip !== "None") : [];
}

interface Allocated {
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly clusterIPs?: readonly string[];
}

/** Names what has an address. Pods of one owner are alike. */
function holderOf({
  kind,
  metadata: { name, generateName, ownerReferences: [owner] = [] },
}: KubernetesObject): string {
  return `the address of ${kind} ${generateName === undefined ? name : `of ${owner?.name ?? generateName}`}`;
}

function replace(value: unknown, holders: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return holders.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => replace(each, holders));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each, holders)]));
}
