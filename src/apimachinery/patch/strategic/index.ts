export { applyStrategicMergePatch, mergeStrategically } from "./apply-strategic-merge-patch.ts";
