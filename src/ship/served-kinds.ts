import { TsbuilderError } from "../shared/errors.ts";
import { type ClusterChoice, runKubectl } from "./kubectl.ts";
import { isDefinition, type ManifestObject } from "./manifest.ts";

/** Objects that a cluster knows the kinds of, and those it doesn't. */
export interface SplitByKind {
  readonly known: readonly ManifestObject[];
  readonly unknown: readonly ManifestObject[];
}

/** Asks a cluster which of the objects are of kinds that it serves, or that come with the objects. */
export async function splitByKind(
  objects: readonly ManifestObject[],
  choice: ClusterChoice,
): Promise<SplitByKind> {
  const { stdout } = await runKubectl(choice, ["api-versions"]);
  const served = new Set(stdout.split("\n").map((line) => line.trim()));
  const brought = new Set(objects.filter(isDefinition).map(groupOf));
  const isKnown = ({ apiVersion }: ManifestObject): boolean =>
    served.has(apiVersion) || brought.has(apiVersion.split("/")[0]);
  return { known: objects.filter(isKnown), unknown: objects.filter((object) => !isKnown(object)) };
}

/** Refuses a deployment before anything of it is written, where the cluster lacks kinds that others bring. */
export async function checkKinds(objects: readonly ManifestObject[], choice: ClusterChoice): Promise<void> {
  const { unknown } = await splitByKind(objects, choice);
  if (unknown.length > 0) throw unknownKinds(unknown);
}

/** Says which kinds are missing and who brings them. */
function unknownKinds(objects: readonly ManifestObject[]): TsbuilderError {
  const kinds = new Set(objects.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`));
  const groups = new Set(objects.map(({ apiVersion }) => apiVersion.split("/")[0]!));
  const remedies = [...groups].map((group) => BROUGHT_BY[group] ?? `install what brings ${group}`);
  return new TsbuilderError(`the cluster does not know ${[...kinds].join(", ")}`, {
    code: "REFUSED",
    hint: `nothing was written; ${remedies.join("; ")}`,
  });
}

/** Groups that our deployment may use, who brings them, and how to do without. */
const BROUGHT_BY: Readonly<Record<string, string>> = {
  "cert-manager.io":
    "install cert-manager in the cluster, or do without: tsbuilder edit --disable cert-manager --enable self-signed",
  "monitoring.coreos.com":
    "install the Prometheus operator in the cluster, or do without: tsbuilder edit --disable prometheus",
};

function groupOf(definition: ManifestObject): string | undefined {
  return (definition["spec"] as { group?: string } | undefined)?.group;
}
