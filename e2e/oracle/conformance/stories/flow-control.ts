import { get, merge, post, remove, type Story, story } from "../story.ts";

const schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const levels = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
const schemaNames = [
  "catch-all",
  "exempt",
  "global-default",
  "kube-controller-manager",
  "kube-scheduler",
  "kube-system-service-accounts",
  "probes",
  "service-accounts",
  "system-leader-election",
  "system-node-high",
  "system-nodes",
];
const levelNames = [
  "catch-all",
  "exempt",
  "global-default",
  "leader-election",
  "node-high",
  "system",
  "workload-high",
  "workload-low",
];
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

export const flowControl: readonly Story[] = [
  story(
    "the flow schemas of every server",
    schemaNames.map((name) => get(`${schemas}/${name}`)),
  ),
  story("the priority levels of every server", [
    ...levelNames.map((name) => get(`${levels}/${name}`)),
    get(`${levels}/system`, table),
    get(`${schemas}/probes`, table),
  ]),
  story("mandatory flow schemas and priority levels", [
    merge(`${schemas}/exempt`, { spec: { matchingPrecedence: 5 } }),
    merge(`${schemas}/exempt`, { spec: { matchingPrecedence: 0, distinguisherMethod: { type: "ByUser" } } }),
    merge(`${schemas}/catch-all`, { spec: { priorityLevelConfiguration: { name: "system" } } }),
    merge(`${schemas}/catch-all`, {
      spec: {
        rules: [{ subjects: [{ kind: "ServiceAccount", serviceAccount: { name: "a", namespace: "b" } }] }],
      },
    }),
    merge(`${schemas}/catch-all?dryRun=All`, { metadata: { labels: { a: "b" } } }),
    post(`${schemas}?dryRun=All`, {
      metadata: { name: "catch-all" },
      spec: { priorityLevelConfiguration: { name: "missing" } },
    }),
    merge(`${levels}/catch-all`, { spec: { limited: { nominalConcurrencyShares: 50 } } }),
    merge(`${levels}/catch-all`, { spec: { limited: { limitResponse: { type: "Queue" } } } }),
    merge(`${levels}/catch-all`, {
      spec: {
        limited: { borrowingLimitPercent: 5, limitResponse: { type: "Queue", queuing: { queues: 8 } } },
      },
    }),
    merge(`${levels}/exempt`, { spec: { type: "Limited" } }),
    merge(`${levels}/exempt?dryRun=All`, { spec: { exempt: { lendablePercent: 5 } } }),
    remove(`${levels}/exempt?dryRun=All`),
    remove(`${schemas}/exempt?dryRun=All`),
  ]),
  story("suggested flow schemas and priority levels", [
    merge(`${schemas}/probes?dryRun=All`, { spec: { matchingPrecedence: 5 } }),
    merge(`${levels}/system?dryRun=All`, {
      spec: { limited: { limitResponse: { queuing: { queues: 8 } } } },
    }),
  ]),
  story("the range of the addresses of Services", [
    get("/apis/networking.k8s.io/v1/servicecidrs/kubernetes"),
  ]),
];
