import { isSameKind, type Project, type Resource } from "../../project/project.ts";

/** The markers above a kind, as lines of its comment. */
export function kindMarkers(project: Project, resource: Resource): string {
  const markers = ["+kubebuilder:subresource:status"];
  if (isFirstVersion(project, resource)) markers.push("+kubebuilder:storageversion");
  const names = [
    ...(resource.shortNames.length > 0 ? [`shortName=${resource.shortNames.join(";")}`] : []),
    ...(resource.categories.length > 0 ? [`categories=${resource.categories.join(";")}`] : []),
    ...(resource.singular === undefined ? [] : [`singular=${resource.singular}`]),
  ];
  if (names.length > 0) markers.push(`+kubebuilder:resource:${names.join(",")}`);
  markers.push(
    '+kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`',
    '+kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`',
  );
  return markers.map((marker) => ` * ${marker}`).join("\n");
}

/** The statement that defines the kind's value, formatted as the formatter would. */
export function kindDefinition({ kind, plural, namespaced }: Resource): string {
  const members = [`kind: "${kind}"`, `plural: "${plural}"`, ...(namespaced ? [] : ['scope: "Cluster"'])];
  const start = `export const ${kind} = defineKind<${kind}>(groupVersion, {`;
  const oneLine = `${start} ${members.join(", ")} });`;
  if (oneLine.length <= lineWidth) return oneLine;
  return `${start}\n${members.map((member) => `  ${member},\n`).join("")}});`;
}

const lineWidth = 100;

/**
 * Exactly one version of a kind is the storage version. Even a single version is marked, so that adding another one
 * does not change a file of the user's.
 */
function isFirstVersion({ resources }: Project, resource: Resource): boolean {
  const own = resources.filter((other) => other.origin.type === "own" && isSameKind(other, resource));
  return own.length === 0 || own[0]!.version === resource.version;
}
