import { isEqual } from "@tsbuilder/apimachinery/json";
import { pods, type Service, services } from "../../../../control-loop/api/core.ts";
import { type EndpointSlice, endpointSlices } from "./endpoint-slices.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../../control-loop/keys.ts";
import { endpointSlicesOf } from "./endpoint-slices-of.ts";
import { choosesPods, podEndpoints } from "../../../core/service/pod-endpoints.ts";

const user = userOf("endpointslice");
const serviceLabel = "kubernetes.io/service-name";

/** Lists the addresses of the pods behind each Service with a selector in EndpointSlices. */
export function endpointSlicesController({ objects }: ControllerContext): Controller {
  return {
    watches: [services, pods, endpointSlices],

    keysOf({ resource, object }) {
      if (resource === services) return [keyOf(object)];
      if (resource === pods) return objects.list(services, object.metadata.namespace).map(keyOf);
      const service = object.metadata.labels?.[serviceLabel];
      return service ? [`${object.metadata.namespace}/${service}`] : [];
    },

    async reconcile(key) {
      const service = findByKey(objects, services, key);
      if (service && choosesPods(service) && !service.metadata.deletionTimestamp) await write(service);
      return undefined;
    },
  };

  /** Unchanged slices keep their names; of the others, as many as needed are updated. */
  async function write(service: Service): Promise<void> {
    const found = podEndpoints(service, objects.list(pods, service.metadata.namespace));
    const wanted = endpointSlicesOf(service, found);
    const current = objects
      .list(endpointSlices, service.metadata.namespace)
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === service.metadata.uid));
    const changed = wanted.filter((slice) => !current.some((stored) => isSame(stored, slice)));
    const spare = current.filter((stored) => !wanted.some((slice) => isSame(stored, slice)));
    for (const slice of changed) {
      const reused = spare.shift();
      if (!reused) await objects.create(user, slice);
      else await rewrite(reused, slice);
    }
    for (const slice of spare) await objects.delete(user, slice, { uid: slice.metadata.uid });
  }

  async function rewrite(
    stored: EndpointSlice,
    { metadata, endpoints, ports }: EndpointSlice,
  ): Promise<void> {
    const labelled = { ...stored.metadata, labels: metadata.labels! };
    await objects.update(user, { ...stored, metadata: labelled, endpoints, ports });
  }

  function isSame(stored: EndpointSlice, wanted: EndpointSlice): boolean {
    return (
      isEqual(stored.endpoints ?? [], wanted.endpoints) &&
      isEqual(stored.ports ?? [], wanted.ports) &&
      isEqual(stored.metadata.labels, wanted.metadata.labels)
    );
  }
}
