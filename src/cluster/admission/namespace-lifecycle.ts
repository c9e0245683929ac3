import { forbidden, notFound } from "../contract/status-error.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionPlugin } from "./admission.ts";

const namespaces = { group: "", plural: "namespaces", kind: "Namespace" };

/** Nothing can be created in a namespace that does not exist or is being terminated. */
export function namespaceLifecycle(store: Store): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    validate({ operation, resource, namespace, object, subresource }) {
      if (operation !== "CREATE" || namespace === "" || !resource.namespaced) return;
      if (resource.group === "authorization.k8s.io") return;
      const stored = store.collection("namespaces").get(namespace);
      if (!stored) throw notFound(namespaces, namespace);
      if (stored.object.metadata.deletionTimestamp === undefined || subresource !== "") return;
      throw forbidden(
        resource,
        object?.metadata.name ?? "",
        `unable to create new content in namespace ${namespace} because it is being terminated`,
        [
          {
            reason: "NamespaceTerminating",
            message: `namespace ${namespace} is being terminated`,
            field: "metadata.namespace",
          },
        ],
      );
    },
  };
}
