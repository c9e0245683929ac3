import { checkDomain, checkGroup, checkKind, checkModule, checkVersion } from "../project/validate.ts";
import type { FlagDefinition } from "./command.ts";

/** The flags that say which kind a command is about. */
export const kindFlags = {
  group: {
    type: "string",
    summary: "API group, without the domain",
    placeholder: "GROUP",
    default: "",
    check: checkGroup,
  },
  version: {
    type: "string",
    summary: "API version, like v1 or v1alpha1",
    placeholder: "VERSION",
    required: true,
    prompt: "Version:",
    check: checkVersion,
  },
  kind: {
    type: "string",
    summary: "kind, in PascalCase",
    placeholder: "KIND",
    required: true,
    prompt: "Kind:",
    check: checkKind,
  },
} as const satisfies Record<string, FlagDefinition>;

/** The flags that say where the types of somebody else's kind come from. */
export const externalKindFlags = {
  crd: {
    type: "string",
    summary: "file with the definition of a kind of somebody else's; types are made from it",
    placeholder: "FILE",
  },
  "external-module": {
    type: "string",
    summary: "npm package or file that has the types of a kind of somebody else's",
    placeholder: "MODULE",
    check: checkModule,
  },
  "external-domain": {
    type: "string",
    summary: "domain of that kind's group",
    placeholder: "DOMAIN",
    check: checkDomain,
  },
} as const satisfies Record<string, FlagDefinition>;

/** What kubebuilder has in their place. */
export const refusedGoFlags = {
  "external-api-path": "use --external-module with the npm package that has the types",
  "external-api-module": "use --external-module with the npm package that has the types",
  "external-api-domain": "use --external-domain",
  plugins: "leave it out: TypeScript and kustomize are built in",
} as const;

/** The flags of a command that takes back what another one made. */
export const takeBackFlags = {
  force: { type: "boolean", summary: "delete files that you changed", default: false },
  keep: { type: "boolean", summary: "leave files behind that you changed", default: false },
} as const satisfies Record<string, FlagDefinition>;

export const makeFlag = {
  type: "boolean",
  summary: "run the generators (--make=false leaves them out)",
  default: true,
} as const satisfies FlagDefinition;
