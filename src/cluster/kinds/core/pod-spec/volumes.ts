import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../../contract/api-object.ts";
import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "@tsbuilder/apimachinery/errors";
import { descendingPath, fileMode, unreservedPath, withoutBacksteps } from "../../checks/names.ts";
import type { Problems } from "../../checks/problems.ts";
import { checked, choice, each, itemsOf, needed, optionalChoice, refused } from "../../checks/problems.ts";
import { selectorProblems, templateMetadata } from "../../checks/meta-types.ts";
import { claimSpec } from "../persistent-volume-claim.ts";
import type { PodSpec, Volume } from "./types.ts";
import { fieldReference, resourceReference } from "./containers.ts";

/**
 * Validates volumes, and returns those that containers may mount: only valid ones. The names of ephemeral claims depend on
 * the pod's name, which a template does not have.
 */
export function* checkVolumes(
  field: string,
  { volumes = [] }: PodSpec,
  podName: string,
): Generator<FieldError, ReadonlyMap<string, Volume>> {
  const sound = new Map<string, Volume>();
  const madeClaims = new Set(
    volumes.filter(({ ephemeral }) => ephemeral && podName !== "").map(({ name }) => `${podName}-${name}`),
  );
  for (const [at, volume] of itemsOf(field, volumes)) {
    const { name = "", persistentVolumeClaim } = volume;
    const problems = [...source(at, volume, podName), ...needed(`${at}.name`, name, checkLabel)];
    if (sound.has(name)) problems.push(duplicate(`${at}.name`, name));
    if (problems.length === 0) sound.set(name, volume);
    yield* problems;
    const claim = persistentVolumeClaim?.claimName ?? "";
    if (!madeClaims.has(claim)) continue;
    const detail = "must not reference a PVC that gets created for an ephemeral volume";
    yield invalid(`${at}.persistentVolumeClaim.claimName`, claim, detail);
  }
  return sound;
}

export type SourceCheck = (field: string, source: object, podName: string, volumeName: string) => Problems;
type Source<Name extends keyof Volume> = NonNullable<Volume[Name]>;

const managedDisk = [
  "/subscriptions/",
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
] as const;

const blobDisk = [
  "https://",
  "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
] as const;

/** The volume sources in the order in which the server checks them. */
export const sources: Readonly<Record<string, SourceCheck>> = {
  *emptyDir(field, { sizeLimit }: Source<"emptyDir">) {
    if (sizeLimit !== undefined && compareQuantities(sizeLimit, "0") < 0) {
      yield forbidden(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity");
    }
  },
  *hostPath(field, { path, type }: Source<"hostPath">) {
    yield* needed(`${field}.path`, path);
    if (!path) return;
    yield* withoutBacksteps(`${field}.path`, path);
    yield* optionalChoice(`${field}.type`, type, "core/v1.HostPathVolumeSource");
  },
  *gitRepo(field, { repository, directory = "" }: Source<"gitRepo">) {
    yield* needed(`${field}.repository`, repository);
    yield* descendingPath(`${field}.directory`, directory);
  },
  gcePersistentDisk: needs("pdName"),
  awsElasticBlockStore: needs("volumeID"),
  *secret(field, { secretName, defaultMode, items }: Source<"secret">) {
    yield* needed(`${field}.secretName`, secretName);
    yield* fileMode(`${field}.defaultMode`, defaultMode);
    yield* each(`${field}.items`, items, keyToPath);
  },
  *nfs(field, { server, path = "" }: Source<"nfs">) {
    yield* needed(`${field}.server`, server);
    yield* needed(`${field}.path`, path);
    if (!path.startsWith("/")) yield invalid(`${field}.path`, path, "must be an absolute path");
  },
  iscsi: needs("targetPortal", "iqn"),
  glusterfs: needs("endpoints", "path"),
  flocker: needs(),
  persistentVolumeClaim: needs("claimName"),
  rbd: needs("monitors", "image"),
  cinder: needs("volumeID"),
  cephfs: needs("monitors"),
  quobyte: needs("registry", "volume"),
  *downwardAPI(field, { defaultMode, items = [] }: Source<"downwardAPI">) {
    yield* fileMode(`${field}.defaultMode`, defaultMode);
    for (const item of items) yield* downwardFile(field, item);
  },
  fc: needs(),
  flexVolume: needs("driver"),
  *configMap(field, { name, defaultMode, items }: Source<"configMap">) {
    yield* needed(`${field}.name`, name);
    yield* fileMode(`${field}.defaultMode`, defaultMode);
    yield* each(`${field}.items`, items, keyToPath);
  },
  azureFile: needs("secretName", "shareName"),
  vsphereVolume: needs("volumePath"),
  photonPersistentDisk: needs("pdID"),
  portworxVolume: needs("volumeID"),
  *azureDisk(field, source: Source<"azureDisk">) {
    yield* needs("diskName", "diskURI")(field, source, "", "");
    const { kind = "Shared", diskURI = "", cachingMode } = source;
    yield* optionalChoice(`${field}.cachingMode`, cachingMode, "core/v1.AzureDiskVolumeSource");
    yield* optionalChoice(`${field}.kind`, kind, "core/v1.AzureDiskVolumeSource");
    const [start, form] = kind === "Managed" ? managedDisk : blobDisk;
    if (!diskURI.startsWith(start)) yield notSupported(`${field}.diskURI`, diskURI, [form]);
  },
  storageos: needs("volumeName"),
  *projected(field, { defaultMode, sources: list }: Source<"projected">) {
    yield* fileMode(`${field}.defaultMode`, defaultMode);
    yield* projections(field, list);
  },
  scaleIO: needs("gateway", "system", "volumeName"),
  *csi(field, { driver = "", nodePublishSecretRef: secret }: Source<"csi">) {
    yield* needed(`${field}.driver`, driver);
    if (driver.length > 63) yield tooLong(`${field}.driver`, 63);
    if (driver !== "") yield* refused(`${field}.driver`, driver, checkSubdomain(driver.toLowerCase()));
    if (!secret) return;
    if (!secret.name) yield required(`${field}.nodePublishSecretRef.name`);
    else yield* checked(`${field}.name`, secret.name, checkSubdomain);
  },
  *ephemeral(field, { volumeClaimTemplate: template }: Source<"ephemeral">, podName, volumeName) {
    if (!template) return yield required(`${field}.volumeClaimTemplate`);
    yield* templateMetadata(`${field}.volumeClaimTemplate.metadata`, template.metadata);
    yield* claimSpec(`${field}.volumeClaimTemplate.spec`, template.spec ?? {});
    if (podName === "" || volumeName === "") return;
    const claim = `${podName}-${volumeName}`;
    for (const reason of checkSubdomain(claim)) {
      const at = field.replace(/\.ephemeral$/, ".name");
      yield invalid(at, volumeName, `PVC name ${JSON.stringify(claim)}: ${reason}`);
    }
  },
  *image(field, { reference, pullPolicy }: Source<"image">, podName) {
    if (podName !== "" && !reference) yield required(`${field}.reference`);
    yield* choice(`${field}.pullPolicy`, pullPolicy, "core/v1.ImageVolumeSource");
  },
};

/** Sources with another name in the server's messages. */
const shownNames: Readonly<Record<string, string>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };

/** A volume has one source: the first is validated, the others are rejected. */
function* source(field: string, volume: Volume, podName: string): Problems {
  let first = true;
  for (const [name, check] of Object.entries(sources)) {
    const value = volume[name as keyof Volume] as object | undefined;
    if (value === undefined) continue;
    if (first || name === "emptyDir") yield* check(`${field}.${name}`, value, podName, volume.name ?? "");
    else yield forbidden(`${field}.${shownNames[name] ?? name}`, "may not specify more than 1 volume type");
    first = false;
  }
  if (first) yield required(field, "must specify a volume type");
}

/** An item of a ConfigMap or Secret that becomes a file. */
function* keyToPath(field: string, { key, path = "", mode }: Sent<core.KeyToPath>): Problems {
  yield* needed(`${field}.key`, key);
  yield* needed(`${field}.path`, path);
  yield* unreservedPath(`${field}.path`, path);
  yield* fileMode(`${field}.mode`, mode);
}

const fileFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

/** An item of the downward API that becomes a file. */
function* downwardFile(field: string, file: Sent<core.DownwardAPIVolumeFile>): Problems {
  const { path = "", fieldRef, resourceFieldRef, mode } = file;
  yield* needed(`${field}.path`, path);
  yield* unreservedPath(`${field}.path`, path);
  if (fieldRef) {
    yield* fieldReference(`${field}.fieldRef`, fieldRef, fileFields);
    if (resourceFieldRef) {
      yield invalid(field, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resourceFieldRef) {
    yield* resourceReference(`${field}.resourceFieldRef`, resourceFieldRef, true);
  } else yield required(field, "one of fieldRef and resourceFieldRef is required");
  yield* fileMode(`${field}.mode`, mode);
}

/** The sources of a projected volume: no two may have the same file. */
function* projections(field: string, sources: readonly Sent<core.VolumeProjection>[] | undefined): Problems {
  const taken = new Set<string>();
  function* take(path: string, shown: string): Problems {
    if (path !== "" && taken.has(path)) yield invalid(field, shown, "conflicting duplicate paths");
    taken.add(path);
  }
  for (const [at, source] of itemsOf(`${field}.sources`, sources)) {
    for (const name of ["secret", "configMap"] as const) {
      const keys = source[name];
      if (!keys) continue;
      yield* needed(`${at}.${name}.name`, keys.name);
      for (const [path, item] of itemsOf(`${at}.${name}.items`, keys.items)) {
        yield* keyToPath(path, item);
        yield* take(item.path ?? "", keys.name ?? "");
      }
    }
    for (const file of source.downwardAPI?.items ?? []) {
      yield* downwardFile(`${at}.downwardAPI`, file);
      yield* take(file.path ?? "", file.path ?? "");
    }
    const { clusterTrustBundle: bundle } = source;
    // A ClusterTrustBundle with a name must not have a selector.
    if (bundle?.signerName !== undefined && bundle.name === undefined) {
      yield* selectorProblems(`${at}.clusterTrustBundle.labelSelector`, bundle.labelSelector);
    }
    if (source.serviceAccountToken) yield* token(field, at, source.serviceAccountToken);
    if (Object.keys(source).length > 1) {
      yield forbidden(at, "may not specify more than 1 volume type per source");
    }
  }
}

/** The real server reports the path of the token as that of the volume. */
function* token(
  volume: string,
  source: string,
  { expirationSeconds = 0, path = "" }: NonNullable<Sent<core.VolumeProjection>["serviceAccountToken"]>,
): Problems {
  const at = `${source}.serviceAccountToken.expirationSeconds`;
  if (expirationSeconds < 10 * 60) {
    yield invalid(at, expirationSeconds, "may not specify a duration less than 10 minutes");
  }
  if (expirationSeconds > 2 ** 32) {
    yield invalid(at, expirationSeconds, "may not specify a duration larger than 2^32 seconds");
  }
  yield* needed(`${volume}.path`, path);
  yield* unreservedPath(`${volume}.path`, path);
}

/** Legacy in-tree volumes: only their required fields are checked, not their own rules. */
function needs(...fields: string[]): SourceCheck {
  return function* (field, values) {
    for (const name of fields) {
      const value = (values as Record<string, unknown>)[name];
      if (value === undefined || value === "") yield required(`${field}.${name}`);
    }
  };
}
