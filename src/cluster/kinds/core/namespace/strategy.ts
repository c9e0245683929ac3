import { forbidden } from "../../../contract/status-error.ts";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { labelName } from "../../../registry/validate-name.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";

const nameLabel = "kubernetes.io/metadata.name";
const permanent = new Set(["default", "kube-system", "kube-public"]);

/**
 * Namespaces are kept by `spec.finalizers`: deletion sets the phase Terminating, and they are removed once
 * the namespace controller has emptied and finalized them.
 */
export const namespaceStrategy: Partial<Strategy> = {
  validateName: labelName,
  prepareForCreate(object) {
    object["spec"] = { finalizers: ["kubernetes"] };
    object["status"] = { phase: "Active" };
  },
  default: labelWithName,
  resetFields(object, old, subresource) {
    if (subresource === "finalize") {
      const spec = object["spec"];
      Object.assign(object, { ...old, metadata: { ...old!.metadata }, spec });
      return;
    }
    resetStatusAlone(object, old, subresource);
    if (old && subresource === "") object["spec"] = old["spec"];
  },
  isHeld: ({ spec }) => ((spec as { finalizers?: string[] } | undefined)?.finalizers ?? []).length > 0,
  markDeleted: (object) => ({
    ...object,
    status: { ...(object["status"] as object | undefined), phase: "Terminating" },
  }),
  beforeDelete(object) {
    const { name } = object.metadata;
    if (permanent.has(name!)) {
      throw forbidden(
        { group: "", plural: "namespaces", kind: "Namespace" },
        name!,
        "this namespace may not be deleted",
      );
    }
  },
};

function labelWithName({ metadata }: ApiObject): void {
  if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
}
