import { horizontalPodAutoscaler } from "./autoscaling/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import type { BuiltInKind } from "./built-in-kind.ts";

/** The built-in kinds that have something of their own. To add one is to add its folder, and its line here. */
export const builtInKinds: readonly BuiltInKind[] = [horizontalPodAutoscaler];
