// Flags that several commands of `commands/project` share: those that identify a kind, then those of all that scaffold.

import { checkDomain, checkGroup, checkKind, checkModule, checkVersion } from "../../project/validate.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { FlagDefinition } from "./command.ts";

/** The flags that identify a kind. */
export const kindFlags = {
  group: {
    type: "string",
    summary: "API group without the domain",
    placeholder: "GROUP",
    default: "",
    check: checkGroup,
  },
  version: {
    type: "string",
    summary: "API version, for example v1 or v1alpha1",
    placeholder: "VERSION",
    required: true,
    prompt: "Version:",
    check: checkVersion,
  },
  kind: {
    type: "string",
    summary: "kind in PascalCase",
    placeholder: "KIND",
    required: true,
    prompt: "Kind:",
    check: checkKind,
  },
} as const satisfies Record<string, FlagDefinition>;

/** The flags for an external kind's types. */
export const externalKindFlags = {
  crd: {
    type: "string",
    summary: "CRD file of a third-party kind; its types are generated from it",
    placeholder: "FILE",
  },
  "external-module": {
    type: "string",
    summary: "npm package or file with the types of an external kind",
    placeholder: "MODULE",
    check: rejectGoModule,
  },
  "external-domain": {
    type: "string",
    summary: "domain of the external kind's group",
    placeholder: "DOMAIN",
    check: checkDomain,
  },
} as const satisfies Record<string, FlagDefinition>;

const typesFromCrd =
  "use --crd with the kind's CRD, whose types are generated, or --external-module with an npm package that has the types";

/** kubebuilder's flags for external kinds: they name Go packages, which TypeScript can't import. */
export const refusedGoFlags = {
  "external-api-path": typesFromCrd,
  "external-api-module": typesFromCrd,
  "external-api-domain": "use --external-domain",
} as const;

/** Rejects the path of a Go module, which begins with a host. */
function rejectGoModule(module: string): string {
  if (!/^[\w-]+(?:\.[\w-]+)+\//u.test(module)) return checkModule(module);
  throw new TsbuilderError(`"${module}" is the path of a Go package, and TypeScript can't import it`, {
    code: "INVALID_ARGUMENT",
    hint: typesFromCrd,
  });
}

/** The flag of commands that can add third-party plugins to a project. */
export const pluginsFlag = {
  type: "list",
  summary: "third-party plugins to use: a key, a package or the path of its folder; see tsbuilder plugins",
  placeholder: "PLUGIN",
} as const satisfies FlagDefinition;

/** The flag of commands that run the generators at their end. */
export const makeFlag = {
  type: "boolean",
  summary: "run the generators afterwards; use --make=false to skip them",
  default: true,
} as const satisfies FlagDefinition;
