import { isEqual } from "@tsbuilder/apimachinery/json";
import { pods, type Service, services } from "../../../../control-loop/api/core.ts";
import { endpoints } from "./endpoints.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../../control-loop/keys.ts";
import { endpointsOf } from "./endpoints-of.ts";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { choosesPods, podEndpoints } from "../../service/pod-endpoints.ts";

const user = userOf("endpoint");

/** Lists the addresses of the pods behind each Service with a selector in an Endpoints object. */
export function endpointsController({ objects }: ControllerContext): Controller {
  return {
    watches: [services, pods, endpoints],

    /**
     * A pod whose labels changed may have left a Service, so it enqueues all Services of its namespace. Endpoints that
     * never had a Service are not this controller's.
     */
    keysOf({ resource, object }) {
      if (resource === pods) return objects.list(services, object.metadata.namespace).map(keyOf);
      const isLeft =
        resource === endpoints && !findByKey(objects, services, keyOf(object)) && !isOurs(object);
      return isLeft ? [] : [keyOf(object)];
    },

    async reconcile(key) {
      const service = findByKey(objects, services, key);
      if (service && choosesPods(service)) await write(service);
      else if (!service) await remove(key);
      return undefined;
    },
  };

  async function write(service: Service): Promise<void> {
    const found = podEndpoints(service, objects.list(pods, service.metadata.namespace));
    const wanted = endpointsOf(service, found);
    const current = objects.get(endpoints, service.metadata.namespace, service.metadata.name!);
    if (!current) await objects.create(user, wanted);
    else if (
      !isEqual(current.subsets, wanted.subsets) ||
      !isEqual(current.metadata.labels, wanted.metadata.labels)
    ) {
      const { subsets: _, ...rest } = current;
      const metadata = { ...current.metadata, labels: wanted.metadata.labels! };
      await objects.update(user, {
        ...rest,
        metadata,
        ...(wanted.subsets ? { subsets: wanted.subsets } : {}),
      });
    }
  }

  /** Endpoints have no owner reference: they are deleted by the name of their Service, whoever wrote them. */
  async function remove(key: string): Promise<void> {
    const current = findByKey(objects, endpoints, key);
    if (current) await objects.delete(user, current, { uid: current.metadata.uid });
  }
}

function isOurs({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller";
}
