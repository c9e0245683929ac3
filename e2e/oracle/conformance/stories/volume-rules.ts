import { apply, get, merge, post, remove, type Story, story } from "../story.ts";
import { container, type Fields } from "./pod-cases.ts";

const volumes = "/api/v1/persistentvolumes";
const volume = (capacity?: object) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "{ns}-a" },
  spec: { accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" }, capacity },
});

const classes = "/apis/storage.k8s.io/v1/volumeattributesclasses";
const attributes = (metadata: object = {}) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttributesClass",
  metadata: { name: "{ns}-a", ...metadata },
  driverName: "example.com",
  parameters: { a: "b" },
});

const csi = { driver: "example.com", volumeHandle: "h" };
const accessModes = ["ReadWriteOnce"];

const sources: readonly Fields[] = [
  { iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:storage", lun: 1 } },
  { rbd: { monitors: ["a"], image: "b" } },
  { rbd: { monitors: ["a"], image: "b", pool: "", user: "u" } },
  { scaleIO: { gateway: "a", system: "b", volumeName: "c", secretRef: { name: "x" } } },
  { azureDisk: { diskName: "x", diskURI: "https://a" } },
  { azureDisk: { diskName: "x", diskURI: "https://a", kind: "Dedicated", fsType: "" } },
];

export const volumeRules: readonly Story[] = [
  story("defaults of sources", [
    ...sources.map((source, index) =>
      post("/api/v1/namespaces/{ns}/pods", {
        metadata: { name: `p${index}` },
        spec: { containers: [container], volumes: [{ name: "v", ...source }] },
      }),
    ),
    ...sources.map((source, index) =>
      post(`${volumes}?dryRun=All`, {
        metadata: { name: `{ns}-${index}` },
        spec: { accessModes, capacity: { storage: "1Gi" }, ...source },
      }),
    ),
    ...sources.map((source, index) =>
      post("/apis/storage.k8s.io/v1/volumeattachments?dryRun=All", {
        metadata: { name: `{ns}-${index}` },
        spec: {
          attacher: "example.com",
          nodeName: "a",
          source: { inlineVolumeSpec: { accessModes, capacity: { storage: "1Gi" }, ...source } },
        },
      }),
    ),
  ]),
  story("the capacity of a volume", [
    ...[undefined, {}, { cpu: "1" }, { storage: "1Gi", cpu: "1500m" }].map((capacity) =>
      post(`${volumes}?dryRun=All`, volume(capacity)),
    ),
    apply(`${volumes}/{ns}-a?fieldManager=m&dryRun=All`, volume({})),
  ]),
  story("the finalizer of a VolumeAttributesClass", [
    post(classes, attributes()),
    remove(`${classes}/{ns}-a`),
    merge(`${classes}/{ns}-a`, { metadata: { finalizers: null } }),
    get(`${classes}/{ns}-a`),
    apply(`${classes}/{ns}-a?fieldManager=m`, attributes({ finalizers: [] })),
    merge(`${classes}/{ns}-a`, { metadata: { finalizers: null } }),
    remove(`${classes}/{ns}-a`),
    post(classes, attributes({ finalizers: ["example.com/f"] })),
    merge(`${classes}/{ns}-a`, { metadata: { finalizers: ["example.com/f"] } }),
    merge(`${classes}/{ns}-a`, { metadata: { finalizers: null } }),
    remove(`${classes}/{ns}-a`),
  ]),
  story(
    "volumes that an attachment describes by itself",
    [
      {},
      { csi: {} },
      { csi, accessModes },
      { csi, accessModes: ["Never"] },
      { csi, nfs: { server: "a", path: "/" }, accessModes },
      { hostPath: { path: "/" }, accessModes, persistentVolumeReclaimPolicy: "Recycle" },
      {
        csi,
        accessModes,
        claimRef: {},
        capacity: { storage: "1Gi" },
        nodeAffinity: {},
        storageClassName: "a",
      },
      { csi, accessModes, volumeMode: "Block", volumeAttributesClassName: "" },
    ].map((inlineVolumeSpec) =>
      post("/apis/storage.k8s.io/v1/volumeattachments?dryRun=All", {
        metadata: { name: "{ns}-a" },
        spec: { attacher: "a", nodeName: "n", source: { inlineVolumeSpec } },
      }),
    ),
  ),
];
