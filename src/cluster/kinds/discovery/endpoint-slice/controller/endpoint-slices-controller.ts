import { pods, type Service, services } from "../../../../control-loop/api/core.ts";
import { endpointSlices, serviceLabel } from "./endpoint-slices.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../../control-loop/keys.ts";
import { endpointSlicesOf } from "./endpoint-slices-of.ts";
import { replaceSlices } from "./replace-slices.ts";
import { choosesPods, podEndpoints } from "../../../core/service/pod-endpoints.ts";

const user = userOf("endpointslice");

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

  async function write(service: Service): Promise<void> {
    const { namespace, uid } = service.metadata;
    const found = podEndpoints(service, objects.list(pods, namespace));
    const current = objects
      .list(endpointSlices, namespace)
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    await replaceSlices(objects, user, current, endpointSlicesOf(service, found));
  }
}
