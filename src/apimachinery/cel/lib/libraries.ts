import type { FunctionDecl } from "../functions/function.ts";
import type { CelType } from "../types/type.ts";
import { addresses, cidrType, ipType } from "./addresses.ts";
import { authorizers, authorizerTypes } from "./authorizer.ts";
import { formatType, namedFormats } from "./formats.ts";
import { lists } from "./lists.ts";
import { optionals } from "./optionals.ts";
import { quantities, quantityType } from "./quantities.ts";
import { regexes } from "./regexes.ts";
import { semvers, semverType } from "./semvers.ts";
import { sets } from "./sets.ts";
import { strings } from "./strings.ts";
import { urls, urlType } from "./urls.ts";

/** The functions that a Kubernetes 1.36 API server provides to every expression. */
export const kubernetesLibraries: readonly (readonly FunctionDecl[])[] = [
  urls,
  regexes,
  lists,
  optionals,
  quantities,
  strings,
  sets,
  addresses,
  namedFormats,
  semvers,
  authorizers,
];

/** The types of these libraries. */
export const kubernetesTypes: readonly CelType[] = [
  urlType,
  quantityType,
  ipType,
  cidrType,
  formatType,
  semverType,
  ...authorizerTypes,
];
