import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ResourceQuota } from "@tsbuilder/apimachinery/k8s/core/v1";
import { isInScope, namesFor, usageOf } from "../../../../quota/usage.ts";
import { addLists, isSameList, type ResourceList } from "../../../../quota/resource-list.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../../control-loop/keys.ts";
import type { ObjectEvent, ResourceName, ServedResource } from "../../../../contract/cluster-objects.ts";

const user = userOf("resourcequota");
const quotas: ResourceName<ResourceQuota> = "resourcequotas";

/**
 * How soon usage is recounted, which releases what was charged for objects that were not created, in
 * milliseconds.
 */
const recountAfter = 300_000;

/** Writes the limits and the usage into the status of each ResourceQuota, which admission enforces. */
export function resourceQuotaController({ objects, clock }: ControllerContext): Controller {
  return {
    keysOf(event) {
      if (event.resource === quotas) return isCounted(event) ? [] : [keyOf(event.object)];
      return mayFree(event) ? objects.list(quotas, event.object.metadata.namespace).map(keyOf) : [];
    },

    async reconcile(key) {
      const quota = findByKey(objects, quotas, key);
      if (!quota || quota.metadata.deletionTimestamp) return undefined;
      const hard = quota.spec?.hard ?? {};
      const used = countAll(quota, Object.keys(hard));
      const { status } = quota;
      const isSame = isSameList(hard, status?.hard ?? {}) && isSameList(used, status?.used ?? {});
      if (!isSame || !status?.hard)
        await objects.update(user, { ...quota, status: { hard, used } }, "status");
      return recountAfter;
    },
  };

  function countAll(quota: ResourceQuota, names: readonly string[]): ResourceList {
    let used: ResourceList = {};
    for (const served of objects.resources()) {
      const counted = resourceOf(served);
      const own = served.namespaced ? namesFor(counted, names) : [];
      if (own.length === 0) continue;
      used = addLists(Object.fromEntries(own.map((name) => [name, "0"])), used);
      for (const object of objects.list(served.resource, quota.metadata.namespace)) {
        if (isInScope(quota, counted.plural, object)) used = addLists(used, usage(counted, object, own));
      }
    }
    return used;
  }

  function usage(
    counted: { group: string; plural: string },
    object: KubernetesObject,
    names: readonly string[],
  ): ResourceList {
    const all = usageOf(counted, object, clock.now());
    return Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
  }
}

/** Admission also updates `used`, before the object exists: a count at that moment would miss it. */
function isCounted({ type, object }: ObjectEvent): boolean {
  const { spec, status } = object as ResourceQuota;
  return type === "MODIFIED" && isSameList(spec?.hard ?? {}, status?.hard ?? {});
}

/** New objects were charged on admission; deleted objects and finished pods release their usage. */
function mayFree({ type, resource, object }: ObjectEvent): boolean {
  if (object.metadata.namespace === undefined) return false;
  const changes = ["pods", "services", "persistentvolumeclaims"];
  return type === "DELETED" || (type === "MODIFIED" && changes.includes(resource));
}

function resourceOf({ resource }: ServedResource): { group: string; plural: string } {
  const [plural = "", ...group] = resource.split(".");
  return { plural, group: group.join(".") };
}
