import { get, merge, post, put, remove, type Step, type Story, story } from "../story.ts";

interface Life {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** The created object, without its name. */
  readonly object: object;
  /** A merge patch that changes it, and counts as a new generation where a kind has generations. */
  readonly change: object;
  readonly name?: string;
}

/** An object is created, labelled, changed, written as it is, and deleted. */
function lifeOf({ group, plural, kind, object, change, name = "{ns}" }: Life): Step[] {
  const apiVersion = group === "" ? "v1" : group;
  const path = `${group === "" ? "/api/v1" : `/apis/${group}`}/${plural}`;
  const own = `${path}/${name}`;
  const metadata = { name, ...("metadata" in object && (object.metadata as object)) };
  return [
    post(path, { apiVersion, kind, ...object, metadata }),
    merge(own, { metadata: { labels: { a: "b" } } }),
    merge(own, change),
    merge(own, change),
    put(own, {
      apiVersion,
      kind,
      ...object,
      metadata: { ...metadata, resourceVersion: "{4.metadata.resourceVersion}" },
    }),
    get(own),
    remove(own),
  ];
}

const admission = "admissionregistration.k8s.io/v1";
const nothing = { apiGroups: [""], apiVersions: ["v1"], resources: ["nothing"], operations: ["CREATE"] };
const webhook = {
  name: "a.b.example.com",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  clientConfig: { url: "https://127.0.0.1:1/a" },
  rules: [nothing],
};
const webhooks = {
  object: { webhooks: [webhook] },
  change: { webhooks: [{ ...webhook, timeoutSeconds: 5 }] },
};
const noWebhooks = { object: { webhooks: [] }, change: { webhooks: [webhook] } };
const constraints = { resourceRules: [nothing] };

const lives: readonly Life[] = [
  {
    group: admission,
    plural: "validatingwebhookconfigurations",
    kind: "ValidatingWebhookConfiguration",
    ...webhooks,
  },
  {
    group: admission,
    plural: "mutatingwebhookconfigurations",
    kind: "MutatingWebhookConfiguration",
    ...webhooks,
  },
  {
    group: admission,
    plural: "validatingwebhookconfigurations",
    kind: "ValidatingWebhookConfiguration",
    ...noWebhooks,
  },
  {
    group: admission,
    plural: "validatingadmissionpolicies",
    kind: "ValidatingAdmissionPolicy",
    object: { spec: { matchConstraints: constraints, validations: [{ expression: "true" }] } },
    change: { spec: { failurePolicy: "Ignore" } },
  },
  {
    group: admission,
    plural: "validatingadmissionpolicybindings",
    kind: "ValidatingAdmissionPolicyBinding",
    object: { spec: { policyName: "{ns}", validationActions: ["Deny"] } },
    change: { spec: { validationActions: ["Warn"] } },
  },
  {
    group: admission,
    plural: "mutatingadmissionpolicies",
    kind: "MutatingAdmissionPolicy",
    object: {
      spec: {
        matchConstraints: constraints,
        reinvocationPolicy: "Never",
        mutations: [
          {
            patchType: "JSONPatch",
            jsonPatch: { expression: "[JSONPatch{op: 'test', path: '/a', value: 'b'}]" },
          },
        ],
      },
    },
    change: { spec: { failurePolicy: "Ignore" } },
  },
  {
    group: admission,
    plural: "mutatingadmissionpolicybindings",
    kind: "MutatingAdmissionPolicyBinding",
    object: { spec: { policyName: "{ns}" } },
    change: { spec: { policyName: "{ns}-2" } },
  },
  {
    group: "flowcontrol.apiserver.k8s.io/v1",
    plural: "prioritylevelconfigurations",
    kind: "PriorityLevelConfiguration",
    object: {
      spec: {
        type: "Limited",
        limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } },
      },
    },
    change: { spec: { limited: { nominalConcurrencyShares: 2 } } },
  },
  {
    group: "networking.k8s.io/v1",
    plural: "ingressclasses",
    kind: "IngressClass",
    object: { spec: { controller: "a.example.com/b" } },
    change: { spec: { parameters: { kind: "Foo", name: "a" } } },
  },
  {
    group: "networking.k8s.io/v1",
    plural: "ipaddresses",
    kind: "IPAddress",
    name: "192.0.2.77",
    object: { spec: { parentRef: { resource: "services", name: "a", namespace: "{ns}" } } },
    change: { metadata: { annotations: { a: "b" } } },
  },
  {
    group: "networking.k8s.io/v1",
    plural: "servicecidrs",
    kind: "ServiceCIDR",
    object: { spec: { cidrs: ["192.0.2.0/28"] } },
    change: { metadata: { annotations: { a: "b" } } },
  },
  {
    group: "storage.k8s.io/v1",
    plural: "csinodes",
    kind: "CSINode",
    object: { spec: { drivers: [{ name: "a.example.com", nodeID: "a" }] } },
    change: { spec: { drivers: [] } },
  },
  {
    group: "storage.k8s.io/v1",
    plural: "storageclasses",
    kind: "StorageClass",
    object: { provisioner: "a.example.com" },
    change: { allowVolumeExpansion: true },
  },
  {
    group: "scheduling.k8s.io/v1",
    plural: "priorityclasses",
    kind: "PriorityClass",
    object: { value: 5 },
    change: { description: "changed" },
  },
  {
    group: "",
    plural: "namespaces",
    kind: "Namespace",
    name: "{ns}-2",
    object: {},
    change: { metadata: { annotations: { a: "b" } } },
  },
  { group: "", plural: "nodes", kind: "Node", object: {}, change: { spec: { unschedulable: true } } },
];

/**
 * Objects of kinds that change how a server answers other requests, so that the random requests of `e2e/oracle/differential`
 * never store them. Those to which a real server adds a status a moment later are left out.
 */
export const lifecycles: readonly Story[] = lives.map((life, index) =>
  story(`${index + 1}: the life of a ${life.kind}`, lifeOf(life)),
);
