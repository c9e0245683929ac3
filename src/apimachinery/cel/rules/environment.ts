import { Env } from "../check/env.ts";
import { kubernetesLibraries, kubernetesTypes } from "../lib/libraries.ts";

let base: Env | undefined;

/** The environment of an API server of 1.36, made when the first expression needs it. */
export function kubernetesEnv(): Env {
  base ??= new Env({ libraries: kubernetesLibraries, types: kubernetesTypes, mixedLiterals: true });
  return base;
}
