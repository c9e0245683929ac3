import type { FunctionDecl } from "../functions/function.ts";
import type { CelType } from "../types/type.ts";
import { optionals } from "./optionals.ts";
import { sets } from "./sets.ts";
import { strings } from "./strings.ts";

/** The libraries that an API server of 1.36 gives to the rules of a CRD. */
export const kubernetesLibraries: readonly (readonly FunctionDecl[])[] = [optionals, strings, sets];

/** The types that these libraries bring along. */
export const kubernetesTypes: readonly CelType[] = [];
