import type { AdmissionRequest } from "../registry/admission-request.ts";
import type { PodNeeds } from "../quota/pod-resources.ts";
import { isInScope, type ResourceQuota } from "../quota/quota.ts";
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
import { computeUsage, namesFor, usageOf } from "../quota/usage.ts";
import type { Core } from "../registry/core.ts";
import { updateObject } from "../registry/update-object.ts";
import { ownWrite } from "../registry/write.ts";
import { forbidden, StatusError } from "../contract/status-error.ts";
import { copyJSON } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../contract/api-object.ts";
import type { AdmissionPlugin } from "./admission.ts";

/** What comes and goes without being counted. */
const uncounted: ReadonlySet<string> = new Set(["events", "bindings"]);
/** Of these kinds an update can need more than before. */
const growing: ReadonlySet<string> = new Set(["services", "persistentvolumeclaims"]);

/**
 * Refuses what a namespace has no quota left for, and notes what it lets in. Quotas are good only once a controller
 * has said in their status what is limited and used, as on a real server.
 */
export function resourceQuota(core: () => Core): AdmissionPlugin {
  return {
    name: "ResourceQuota",
    async validate(request) {
      if (!isCounted(request)) return;
      let pending = quotasOf(core(), request.namespace);
      while (pending.length > 0) {
        const updates = chargeAll(request, pending, core().clock.now());
        if (request.dryRun) return;
        const late = await writeAll(core(), updates);
        pending = quotasOf(core(), request.namespace).filter(({ metadata }) => late.has(metadata.name ?? ""));
      }
    },
  };
}

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

/** Charges every quota that counts the object, and gives those that change. */
function chargeAll(
  request: AdmissionRequest & { object: ApiObject },
  quotas: readonly ResourceQuota[],
  now: number,
): ResourceQuota[] {
  const { resource, object, oldObject } = request;
  if (quotas.length === 0) return [];
  const whole = usageOf(resource, object, now);
  const delta = oldObject ? growth(whole, usageOf(resource, oldObject, now)) : whole;
  return quotas.flatMap((quota) => {
    const names = namesFor(resource, Object.keys(quota.status?.hard ?? {}));
    if (names.length === 0 || !isInScope(quota, resource.plural, object)) return [];
    const used = charge(request, quota, names, delta);
    return isSameList(used, quota.status?.used ?? {})
      ? []
      : [{ ...quota, status: { ...quota.status, used } }];
  });
}

/** What is used of a quota when the object is there. */
function charge(
  request: AdmissionRequest & { object: ApiObject },
  { metadata, status }: ResourceQuota,
  names: readonly string[],
  delta: ResourceList,
): ResourceList {
  const { resource, object, name } = request;
  const { hard = {}, used = {} } = status ?? {};
  const refuse = (why: string): Error => forbidden(resource, object.metadata.name ?? name, why);
  const unsaid = resource.plural === "pods" ? findUnsaid(object["spec"] as PodNeeds, names) : "";
  if (unsaid !== "") throw refuse(`failed quota: ${metadata.name}: must specify ${unsaid}`);
  if (names.some((each) => used[each] === undefined)) {
    const resources = names.toSorted().join(",");
    throw refuse(`status unknown for quota: ${metadata.name}, resources: ${resources}`);
  }
  const requested = withoutZeros(onlyOf(delta, Object.keys(hard)));
  const after = addLists(used, requested);
  const over = namesOver(onlyOf(after, Object.keys(requested)), hard);
  if (over.length === 0) return after;
  const [asked, taken, most] = [requested, used, hard].map((list) => printList(onlyOf(list, over)));
  throw refuse(`exceeded quota: ${metadata.name}, requested: ${asked}, used: ${taken}, limited: ${most}`);
}

const mustBeSaid = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/** Where processors or memory are limited, each container has to say how much it wants. */
function findUnsaid({ containers, initContainers = [] }: PodNeeds, names: readonly string[]): string {
  const silent = mustBeSaid
    .filter((name) => names.includes(name))
    .map((name) => {
      const without = [...containers, ...initContainers].filter(
        ({ resources }) => computeUsage(resources?.requests, resources?.limits)[name] === undefined,
      );
      return { name, without: [...new Set(without.map((container) => container.name))].toSorted() };
    })
    .filter(({ without }) => without.length > 0);
  return silent.map(({ name, without }) => `${name} for: ${without.join(",")}`).join("; ");
}

/** Writes the usage; returns the names of the quotas that another write changed first. */
async function writeAll(core: Core, quotas: readonly ResourceQuota[]): Promise<ReadonlySet<string>> {
  const late = new Set<string>();
  for (const quota of quotas) {
    const write = ownWrite(core, quota, { subresource: "status" });
    try {
      await updateObject(write, { next: () => copyJSON(quota) as ApiObject & ResourceQuota, retry: false });
    } catch (error) {
      const { code } = error instanceof StatusError ? error.status : {};
      if (code !== 409 && code !== 404) throw error;
      late.add(write.name);
    }
  }
  return late;
}
