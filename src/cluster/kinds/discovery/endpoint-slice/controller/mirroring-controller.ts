import { services } from "../../../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../../control-loop/keys.ts";
import { type Endpoints, endpoints } from "../../../core/endpoints/controller/endpoints.ts";
import { endpointSlices, managerLabel, serviceLabel } from "./endpoint-slices.ts";
import { mayBeMirrored, mirroredSlicesOf, mirroringManager } from "./mirrored-slices-of.ts";
import { replaceSlices } from "./replace-slices.ts";

const user = userOf("endpointslicemirroring");

/** Mirrors the Endpoints that users write for Services without a selector in EndpointSlices. */
export function mirroringController({ objects }: ControllerContext): Controller {
  return {
    watches: [services, endpoints, endpointSlices],

    keysOf({ resource, object }) {
      if (resource !== endpointSlices) return [keyOf(object)];
      const { namespace, labels } = object.metadata;
      const service = labels?.[managerLabel] === mirroringManager ? labels[serviceLabel] : undefined;
      return service ? [`${namespace}/${service}`] : [];
    },

    async reconcile(key) {
      const service = findByKey(objects, services, key);
      const isMirrored = service && !service.spec.selector;
      const mirrored = isMirrored ? findByKey(objects, endpoints, key) : undefined;
      const wanted = mirrored ? wantedOf(mirrored) : [];
      await replaceSlices(objects, user, slicesOf(key), wanted, { areAnnotationsOurs: true });
      return undefined;
    },
  };

  function wantedOf(mirrored: Endpoints) {
    return mayBeMirrored(mirrored) ? mirroredSlicesOf(mirrored) : [];
  }

  function slicesOf(key: string) {
    const [namespace, name] = key.split("/");
    return objects
      .list(endpointSlices, namespace)
      .filter(
        ({ metadata: { labels, deletionTimestamp } }) =>
          labels?.[managerLabel] === mirroringManager &&
          labels[serviceLabel] === name &&
          deletionTimestamp === undefined,
      );
  }
}
