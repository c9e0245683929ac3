import { TsbuilderError } from "../../shared/errors.ts";
import { type ClusterChoice, runKubectl } from "./kubectl.ts";
import { isCrd, type ManifestObject } from "../manifest.ts";

/** Separates the objects whose API version the cluster serves, or whose group a CRD among them defines, from the others. */
export async function splitByKind(objects: readonly ManifestObject[], choice: ClusterChoice) {
  const { stdout } = await runKubectl(choice, ["api-versions"]);
  const served = new Set(stdout.split("\n").map((line) => line.trim()));
  const defined = new Set(objects.filter(isCrd).map(groupOf));
  const isKnown = ({ apiVersion }: ManifestObject): boolean =>
    served.has(apiVersion) || defined.has(apiVersion.split("/")[0]);
  return { known: objects.filter(isKnown), unknown: objects.filter((object) => !isKnown(object)) };
}

/** Fails before anything is written if the cluster lacks third-party kinds that the deployment uses. */
export async function checkKinds(objects: readonly ManifestObject[], choice: ClusterChoice): Promise<void> {
  const { unknown } = await splitByKind(objects, choice);
  if (unknown.length > 0) throw unknownKinds(unknown);
}

/** API groups that a deployment may use, what provides them, and how to do without. */
const providersOfGroups: Readonly<Record<string, string>> = {
  "cert-manager.io":
    "install cert-manager in the cluster, or replace it: tsbuilder edit --disable cert-manager --enable self-signed",
  "monitoring.coreos.com":
    "install the Prometheus operator in the cluster, or disable its features: tsbuilder edit --disable prometheus,alerts",
};

/** Names the missing kinds and what provides them. */
function unknownKinds(objects: readonly ManifestObject[]): TsbuilderError {
  const kinds = new Set(objects.map(({ apiVersion, kind }) => `${kind} (${apiVersion})`));
  const groups = new Set(objects.map(({ apiVersion }) => apiVersion.split("/")[0]!));
  const remedies = [...groups].map((group) => providersOfGroups[group] ?? `install what provides ${group}`);
  const hint = `nothing was written; ${remedies.join("; ")}`;
  return new TsbuilderError(`the cluster does not serve ${[...kinds].join(", ")}`, { code: "REFUSED", hint });
}

function groupOf(crd: ManifestObject): string | undefined {
  return (crd["spec"] as { group?: string } | undefined)?.group;
}
