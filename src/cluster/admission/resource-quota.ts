import type { AdmissionRequest, Core } from "../registry/core.ts";
import type { PodSpec, ResourceQuota } from "@tsbuilder/apimachinery/k8s/core/v1";
import { computeUsage, isInScope, namesFor, usageOf } from "../quota/usage.ts";
import {
  addLists,
  growth,
  isSameList,
  namesOver,
  onlyOf,
  printList,
  type ResourceList,
  withoutZeros,
} from "../quota/resource-list.ts";
import { updateObject } from "../registry/update-object.ts";
import { ownWrite } from "../registry/write.ts";
import { forbidden, StatusError } from "../contract/status-error.ts";
import { copyJSON } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../contract/api-object.ts";
import type { AdmissionPlugin } from "./admission.ts";

/**
 * Denies objects that exceed a namespace's quotas, and adds admitted ones to their usage. As on a real server, a quota
 * applies only once a controller has set `hard` and `used` in its status. `getCore` is called with each request: the
 * core is made after this plugin.
 */
export function resourceQuota(getCore: () => Core): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    async validate(request) {
      if (!isCounted(request)) return;
      const core = getCore();
      let pending = quotasOf(core, request.namespace);
      while (pending.length > 0) {
        const updates = chargeAll(request, pending, core.clock.now());
        if (request.dryRun) return;
        const stale = await writeAll(core, updates);
        pending = quotasOf(core, request.namespace).filter(({ metadata }) => stale.has(metadata.name ?? ""));
      }
    },
  };
}

/** Resources that quotas don't count. */
const uncounted: ReadonlySet<string> = new Set(["events", "bindings"]);

/** Resources whose updates can use more quota than before. */
const growing: ReadonlySet<string> = new Set(["services", "persistentvolumeclaims"]);

function isCounted(request: AdmissionRequest): request is AdmissionRequest & { object: ApiObject } {
  const { operation, resource, subresource, namespace, object } = request;
  if (!object || namespace === "" || subresource !== "" || !resource.namespaced) return false;
  if (uncounted.has(resource.plural)) return false;
  return (
    operation === "CREATE" ||
    (operation === "UPDATE" && resource.group === "" && growing.has(resource.plural))
  );
}

function quotasOf({ store }: Core, namespace: string): ResourceQuota[] {
  const stored = store.collection("resourcequotas").list(`${namespace}/`);
  return stored.map(({ object }) => object as ResourceQuota);
}

/** Adds the object to every quota that counts it. Returns the quotas whose usage changes. */
function chargeAll(
  request: AdmissionRequest & { object: ApiObject },
  quotas: readonly ResourceQuota[],
  now: number,
): ResourceQuota[] {
  const { resource, object, oldObject } = request;
  if (quotas.length === 0) return [];
  const usage = usageOf(resource, object, now);
  const delta = oldObject ? growth(usage, usageOf(resource, oldObject, now)) : usage;
  return quotas.flatMap((quota) => {
    const names = namesFor(resource, Object.keys(quota.status?.hard ?? {}));
    if (names.length === 0 || !isInScope(quota, resource.plural, object)) return [];
    const used = charge(request, quota, names, delta);
    return isSameList(used, quota.status?.used ?? {})
      ? []
      : [{ ...quota, status: { ...quota.status, used } }];
  });
}

/** Returns a quota's usage with the object. Throws if it exceeds the quota. */
function charge(
  request: AdmissionRequest & { object: ApiObject },
  { metadata, status }: ResourceQuota,
  names: readonly string[],
  delta: ResourceList,
): ResourceList {
  const { resource, object, name } = request;
  const { hard = {}, used = {} } = status ?? {};
  const refuse = (why: string): Error => forbidden(resource, object.metadata.name ?? name, why);
  const unspecified = resource.plural === "pods" ? findUnspecified(object["spec"] as PodSpec, names) : "";
  if (unspecified !== "") throw refuse(`failed quota: ${metadata.name}: must specify ${unspecified}`);
  if (names.some((resourceName) => used[resourceName] === undefined)) {
    const resources = names.toSorted().join(",");
    throw refuse(`status unknown for quota: ${metadata.name}, resources: ${resources}`);
  }
  const requested = withoutZeros(onlyOf(delta, Object.keys(hard)));
  const after = addLists(used, requested);
  const exceeded = namesOver(onlyOf(after, Object.keys(requested)), hard);
  if (exceeded.length === 0) return after;
  const print = (list: ResourceList): string => printList(onlyOf(list, exceeded));
  const amounts = `requested: ${print(requested)}, used: ${print(used)}, limited: ${print(hard)}`;
  throw refuse(`exceeded quota: ${metadata.name}, ${amounts}`);
}

/** The resources that every container must specify if a quota limits them. */
const mustBeSpecified = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/** Describes the containers without CPU or memory that a quota limits: `cpu for: a,b`. Empty if there are none. */
function findUnspecified({ containers, initContainers = [] }: PodSpec, names: readonly string[]): string {
  const missing = mustBeSpecified
    .filter((name) => names.includes(name))
    .map((name) => {
      const without = [...containers, ...initContainers].filter(
        ({ resources }) => computeUsage(resources?.requests, resources?.limits)[name] === undefined,
      );
      return { name, without: [...new Set(without.map((container) => container.name))].toSorted() };
    })
    .filter(({ without }) => without.length > 0);
  return missing.map(({ name, without }) => `${name} for: ${without.join(",")}`).join("; ");
}

/** Writes the usage; returns the names of the quotas that another write changed first. */
async function writeAll(core: Core, quotas: readonly ResourceQuota[]): Promise<ReadonlySet<string>> {
  const stale = new Set<string>();
  for (const quota of quotas) {
    const write = ownWrite(core, quota, { subresource: "status" });
    try {
      await updateObject(write, { next: () => copyJSON(quota) as ApiObject & ResourceQuota, retry: false });
    } catch (error) {
      const { code } = error instanceof StatusError ? error.status : {};
      if (code !== 409 && code !== 404) throw error;
      stale.add(write.name);
    }
  }
  return stale;
}
