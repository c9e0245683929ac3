import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { type Claim, sizeOf } from "../kinds/core/persistent-volume-claim.ts";
import { forbidden } from "../contract/status-error.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionPlugin } from "./admission.ts";

/** A claim can grow only if its storage class allows expansion. */
export function claimResize(store: Store): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    validate({ operation, resource, subresource, object, oldObject, name }) {
      if (operation !== "UPDATE" || subresource !== "" || resource.group !== "") return;
      if (resource.plural !== "persistentvolumeclaims" || !object || !oldObject) return;
      const [now, before]: [Claim, Claim] = [object, oldObject];
      if (compareQuantities(sizeOf(now) ?? "0", sizeOf(before) ?? "0") <= 0) return;
      if (before.status?.phase !== "Bound") {
        throw forbidden(resource, name, "Only bound persistent volume claims can be expanded");
      }
      const storageClass = now.spec?.storageClassName ?? "";
      const stored = store.collection("storageclasses.storage.k8s.io").get(storageClass);
      if (stored?.object["allowVolumeExpansion"] === true) return;
      throw forbidden(
        resource,
        name,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      );
    },
  };
}
