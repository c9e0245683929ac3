import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { pluralize } from "@tsbuilder/apimachinery/naming";
import type { Project, Resource } from "../../project/project.ts";
import {
  coreGroupNames,
  describeResource,
  findCoreGroup,
  newResource,
  qualifiedGroup,
} from "../../project/project.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import { checkDomain, checkGroup, checkKind, checkModule, checkVersion } from "../../project/validate.ts";
import { type FlagDefinition, type FlagValues, flag } from "../arguments/command.ts";

/** The flags that identify a kind. */
export const kindFlags = {
  group: flag.string("API group without the domain", "GROUP", { default: "", check: checkGroup }),
  version: flag.string("API version, for example v1 or v1alpha1", "VERSION", {
    required: true,
    prompt: "Version:",
    check: checkVersion,
  }),
  kind: flag.string("kind in PascalCase", "KIND", { required: true, prompt: "Kind:", check: checkKind }),
} as const satisfies Record<string, FlagDefinition>;

const externalTypesHint =
  "use --crd with the kind's CRD, whose types are generated, or --external-module with an npm package that has the types";

/** The flags for an external kind's types. */
export const externalKindFlags = {
  crd: flag.string("CRD file of a third-party kind; its types are generated from it", "FILE"),
  "external-module": flag.string("npm package or file with the types of an external kind", "MODULE", {
    check: rejectGoModule,
  }),
  "external-domain": flag.string("domain of the external kind's group", "DOMAIN", { check: checkDomain }),
} as const satisfies Record<string, FlagDefinition>;

/** Rejects the path of a Go module, which begins with a host. */
function rejectGoModule(module: string): string {
  if (!/^[\w-]+(?:\.[\w-]+)+\//u.test(module)) return checkModule(module);
  throw new TsbuilderError(`"${module}" is the path of a Go package, and TypeScript can't import it`, {
    code: "INVALID_ARGUMENT",
    hint: externalTypesHint,
  });
}

/** kubebuilder's flags for external kinds: they name Go packages, which TypeScript can't import. */
export const refusedGoFlags = {
  "external-api-path": externalTypesHint,
  "external-api-module": externalTypesHint,
  "external-api-domain": "use --external-domain",
} as const;

/** The flag of commands that can add third-party plugins to a project. */
export const pluginsFlag = flag.list(
  "third-party plugins to use: a key, a package or the path of its folder; see tsbuilder plugins",
  "PLUGIN",
);

/** The flag of commands that run the generators at their end. */
export const makeFlag = flag.switch("run the generators afterwards; use --make=false to skip them", {
  default: true,
});

/** The values of the flags that identify a kind; only some commands have those for an external one. */
type KindFlags = FlagValues<typeof kindFlags> &
  Partial<FlagValues<typeof externalKindFlags>> & { readonly plural?: string | undefined };

/** Finds a kind: in the project, in a CRD or module that the flags name, or in Kubernetes. Throws if it is in none. */
export async function findResource(project: Project, flags: KindFlags, cwd: string): Promise<Resource> {
  const tracked = findTracked(project, flags);
  if (tracked) return tracked;
  if (flags.crd !== undefined) {
    const { resourceFromCrd } = await import("./crd-types.ts");
    return resourceFromCrd(cwd, flags.crd, flags);
  }
  if (flags["external-module"] !== undefined) return externalResource(flags, flags["external-module"]);
  if (findCoreGroup(flags.group)) {
    // The tables of built-in kinds are large, and most commands are about the project's kinds.
    const { findCoreKind } = await import("./find-core-kind.ts");
    try {
      return findCoreKind(flags);
    } catch (error) {
      // The project may have a group of the same name: then its kinds were meant more likely.
      if (!project.resources.some(({ group, origin }) => origin.type === "own" && group === flags.group))
        throw error;
    }
  }
  const { group, version, kind } = flags;
  throw unknownResource(project, flags, {
    withoutKinds: `add it first: tsbuilder create api --group ${group || "apps"} --version ${version} --kind ${kind}; ${externalKindHint}`,
    afterKinds: `. To add it: tsbuilder create api --group ${group || "apps"} --version ${version} --kind ${kind}; ${externalKindHint}`,
  });
}

/** Finds a resource in the project; the group may include its domain. */
function findTracked(project: Project, flags: KindFlags): Resource | undefined {
  return project.resources.find(
    (resource) =>
      resource.kind === flags.kind &&
      resource.version === flags.version &&
      (resource.group === (flags.group === "core" ? "" : flags.group) ||
        qualifiedGroup(resource) === flags.group),
  );
}

function externalResource(flags: KindFlags, module: string): Resource {
  return newResource({
    group: flags.group,
    domain: flags["external-domain"] ?? "",
    version: flags.version,
    kind: flags.kind,
    plural: flags.plural ?? pluralize(flags.kind.toLowerCase()),
    origin: { type: "external", module },
  });
}

const externalKindHint =
  "for a kind of another project, name its CRD with --crd FILE, or its types with --external-module PACKAGE";

/** Finds a kind of the project; throws if there is none. */
export function findOwnResource(project: Project, flags: KindFlags): Resource {
  const resource = findTracked(project, flags);
  if (resource) return resource;
  throw unknownResource(project, flags, { withoutKinds: "there is nothing to delete", afterKinds: "" });
}

/** The hint for a kind that the project lacks. */
interface Remedy {
  /** The hint for a project without kinds. */
  readonly withoutKinds: string;
  /** Follows the list of the project's kinds. */
  readonly afterKinds: string;
}

function unknownResource(project: Project, flags: KindFlags, remedy: Remedy): TsbuilderError {
  const { group, version, kind } = flags;
  const name = `${apiVersionOf({ group, version })}, Kind ${kind}`;
  return new TsbuilderError(`the project has no "${name}"`, {
    code: "NOT_FOUND",
    hint: hintForKind(project, flags, remedy),
  });
}

function hintForKind({ resources }: Project, { group, kind }: KindFlags, remedy: Remedy): string {
  const meantKind = didYouMean(
    kind,
    resources.map((resource) => resource.kind),
  );
  if (meantKind !== undefined && meantKind !== kind) return `did you mean --kind ${meantKind}?`;
  const fullGroup = coreGroupNames.find((name) => group !== "" && name.startsWith(`${group}.`));
  if (fullGroup !== undefined) return `did you mean --group ${fullGroup}?`;
  const groups = [...resources.map((resource) => resource.group), ...coreGroupNames];
  const meantGroup = didYouMean(group, groups);
  if (meantGroup !== undefined && meantGroup !== group) return `did you mean --group ${meantGroup}?`;
  if (resources.length === 0) return remedy.withoutKinds;
  return `it has ${resources.map(describeResource).join("; ")}${remedy.afterKinds}`;
}
