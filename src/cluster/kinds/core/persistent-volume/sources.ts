import type {
  CSIPersistentVolumeSource,
  LocalVolumeSource,
  SecretReference,
} from "@tsbuilder/apimachinery/k8s/core/v1";
import { forbidden, required } from "@tsbuilder/apimachinery/errors";
import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../../contract/sent.ts";
import { withoutBacksteps } from "../../checks/paths.ts";
import { needed, type Problems } from "../../checks/problems.ts";
import { type SourceCheck, sources } from "../pod-spec/volumes.ts";

/** The sources in the order in which the server checks them. */
const order = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
];

/** Names that differ in the server's messages: in those about the source, and in that about a second one. */
const shownName: Readonly<Record<string, string>> = { gcePersistentDisk: "persistentDisk" };
const refusedName: Readonly<Record<string, string>> = { cephfs: "cephFS" };

/** The sources that pods don't have, or have with other rules. */
const ofVolumes: Readonly<Record<string, SourceCheck>> = {
  *local(field, { path = "" }: Sent<LocalVolumeSource>) {
    yield* needed(`${field}.path`, path);
    yield* withoutBacksteps(`${field}.path`, path);
  },
  *csi(field, source: Sent<CSIPersistentVolumeSource>) {
    yield* sources["csi"]!(field, { driver: source.driver }, "", "");
    yield* needed(`${field}.volumeHandle`, source.volumeHandle);
    for (const name of secrets) {
      const secret = source[name];
      if (secret) yield* secretProblems(`${field}.${name}`, secret);
    }
  },
  *storageos() {},
};

const secrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

function* secretProblems(field: string, { name, namespace }: Sent<SecretReference>): Problems {
  yield* needed(`${field}.name`, name, checkSubdomain);
  yield* needed(`${field}.namespace`, namespace, checkLabel);
}

/** A volume has one source: the first is validated, the others are refused. */
export function* volumeSource(field: string, spec: object): Problems {
  const present = order.filter((name) => Object.hasOwn(spec, name));
  for (const [index, name] of present.entries()) {
    if (index > 0 && name !== "flexVolume") {
      yield forbidden(`${field}.${refusedName[name] ?? name}`, "may not specify more than 1 volume type");
      continue;
    }
    const check = ofVolumes[name] ?? sources[name]!;
    const source = (spec as Record<string, object>)[name]!;
    yield* check(`${field}.${shownName[name] ?? name}`, source, "", "");
    if (name === "local" && !Object.hasOwn(spec, "nodeAffinity")) {
      yield required(`${field}.nodeAffinity`, "Local volume requires node affinity");
    }
  }
  if (present.length === 0) yield required(field, "must specify a volume type");
}

/** The fields of a spec that are sources. */
export function sourceOf(spec: object): object {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => order.includes(name)));
}
