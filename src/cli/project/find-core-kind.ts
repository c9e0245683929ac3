import { builtinResources, findKind, moduleOf } from "@tsbuilder/apimachinery/kinds";
import { type Resource, findCoreGroup, newResource, qualifiedGroup } from "../../project/project.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Finds a built-in kind, with its plural and scope, in a group of Kubernetes. Throws if the group's version lacks the kind. */
export function findCoreKind(flags: GroupVersionKind): Resource {
  const { group, domain } = findCoreGroup(flags.group)!;
  const groupVersion = { group: qualifiedGroup({ group, domain }), version: flags.version };
  const found = findKind(groupVersion, flags.kind);
  if (!found) throw unknownKind(groupVersion, flags);
  return newResource({
    group,
    domain,
    version: flags.version,
    kind: found.kind,
    plural: found.plural,
    namespaced: found.scope === "Namespaced",
    origin: { type: "core" },
  });
}

function unknownKind(
  groupVersion: Omit<GroupVersionKind, "kind">,
  { group, version, kind }: GroupVersionKind,
): TsbuilderError {
  const inGroup = builtinResources().filter(({ group }) => group === groupVersion.group);
  const versions = [...new Set(inGroup.filter((found) => found.kind === kind).map((found) => found.version))];
  const kinds = inGroup.filter((found) => found.version === version).map((found) => found.kind);
  const meant = didYouMean(kind, kinds);
  return new TsbuilderError(`Kubernetes has no kind "${kind}" in ${moduleOf(groupVersion)}`, {
    code: "NOT_FOUND",
    hint:
      versions.length > 0
        ? `it is in ${versions.map((other) => `--version ${other}`).join(", ")}`
        : meant !== undefined
          ? `did you mean --kind ${meant}?`
          : `it has ${[...new Set(kinds)].join(", ") || "none"}; to add a kind of your own: tsbuilder create api --group ${group} --version ${version} --kind ${kind}`,
  });
}
