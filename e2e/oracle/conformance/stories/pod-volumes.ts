import { type Story, story } from "../story.ts";
import { container, containers, type Fields, specs, volumes } from "./pod-cases.ts";

const empty = { volumes: [{ name: "v", emptyDir: {} }] };
const claim = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "x" } }] };
const mount = (...list: object[]): Fields => ({ volumeMounts: list });
const device = (...list: object[]): Fields => ({ volumeDevices: list });
const projected = (...sources: object[]): Fields => ({ projected: { sources } });
const item = { key: "k", path: "p" };

/** Volumes and mounts that a real server rejects. */
export const podVolumes: readonly Story[] = [
  story(
    "names of volumes",
    specs(
      { volumes: [{ name: "" }] },
      { volumes: [{ name: "Upper" }] },
      { volumes: [{ name: "v" }, { name: "v" }] },
      { volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }] },
      { volumes: [{ name: "v", configMap: { name: "x" }, secret: { secretName: "x" } }] },
    ),
  ),
  story(
    "sources",
    volumes(
      { emptyDir: { sizeLimit: "-1" } },
      { hostPath: { path: "" } },
      { hostPath: { path: "/a/../b" } },
      { hostPath: { path: "/a", type: "Nope" } },
      { secret: {} },
      { secret: { secretName: "x", defaultMode: 512 } },
      { secret: { secretName: "x", items: [{ key: "", path: "" }] } },
      { secret: { secretName: "x", items: [{ key: "k", path: "/abs" }] } },
      { secret: { secretName: "x", items: [{ key: "k", path: "../up" }] } },
      { secret: { secretName: "x", items: [{ key: "k", path: "..up", mode: -1 }] } },
      { configMap: { name: "" } },
      { configMap: { name: "x", items: [item, item] } },
      {
        configMap: {
          name: "x",
          items: [
            { key: "k", path: "a" },
            { key: "l", path: "a/b" },
          ],
        },
      },
      { persistentVolumeClaim: { claimName: "" } },
      { nfs: { server: "", path: "rel" } },
      { csi: { driver: "" } },
      { csi: { driver: "no_good" } },
      { csi: { driver: "ok.example.com", nodePublishSecretRef: { name: "" } } },
      { downwardAPI: { items: [{ path: "p" }] } },
      { downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "spec.nodeName" } }] } },
      { downwardAPI: { items: [{ path: "p", resourceFieldRef: { resource: "limits.cpu" } }] } },
      { downwardAPI: { defaultMode: 1000, items: [] } },
      { ephemeral: {} },
      { ephemeral: { volumeClaimTemplate: { spec: {} } } },
      {
        ephemeral: {
          volumeClaimTemplate: { spec: { accessModes: ["Nope"], resources: { requests: { storage: "0" } } } },
        },
      },
      { image: { reference: "" } },
      { image: { reference: "i:latest" } },
      { awsElasticBlockStore: { volumeID: "" } },
      { gitRepo: { repository: "x" } },
    ),
  ),
  story(
    "projections",
    volumes(
      projected({ secret: {} }),
      projected({ secret: { name: "x", items: [item] }, configMap: { name: "y" } }),
      projected({ secret: { name: "x", items: [item] } }, { configMap: { name: "y", items: [item] } }),
      projected({ downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.nope" } }] } }),
      projected({ serviceAccountToken: { path: "" } }),
      projected({ serviceAccountToken: { path: "t", expirationSeconds: 10 } }),
      { projected: { sources: [], defaultMode: -1 } },
    ),
  ),
  story(
    "mounts",
    containers(
      [
        mount({ name: "", mountPath: "/x" }),
        mount({ name: "missing", mountPath: "/x" }),
        mount({ name: "v", mountPath: "" }),
        mount({ name: "v", mountPath: "/x" }, { name: "v", mountPath: "/x" }),
        mount({ name: "v", mountPath: "/x", subPath: "/abs" }),
        mount({ name: "v", mountPath: "/x", subPath: "a/../b" }),
        mount({ name: "v", mountPath: "/x", subPath: "a", subPathExpr: "b" }),
        mount({ name: "v", mountPath: "/x", mountPropagation: "Nope" }),
        mount({ name: "v", mountPath: "/x", mountPropagation: "Bidirectional" }),
        mount({ name: "v", mountPath: "/x", recursiveReadOnly: "Enabled" }),
        mount({ name: "v", mountPath: "/x", readOnly: true, recursiveReadOnly: "Nope" }),
        device({ name: "v", devicePath: "/dev/x" }),
      ],
      empty,
    ),
  ),
  story(
    "devices",
    containers(
      [
        device({ name: "v", devicePath: "/dev/x" }),
        device({ name: "missing", devicePath: "" }),
        device({ name: "v", devicePath: "/a/../b" }),
        { ...device({ name: "v", devicePath: "/x" }), ...mount({ name: "v", mountPath: "/x" }) },
      ],
      claim,
    ),
  ),
  story(
    "disks of Azure",
    [
      {},
      { diskName: "x", diskURI: "y" },
      { diskName: "x", diskURI: "https://a" },
      { diskName: "x", diskURI: "https://a", kind: "Managed" },
      { diskName: "x", diskURI: "/subscriptions/a", kind: "Managed" },
      { diskName: "x", diskURI: "/subscriptionsa", kind: "Managed" },
      { diskName: "x", diskURI: "https://a", kind: "Dedicated", cachingMode: "None" },
      { diskName: "x", kind: "Nope", cachingMode: "Nope" },
      { diskName: "x", kind: "", cachingMode: "" },
    ].flatMap((azureDisk) => volumes({ azureDisk })),
  ),
  story("an account's token", [
    ...volumes(projected({ serviceAccountToken: { path: "t" } })),
    ...specs({
      serviceAccountName: "default",
      containers: [container],
      volumes: [{ name: "v", ...projected({ serviceAccountToken: { path: "t" } }) }],
    }),
  ]),
];
