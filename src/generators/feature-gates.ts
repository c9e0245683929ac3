import type { MarkerValue } from "./markers/argument-type.ts";
import type { GeneratorOptions } from "./options.ts";

/** Returns whether something with this gate is generated. Default: true. */
export function isGateOn(gate: MarkerValue | undefined, { featureGates = [] }: GeneratorOptions): boolean {
  return typeof gate !== "string" || gate === "" || featureGates.includes(gate);
}
