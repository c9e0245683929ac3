import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../../contract/api-object.ts";
import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  notSupported,
  required,
  tooLong,
} from "@tsbuilder/apimachinery/errors";
import {
  checkBundleName,
  longestLifetime,
  signerProblems,
  userAnnotationProblems,
  relativePathProblems,
  fileModeProblems,
  filePathProblems,
  backstepProblems,
} from "../../checks/names.ts";
import type { Problems } from "../../checks/problems.ts";
import {
  checked,
  choice,
  each,
  ifSet,
  inRange,
  itemsOf,
  needed,
  optionalChoice,
  refused,
} from "../../checks/problems.ts";
import { toGoStruct } from "../../checks/go-struct.ts";
import { selectorProblems, selectorStruct, templateMetadataProblems } from "../../checks/meta-types.ts";
import { claimSpecProblems } from "../persistent-volume-claim.ts";
import type { PodSpec, Volume } from "./types.ts";
import { fieldReferenceProblems, resourceReferenceProblems } from "./containers.ts";

/**
 * Validates volumes, and returns those that containers may mount: only valid ones. The names of ephemeral claims depend on
 * the pod's name, which a template does not have.
 */
export function* checkVolumes(
  field: string,
  { volumes = [] }: PodSpec,
  podName: string,
): Generator<FieldError, ReadonlyMap<string, Volume>> {
  const validVolumes = new Map<string, Volume>();
  const ephemeralClaims = new Set(
    volumes.filter(({ ephemeral }) => ephemeral && podName !== "").map(({ name }) => `${podName}-${name}`),
  );
  for (const [at, volume] of itemsOf(field, volumes)) {
    const { name = "", persistentVolumeClaim } = volume;
    const problems = [...volumeProblems(at, volume, podName), ...needed(`${at}.name`, name, checkLabel)];
    if (validVolumes.has(name)) problems.push(duplicate(`${at}.name`, name));
    if (problems.length === 0) validVolumes.set(name, volume);
    yield* problems;
    const claim = persistentVolumeClaim?.claimName ?? "";
    if (!ephemeralClaims.has(claim)) continue;
    const detail = "must not reference a PVC that gets created for an ephemeral volume";
    yield invalid(`${at}.persistentVolumeClaim.claimName`, claim, detail);
  }
  return validVolumes;
}

export type SourceCheck = (field: string, source: object, podName: string, volumeName: string) => Problems;
type VolumeSource<Name extends keyof Volume> = NonNullable<Volume[Name]>;

const managedDiskURI = [
  "/subscriptions/",
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
] as const;

const blobDiskURI = [
  "https://",
  "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
] as const;

/** The volume sources in the order in which the server checks them. */
export const volumeSourceChecks: Readonly<Record<string, SourceCheck>> = {
  *emptyDir(field, { sizeLimit }: VolumeSource<"emptyDir">) {
    if (sizeLimit !== undefined && compareQuantities(sizeLimit, "0") < 0) {
      yield forbidden(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity");
    }
  },
  *hostPath(field, { path, type }: VolumeSource<"hostPath">) {
    yield* needed(`${field}.path`, path);
    if (!path) return;
    yield* backstepProblems(`${field}.path`, path);
    yield* optionalChoice(`${field}.type`, type, "core/v1.HostPathVolumeSource");
  },
  *gitRepo(field, { repository, directory = "" }: VolumeSource<"gitRepo">) {
    yield* needed(`${field}.repository`, repository);
    yield* relativePathProblems(`${field}.directory`, directory);
  },
  gcePersistentDisk: requireFields("pdName"),
  awsElasticBlockStore: requireFields("volumeID"),
  *secret(field, { secretName, defaultMode, items }: VolumeSource<"secret">) {
    yield* needed(`${field}.secretName`, secretName);
    yield* fileModeProblems(`${field}.defaultMode`, defaultMode);
    yield* each(`${field}.items`, items, keyToPathProblems);
  },
  *nfs(field, { server, path = "" }: VolumeSource<"nfs">) {
    yield* needed(`${field}.server`, server);
    yield* needed(`${field}.path`, path);
    if (!path.startsWith("/")) yield invalid(`${field}.path`, path, "must be an absolute path");
  },
  *iscsi(field, source: VolumeSource<"iscsi">) {
    yield* requireFields("targetPortal", "iqn")(field, source, "", "");
    const { iqn, lun, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source;
    yield* ifSet(`${field}.iqn`, iqn, iscsiNameReasons);
    yield* inRange(`${field}.lun`, lun, 0, 255);
    if ((chapAuthDiscovery || chapAuthSession) && !secretRef) yield required(`${field}.secretRef`);
    yield* checked(`${field}.initiatorname`, initiatorName, iscsiNameReasons);
  },
  glusterfs: requireFields("endpoints", "path"),
  *flocker(field, { datasetName = "", datasetUUID = "" }: VolumeSource<"flocker">) {
    if (!datasetName && !datasetUUID) yield required(field, "one of datasetName and datasetUUID is required");
    if (datasetName && datasetUUID)
      yield invalid(field, "resource", "datasetName and datasetUUID can not be specified simultaneously");
    if (datasetName.includes("/")) yield invalid(`${field}.datasetName`, datasetName, "must not contain '/'");
  },
  persistentVolumeClaim: requireFields("claimName"),
  rbd: requireFields("monitors", "image"),
  cinder: requireFields("volumeID"),
  cephfs: requireFields("monitors"),
  *quobyte(field, { registry = "", tenant = "", volume }: VolumeSource<"quobyte">) {
    const form = "must be a host:port pair or multiple pairs separated by commas";
    if (registry === "") yield required(`${field}.registry`, form);
    else if (tenant.length > 64)
      yield required(`${field}.tenant`, "must be a UUID and may not exceed a length of 64 characters");
    else {
      for (const pair of registry.split(","))
        if (!isHostAndPort(pair)) yield invalid(`${field}.registry`, registry, form);
    }
    yield* needed(`${field}.volume`, volume);
  },
  *downwardAPI(field, { defaultMode, items = [] }: VolumeSource<"downwardAPI">) {
    yield* fileModeProblems(`${field}.defaultMode`, defaultMode);
    for (const item of items) yield* downwardFileProblems(field, item);
  },
  *fc(field, { targetWWNs = [], wwids = [], lun }: VolumeSource<"fc">) {
    const at = `${field}.targetWWNs`;
    if (targetWWNs.length + wwids.length === 0)
      yield required(at, "must specify either targetWWNs or wwids, but not both");
    if (targetWWNs.length === 0) return;
    if (wwids.length > 0)
      yield invalid(at, targetWWNs, "targetWWNs and wwids can not be specified simultaneously");
    if (lun === undefined) yield required(`${field}.lun`, "lun is required if targetWWNs is specified");
    else yield* inRange(`${field}.lun`, lun, 0, 255);
  },
  flexVolume: requireFields("driver"),
  *configMap(field, { name, defaultMode, items }: VolumeSource<"configMap">) {
    yield* needed(`${field}.name`, name);
    yield* fileModeProblems(`${field}.defaultMode`, defaultMode);
    yield* each(`${field}.items`, items, keyToPathProblems);
  },
  azureFile: requireFields("secretName", "shareName"),
  vsphereVolume: requireFields("volumePath"),
  photonPersistentDisk: requireFields("pdID"),
  portworxVolume: requireFields("volumeID"),
  *azureDisk(field, source: VolumeSource<"azureDisk">) {
    yield* requireFields("diskName", "diskURI")(field, source, "", "");
    const { kind = "Shared", diskURI = "", cachingMode } = source;
    yield* optionalChoice(`${field}.cachingMode`, cachingMode, "core/v1.AzureDiskVolumeSource");
    yield* optionalChoice(`${field}.kind`, kind, "core/v1.AzureDiskVolumeSource");
    const [start, form] = kind === "Managed" ? managedDiskURI : blobDiskURI;
    if (!diskURI.startsWith(start)) yield notSupported(`${field}.diskURI`, diskURI, [form]);
  },
  storageos: requireFields("volumeName"),
  *projected(field, { defaultMode, sources: list }: VolumeSource<"projected">) {
    yield* fileModeProblems(`${field}.defaultMode`, defaultMode);
    yield* projectionProblems(field, list);
  },
  scaleIO: requireFields("gateway", "system", "volumeName"),
  *csi(field, { driver = "", nodePublishSecretRef: secret }: VolumeSource<"csi">) {
    yield* needed(`${field}.driver`, driver);
    if (driver.length > 63) yield tooLong(`${field}.driver`, 63);
    if (driver !== "") yield* refused(`${field}.driver`, driver, checkSubdomain(driver.toLowerCase()));
    if (!secret) return;
    if (!secret.name) yield required(`${field}.nodePublishSecretRef.name`);
    else yield* checked(`${field}.name`, secret.name, checkSubdomain);
  },
  *ephemeral(field, { volumeClaimTemplate: template }: VolumeSource<"ephemeral">, podName, volumeName) {
    if (!template) return yield required(`${field}.volumeClaimTemplate`);
    yield* templateMetadataProblems(`${field}.volumeClaimTemplate.metadata`, template.metadata);
    yield* claimSpecProblems(`${field}.volumeClaimTemplate.spec`, template.spec ?? {});
    if (podName === "" || volumeName === "") return;
    const claim = `${podName}-${volumeName}`;
    for (const reason of checkSubdomain(claim)) {
      const at = field.replace(/\.ephemeral$/, ".name");
      yield invalid(at, volumeName, `PVC name ${JSON.stringify(claim)}: ${reason}`);
    }
  },
  *image(field, { reference, pullPolicy }: VolumeSource<"image">, podName) {
    if (podName !== "" && !reference) yield required(`${field}.reference`);
    yield* choice(`${field}.pullPolicy`, pullPolicy, "core/v1.ImageVolumeSource");
  },
};

const iscsiNames: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.[A-Za-z\d.-]+:[^,;*&$|\s]+$/u,
  eui: /^eui.[A-Za-z\d]{16}$/u,
  naa: /^naa.[A-Za-z\d]{32}$/u,
};

function iscsiNameReasons(name: string): string[] {
  const form = iscsiNames[name.slice(0, 3)];
  if (!form) return ["must be valid format starting with iqn, eui, or naa"];
  return form.test(name) ? [] : ["must be valid format"];
}

/** As Go splits a host and a port: an address of IPv6 is in brackets. */
function isHostAndPort(text: string): boolean {
  return /^(?:\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/u.test(text);
}

/** Sources with another name in the server's messages. */
const shownNames: Readonly<Record<string, string>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };

/** A volume has one source: the first is validated, the others are rejected. */
function* volumeProblems(field: string, volume: Volume, podName: string): Problems {
  let first = true;
  for (const [name, check] of Object.entries(volumeSourceChecks)) {
    const value = volume[name as keyof Volume] as object | undefined;
    if (value === undefined) continue;
    if (first || name === "emptyDir") yield* check(`${field}.${name}`, value, podName, volume.name ?? "");
    else yield forbidden(`${field}.${shownNames[name] ?? name}`, "may not specify more than 1 volume type");
    first = false;
  }
  if (first) yield required(field, "must specify a volume type");
}

/** An item of a ConfigMap or Secret that becomes a file. */
function* keyToPathProblems(field: string, { key, path = "", mode }: Sent<core.KeyToPath>): Problems {
  yield* needed(`${field}.key`, key);
  yield* needed(`${field}.path`, path);
  yield* filePathProblems(`${field}.path`, path);
  yield* fileModeProblems(`${field}.mode`, mode);
}

const fieldsInFiles = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

/** An item of the downward API that becomes a file. */
function* downwardFileProblems(field: string, file: Sent<core.DownwardAPIVolumeFile>): Problems {
  const { path = "", fieldRef, resourceFieldRef, mode } = file;
  yield* needed(`${field}.path`, path);
  yield* filePathProblems(`${field}.path`, path);
  if (fieldRef) {
    yield* fieldReferenceProblems(`${field}.fieldRef`, fieldRef, fieldsInFiles);
    if (resourceFieldRef) {
      yield invalid(field, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resourceFieldRef) {
    yield* resourceReferenceProblems(`${field}.resourceFieldRef`, resourceFieldRef, true);
  } else yield required(field, "one of fieldRef and resourceFieldRef is required");
  yield* fileModeProblems(`${field}.mode`, mode);
}

/** The sources of a projected volume: no two may have the same file. */
function* projectionProblems(field: string, list: Sent<core.ProjectedVolumeSource>["sources"]): Problems {
  const taken = new Set<string>();
  function* take(path: string, shown: string): Problems {
    if (path !== "" && taken.has(path)) yield invalid(field, shown, "conflicting duplicate paths");
    taken.add(path);
  }
  for (const [at, source] of itemsOf(`${field}.sources`, list)) {
    for (const name of ["secret", "configMap"] as const) {
      const keys = source[name];
      if (!keys) continue;
      yield* needed(`${at}.${name}.name`, keys.name);
      for (const [path, item] of itemsOf(`${at}.${name}.items`, keys.items)) {
        yield* keyToPathProblems(path, item);
        yield* take(item.path ?? "", keys.name ?? "");
      }
    }
    for (const file of source.downwardAPI?.items ?? []) {
      yield* downwardFileProblems(`${at}.downwardAPI`, file);
      yield* take(file.path ?? "", file.path ?? "");
    }
    const { clusterTrustBundle: bundle, podCertificate: certificate } = source;
    if (bundle) {
      yield* bundleProblems(`${at}.clusterTrustBundle`, bundle);
      if (taken.has(bundle.path ?? "")) yield invalid(field, bundle.path, "conflicting duplicate paths");
      taken.add(bundle.path ?? "");
    }
    if (certificate) {
      yield* certificateProblems(`${at}.podCertificate`, certificate);
      const paths = certificatePaths.map((name) => [name, certificate[name] ?? ""] as const);
      for (const [name, path] of paths) {
        if (path !== "") yield* filePathProblems(`${at}.podCertificate.${name}`, path);
        yield* take(path, path);
      }
      const rule = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath";
      if (paths.every(([, path]) => path === "")) yield required(`${at}.podCertificate`, rule);
    }
    if (source.serviceAccountToken) yield* tokenProblems(field, at, source.serviceAccountToken);
    if (Object.keys(source).length > 1) {
      yield forbidden(at, "may not specify more than 1 volume type per source");
    }
  }
}

/** Trust bundles are projected by name, or by signer and labels. */
function* bundleProblems(field: string, bundle: Sent<core.ClusterTrustBundleProjection>): Problems {
  const { name, signerName, labelSelector, path = "" } = bundle;
  if (name !== undefined && signerName !== undefined) {
    const struct = toGoStruct(bundle, "core/v1.ClusterTrustBundleProjection");
    yield invalidStruct(field, struct, "only one of name and signerName may be used");
  } else if (name !== undefined) {
    if (name === "") yield required(`${field}.name`, "must be a valid object name");
    const signer = name.slice(0, Math.max(0, name.lastIndexOf(":"))).replaceAll(":", "/");
    for (const reason of checkBundleName(name, signer))
      yield invalid(`${field}.name`, name, `not a valid clustertrustbundlename: ${reason}`);
    if (labelSelector) {
      const detail = "labelSelector must be unset if name is specified";
      yield invalidStruct(`${field}.labelSelector`, selectorStruct(labelSelector), detail);
    }
  } else if (signerName !== undefined) {
    if (signerName === "") yield required(`${field}.signerName`, "must be a valid signer name");
    yield* signerProblems(`${field}.signerName`, signerName);
    yield* selectorProblems(`${field}.labelSelector`, labelSelector);
  } else yield required(field, "either name or signerName must be specified");
  if (path === "") yield required(`${field}.path`);
  yield* filePathProblems(`${field}.path`, path);
}

const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const certificatePaths = ["credentialBundlePath", "keyPath", "certificateChainPath"] as const;

/** A key and a certificate that a kubelet gets for the pod; their paths are checked with those of other sources. */
function* certificateProblems(field: string, source: Sent<core.PodCertificateProjection>): Problems {
  const { signerName = "", keyType = "", maxExpirationSeconds: seconds, userAnnotations } = source;
  yield* signerProblems(`${field}.signerName`, signerName);
  yield* userAnnotationProblems(`${field}.userAnnotations`, userAnnotations);
  yield* optionalChoice(`${field}.keyType`, keyType, keyTypes);
  const at = `${field}.maxExpirationSeconds`;
  const most = longestLifetime(signerName);
  if (seconds !== undefined && seconds < 3600)
    yield invalid(at, seconds, "if provided, maxExpirationSeconds must be >= 3600");
  if (seconds !== undefined && seconds > most)
    yield invalid(at, seconds, `if provided, maxExpirationSeconds must be <= ${most}`);
}

/** The real server reports the path of the token as that of the volume. */
function* tokenProblems(
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
  yield* filePathProblems(`${volume}.path`, path);
}

/** Legacy in-tree volumes: only their required fields are checked, not their own rules. */
function requireFields(...fields: string[]): SourceCheck {
  return function* (field, values) {
    for (const name of fields) {
      const value = (values as Record<string, unknown>)[name];
      if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0))
        yield required(`${field}.${name}`);
    }
  };
}
