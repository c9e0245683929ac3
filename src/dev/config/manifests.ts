// What an operator brings to a cluster, as it stands in files: in the `config/` of a project that is laid out as by kubebuilder, or in
// any manifests. `apply-config` adapts it to the cluster of a session.

import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { readYaml } from "../../shared/read-yaml.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { type ManifestObject, isCrd } from "../../ship/manifest.ts";

/** The objects of an operator, by what has to happen to them. */
export interface Manifests {
  readonly crds: readonly ManifestObject[];
  /** The names of the CRDs whose objects the operator converts. */
  readonly converted: ReadonlySet<string>;
  /** The webhook configurations, whose Services lead to the operator. */
  readonly webhooks: readonly ManifestObject[];
  /** The operator's account and roles, which get the namespace and the prefix of the session. */
  readonly rbac: readonly ManifestObject[];
  /** Objects that are applied as they are. */
  readonly others: readonly ManifestObject[];
}

const webhookKinds = new Set(["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);

/** Reads the `config/` of a project. kustomize is not needed: the session chooses namespace and names, and no Deployment runs. */
export function configManifests(project: string): Manifests {
  const patched = readConfig(project, "config/crd/patches").map(({ metadata }) => metadata.name);
  const crds = readConfig(project, "config/crd/bases");
  return {
    crds,
    converted: new Set([...patched, ...convertedBy(crds)]),
    webhooks: readConfig(project, "config/webhook").filter(({ kind }) => webhookKinds.has(kind)),
    rbac: readConfig(project, "config/rbac"),
    others: [],
  };
}

/** Reads manifests from files and from the YAML files of folders: the output of kustomize or helm, or a release's install.yaml. */
export function fileManifests(root: string, paths: readonly string[]): readonly ManifestObject[] {
  return paths.flatMap((path) => {
    const full = resolve(root, path);
    if (!existsSync(full)) {
      throw new TsbuilderError(`there is no "${path}" to read manifests from`, {
        code: "NOT_FOUND",
        hint: "name a file or a folder of YAML: --manifests dist/install.yaml",
      });
    }
    const file = relative(root, full);
    return statSync(full).isDirectory() ? readConfig(root, file) : readObjects(root, file);
  });
}

/** Sorts any manifests of an operator by what has to happen to them. */
export function sortManifests(objects: readonly ManifestObject[]): Manifests {
  const crds = objects.filter(isCrd);
  const isNamespace = ({ kind }: ManifestObject): boolean => kind === "Namespace";
  const others = objects.filter((object) => !isCrd(object) && !webhookKinds.has(object.kind));
  return {
    crds,
    converted: new Set(convertedBy(crds)),
    webhooks: objects.filter(({ kind }) => webhookKinds.has(kind)),
    rbac: [],
    others: [...others.filter(isNamespace), ...others.filter((object) => !isNamespace(object))],
  };
}

/** Returns the names of CRDs that say themselves that a webhook converts their objects. */
function convertedBy(crds: readonly ManifestObject[]): string[] {
  return crds
    .filter(({ spec }) => (spec as CrdSpec | undefined)?.conversion?.strategy === "Webhook")
    .map(({ metadata }) => metadata.name);
}

interface CrdSpec {
  readonly conversion?: { readonly strategy?: string };
}

/** Reads the objects in all YAML files of a folder in the project, except for kustomize's own files. */
export function readConfig(project: string, folder: string): ManifestObject[] {
  return readConfigFiles(project, folder).flatMap(({ objects }) => objects);
}

/** Reads objects with the paths of their files: `config/samples/apps_v1_mysql.yaml`. */
export function readConfigFiles(
  project: string,
  folder: string,
): { readonly file: string; readonly objects: readonly ManifestObject[] }[] {
  const path = join(project, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => /\.ya?ml$/.test(name) && !name.startsWith("kustom"))
    .toSorted()
    .map((name) => `${folder}/${name}`)
    .map((file) => ({ file, objects: readObjects(project, file) }));
}

function readObjects(project: string, file: string): ManifestObject[] {
  const ifInvalid = {
    code: "INVALID_SOURCE",
    hint: "fix the YAML; it is reloaded when you save it",
  } as const;
  return readYaml(file, readFileSync(join(project, file), "utf8"), ifInvalid).flatMap((value) => {
    const object = value as ManifestObject | null;
    return object?.kind && object.metadata?.name ? [object] : [];
  });
}
