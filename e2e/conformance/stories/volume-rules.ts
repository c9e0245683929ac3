import { apply, get, merge, post, remove, type Story, story } from "../story.ts";

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

export const volumeRules: readonly Story[] = [
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
