import type { BuiltInKind } from "../../built-in-kind.ts";
import { keepAnnotations, ownAnnotations } from "./annotations-of-v1.ts";
import type { HorizontalPodAutoscaler } from "./autoscaler.ts";
import { cells } from "./cells.ts";
import { convert, withAnnotations } from "./convert.ts";
import { setBehaviorDefaults, setDefaults } from "./defaults.ts";
import { validate } from "./validate.ts";

const inV2 = (object: HorizontalPodAutoscaler) => convert(object, "autoscaling/v2");

export const horizontalPodAutoscaler: BuiltInKind = {
  resource: "horizontalpodautoscalers.autoscaling",
  strategy: {
    statusWritesMetadata: true,
    prepareForCreate: (object) => keepAnnotations(object, undefined, "status"),
    prepareForUpdate(object, old, { subresource }) {
      keepAnnotations(object, old, subresource === "status" ? "spec" : "status");
    },
    default: (object, { version }) => setDefaults(object, version),
    partialMetadata: (metadata) =>
      withAnnotations({ metadata }, ownAnnotations(metadata.annotations ?? {})).metadata,
    validate: (object) => [...validate(inV2(object))],
    validateUpdate: (object, old) => [...validate(inV2(object), inV2(old))],
  },
  cells,
  emptyObject: { spec: { scaleTargetRef: {} }, status: {} },
  convert(object, apiVersion) {
    const converted = convert(object, apiVersion);
    setBehaviorDefaults(converted);
    return converted;
  },
  zeroValues: (version) => ({
    spec: { maxReplicas: 0, scaleTargetRef: { kind: "", name: "" } },
    status: { desiredReplicas: 0, ...(version === "v1" ? { currentReplicas: 0 } : { currentMetrics: null }) },
  }),
};
