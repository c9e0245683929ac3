import type { PodIP } from "@tsbuilder/apimachinery/k8s/core/v1";
import { fieldText } from "../../../registry/field-text.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { podSpec } from "../pod-spec/empty.ts";
import { podCells, podRowConditions } from "./cells.ts";
import { podStrategy } from "./strategy.ts";

export const pod: BuiltInKind = {
  resource: "pods",
  metadataChecks: "new/update+new/update",
  strategy: { ...podStrategy, statusWritesMetadata: true, returnsDeleted: true },
  cells: podCells,
  rowConditions: podRowConditions,
  selectors: {
    "spec.hostNetwork": (object) => fieldText(object, "spec.hostNetwork") || "false",
    "status.podIPs": (object) => {
      const status = object["status"] as { podIPs?: PodIP[] } | undefined;
      return (status?.podIPs ?? []).map(({ ip }) => ip).join(",");
    },
  },
  emptyObject: { spec: podSpec, status: {} },
};
