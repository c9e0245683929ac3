import { Env } from "../check/env.ts";
import { kubernetesLibraries, kubernetesTypes } from "../lib/libraries.ts";

let base: Env | undefined;

/** Returns the environment of a Kubernetes 1.36 API server; created on first use. */
export function kubernetesEnv(): Env {
  base ??= new Env({ libraries: kubernetesLibraries, types: kubernetesTypes, mixedLiterals: true });
  return base;
}
