import type { Condition } from "@tsbuilder/apimachinery/meta";
import { TsbuilderError } from "../../shared/errors.ts";
import { formatCall } from "../tool.ts";
import { type ClusterChoice, findTarget, readJson } from "./kubectl.ts";

/** The parts of a CRD that say in which versions its objects are stored. */
interface StoredCrd {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly storage: boolean }[] };
  readonly status?: {
    readonly storedVersions?: readonly string[];
    readonly conditions?: readonly Condition[];
  };
}

/**
 * Checks that a cluster stores no objects of a CRD in a version, and returns a line about it. Otherwise throws a TsbuilderError
 * that says what has to be done first: an API server rejects a CRD without such a version.
 */
export async function refuseStoredVersion(
  choice: ClusterChoice,
  crd: string,
  version: string,
): Promise<string> {
  const { context } = await findTarget(choice);
  const found = await readJson<StoredCrd>(choice, ["get", "customresourcedefinition", crd]);
  const { storedVersions = [], conditions = [] } = found?.status ?? {};
  if (!found) return `the cluster of context "${context}" has no CRD ${crd}`;
  if (!storedVersions.includes(version))
    return `the cluster of context "${context}" stores no objects of ${crd} in ${version}`;
  const isStorage = found.spec.versions.some(({ name, storage }) => name === version && storage);
  const flags = [
    ...(choice.kubeconfig === undefined ? [] : ["--kubeconfig", choice.kubeconfig]),
    ...(choice.context === undefined ? [] : ["--context", choice.context]),
  ];
  const migrate = formatCall({ tool: "tsbuilder", args: ["migrate", "storage", ...flags, "--crd", crd] });
  const progress = conditions.find(({ type, status }) => type === "StorageMigrated" && status === "False");
  throw new TsbuilderError(
    isStorage
      ? `${version} is the storage version of ${crd} in the cluster of context "${context}"`
      : `objects may be stored in ${version}: ${crd} lists it in status.storedVersions in the cluster of context "${context}"${progress ? `\n  ${progress.message}` : ""}`,
    {
      code: "REFUSED",
      hint: isStorage
        ? `deploy a release that stores another version (+kubebuilder:storageversion), then run: ${migrate}`
        : `store the objects again, then delete the version: ${migrate}`,
    },
  );
}
