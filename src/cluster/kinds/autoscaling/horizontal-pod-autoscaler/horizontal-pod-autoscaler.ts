import type { BuiltInKind } from "../../built-in-kind.ts";
import { cells } from "./cells.ts";
import { convert } from "./convert.ts";
import { setDefaults } from "./defaults.ts";
import { validate } from "./validate.ts";

export const horizontalPodAutoscaler: BuiltInKind = {
  resource: "horizontalpodautoscalers.autoscaling",
  strategy: {
    statusWritesMetadata: true,
    default: (object, { version }) => setDefaults(object, version),
    validate: (object) => [...validate(object)],
    validateUpdate: (object, old) => [...validate(object, old)],
  },
  cells,
  emptyObject: { spec: { scaleTargetRef: {} }, status: {} },
  convert,
};
