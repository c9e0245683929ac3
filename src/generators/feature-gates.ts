import type { MarkerValue } from "./markers/argument-type.ts";
import type { GeneratorOptions } from "./options.ts";

/** Tells whether what stands behind a gate is generated: without a gate it always is. */
export function isGateOn(gate: MarkerValue | undefined, { featureGates = [] }: GeneratorOptions): boolean {
  return typeof gate !== "string" || gate === "" || featureGates.includes(gate);
}
