import { pluralize } from "@tsbuilder/apimachinery/naming";
import { coreGroupNames, findCoreGroup } from "../project/core-groups.ts";
import {
  describeResource,
  newResource,
  type Project,
  qualifiedGroup,
  type Resource,
} from "../project/project.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { didYouMean } from "../shared/text.ts";

/** How a kind is named on the command line. */
interface KindFlags {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural?: string | undefined;
  readonly crd?: string | undefined;
  readonly "external-module"?: string | undefined;
  readonly "external-domain"?: string | undefined;
}

/** Finds the kind that flags name: one of the project's, else one of Kubernetes, else somebody else's. */
export async function findResource(project: Project, flags: KindFlags, cwd: string): Promise<Resource> {
  const tracked = findTracked(project, flags);
  if (tracked) return tracked;
  if (flags.crd !== undefined) {
    const { resourceFromCrd } = await import("./crd-types.ts");
    return resourceFromCrd(cwd, flags.crd, flags);
  }
  if (flags["external-module"] !== undefined) return externalResource(flags, flags["external-module"]);
  if (findCoreGroup(flags.group)) {
    // The tables of Kubernetes' own kinds are large, and most calls are about the project's.
    const { findCoreKind } = await import("./find-core-kind.ts");
    return findCoreKind(flags);
  }
  throw unknownResource(project, flags);
}

/** The types that a file with a definition brings along. */
export async function readTypes(
  cwd: string,
  crd: string | undefined,
): Promise<{ files: ReadonlyMap<string, string>; notes: readonly string[] }> {
  if (crd === undefined) return { files: new Map(), notes: [] };
  const { planCrdTypes } = await import("./crd-types.ts");
  return planCrdTypes(cwd, [crd]);
}

/** A resource of the project; the group may be typed with its domain. */
export function findTracked(project: Project, flags: KindFlags): Resource | undefined {
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
export function unknownResource(project: Project, { group, version, kind }: KindFlags): TsbuilderError {
  const name = `${group === "" ? "" : `${group}/`}${version}, Kind ${kind}`;
  return new TsbuilderError(`the project has no "${name}"`, {
    code: "NOT_FOUND",
    hint: proposal(project, { group, version, kind }),
  });
}

function proposal({ resources }: Project, { group, version, kind }: KindFlags): string {
  const meantKind = didYouMean(
    kind,
    resources.map((resource) => resource.kind),
  );
  if (meantKind !== undefined && meantKind !== kind) return `did you mean --kind ${meantKind}?`;
  const groups = [...resources.map((resource) => resource.group), ...coreGroupNames];
  const meantGroup = didYouMean(group, groups);
  if (meantGroup !== undefined && meantGroup !== group) return `did you mean --group ${meantGroup}?`;
  if (resources.length === 0) {
    return `add it first: tsbuilder create api --group ${group || "apps"} --version ${version} --kind ${kind}`;
  }
  return `it has ${resources.map(describeResource).join("; ")}. A new one: tsbuilder create api`;
}
