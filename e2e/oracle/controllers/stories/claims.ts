import { merge, post, remove, type Request, type Story } from "../story.ts";

const claims = "/api/v1/namespaces/{ns}/persistentvolumeclaims";
const volumes = "/api/v1/persistentvolumes";
const classes = "/apis/storage.k8s.io/v1/storageclasses";
const pods = "/api/v1/namespaces/{ns}/pods";

const volume = (name: string, storage: string, own: object = {}, labels: object = {}): Request =>
  post(volumes, {
    metadata: { name: `{ns}-${name}`, labels },
    spec: {
      capacity: { storage },
      accessModes: ["ReadWriteOnce"],
      storageClassName: "{ns}",
      hostPath: { path: `/tmp/${name}` },
      ...own,
    },
  });
const claim = (name: string, storage: string, own: object = {}): Request =>
  post(claims, {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "{ns}",
      resources: { requests: { storage } },
      ...own,
    },
  });
const storageClass = (own: object): Request =>
  post(classes, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "{ns}" },
    provisioner: "example.com/none",
    ...own,
  });
const user = (spec: object = {}): Request =>
  post(pods, {
    metadata: { name: "p" },
    spec: {
      ...spec,
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }],
    },
  });

export const claimStories: readonly Story[] = [
  {
    name: "a claim takes the smallest volume that is large enough",
    steps: [
      { name: "claimed", requests: [claim("c", "2Gi")] },
      {
        name: "volumes",
        // The embedded server binds as soon as one fits, the real one resyncs now and then: in this order they agree.
        requests: [volume("small", "1Gi"), volume("medium", "3Gi"), volume("large", "9Gi")],
        rest: 20,
      },
      { name: "the claim is deleted", requests: [remove(`${claims}/c`)], rest: 5 },
      { name: "another claim", requests: [claim("d", "3Gi")], rest: 5 },
    ],
  },
  {
    name: "a volume that is reserved for a claim, and a claim that names its volume",
    steps: [
      {
        name: "volumes",
        requests: [
          volume("kept", "5Gi", { claimRef: { namespace: "{ns}", name: "c" } }),
          volume("named", "5Gi", {}, { tier: "gold" }),
          volume("gold", "5Gi", {}, { tier: "gold" }),
        ],
      },
      {
        name: "claimed",
        requests: [
          claim("c", "1Gi"),
          claim("d", "1Gi", { volumeName: "{ns}-named" }),
          claim("e", "1Gi", { selector: { matchLabels: { tier: "gold" } } }),
          claim("f", "1Gi"),
        ],
        rest: 5,
      },
      { name: "a bound volume is deleted", requests: [remove(`${volumes}/{ns}-kept`)], rest: 5 },
      { name: "and its claim", requests: [remove(`${claims}/c`)], rest: 5 },
    ],
  },
  {
    name: "a claim in use is protected",
    steps: [
      {
        name: "in use",
        requests: [
          volume("v", "1Gi"),
          claim("c", "1Gi"),
          post("/api/v1/nodes", { metadata: { name: "{ns}" } }),
          user({ nodeName: "{ns}" }),
        ],
        rest: 20,
      },
      { name: "deleted", requests: [remove(`${claims}/c`)], rest: 5 },
      { name: "no longer in use", requests: [remove(`${pods}/p`, { gracePeriodSeconds: 0 })], rest: 5 },
    ],
  },
  {
    name: "a claim that waits for its first consumer",
    steps: [
      {
        name: "claimed",
        requests: [
          storageClass({ volumeBindingMode: "WaitForFirstConsumer" }),
          volume("v", "1Gi"),
          claim("c", "1Gi"),
        ],
        rest: 5,
      },
      { name: "a pod without a node uses it", requests: [user()], rest: 20 },
      {
        name: "the scheduler has selected a node",
        requests: [
          merge(`${claims}/c`, {
            metadata: { annotations: { "volume.kubernetes.io/selected-node": "{ns}" } },
          }),
        ],
        rest: 20,
      },
    ],
  },
  {
    name: "a claim with an external provisioner",
    steps: [
      {
        name: "claimed",
        requests: [storageClass({ volumeBindingMode: "Immediate" }), claim("c", "1Gi")],
        rest: 5,
      },
      {
        name: "provided",
        requests: [
          volume("made", "1Gi", { claimRef: { namespace: "{ns}", name: "c", uid: `{uid ${claims}/c}` } }),
        ],
        rest: 20,
      },
      {
        name: "volume lost",
        requests: [
          remove(`${volumes}/{ns}-made`),
          merge(`${volumes}/{ns}-made`, { metadata: { finalizers: null } }),
        ],
        rest: 20,
      },
    ],
  },
];
