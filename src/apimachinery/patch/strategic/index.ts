export { applyStrategicMergePatch } from "./apply-strategic-merge-patch.ts";
