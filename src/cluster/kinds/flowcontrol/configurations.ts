import type * as v1 from "@tsbuilder/apimachinery/k8s/flowcontrol/v1";

type Subject = v1.PolicyRulesWithSubjects["subjects"][number];

const group = (name: string): Subject => ({ kind: "Group", group: { name } });
const everyone = [group("system:unauthenticated"), group("system:authenticated")];
const wildcard = ["*"];

const anyResource: v1.ResourcePolicyRule = {
  verbs: wildcard,
  apiGroups: wildcard,
  resources: wildcard,
  clusterScope: true,
  namespaces: wildcard,
};
const allRequests = (...subjects: Subject[]): v1.PolicyRulesWithSubjects[] => [
  {
    subjects,
    resourceRules: [anyResource],
    nonResourceRules: [{ verbs: wildcard, nonResourceURLs: wildcard }],
  },
];

/** FlowSchemas and PriorityLevelConfigurations that the server creates at its start, by name. */
interface Configurations {
  readonly levels: Readonly<Record<string, v1.PriorityLevelConfigurationSpec>>;
  readonly schemas: Readonly<Record<string, v1.FlowSchemaSpec>>;
}

/** The objects that can't be changed. */
export const mandatory: Configurations = {
  levels: {
    "catch-all": {
      type: "Limited",
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
    },
    exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  },
  schemas: {
    "catch-all": schema("catch-all", 10_000, "ByUser", allRequests(...everyone)),
    exempt: schema("exempt", 1, undefined, allRequests(group("system:masters"))),
  },
};

function schema(
  level: string,
  matchingPrecedence: number,
  by: "ByUser" | "ByNamespace" | undefined,
  rules: v1.PolicyRulesWithSubjects[],
): v1.FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    ...(by && { distinguisherMethod: { type: by } }),
    rules,
  };
}

const user = (name: string): Subject => ({ kind: "User", user: { name } });
const systemAccounts: Subject = {
  kind: "ServiceAccount",
  serviceAccount: { namespace: "kube-system", name: "*" },
};

const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], namespaces: wildcard };
const controllerManager = user("system:kube-controller-manager");
const scheduler = user("system:kube-scheduler");

/** The objects that users may change. */
export const suggested: Configurations = {
  levels: {
    "global-default": queuingLevel(20, 50, 128, 6),
    "leader-election": queuingLevel(10, 0, 16, 4),
    "node-high": queuingLevel(40, 25, 64, 6),
    system: queuingLevel(30, 33, 64, 6),
    "workload-high": queuingLevel(40, 50, 128, 6),
    "workload-low": queuingLevel(100, 90, 128, 6),
  },
  schemas: {
    "global-default": schema("global-default", 9900, "ByUser", allRequests(...everyone)),
    "kube-controller-manager": schema("workload-high", 800, "ByNamespace", allRequests(controllerManager)),
    "kube-scheduler": schema("workload-high", 800, "ByNamespace", allRequests(scheduler)),
    "kube-system-service-accounts": schema("workload-high", 900, "ByNamespace", allRequests(systemAccounts)),
    probes: schema("exempt", 2, undefined, [
      {
        subjects: everyone,
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
      },
    ]),
    "service-accounts": schema("workload-low", 9000, "ByUser", allRequests(group("system:serviceaccounts"))),
    "system-leader-election": schema("leader-election", 100, "ByUser", [
      {
        subjects: [controllerManager, scheduler, systemAccounts],
        resourceRules: [{ verbs: ["get", "create", "update"], ...leases }],
      },
    ]),
    "system-node-high": schema("node-high", 400, "ByUser", [
      {
        subjects: [group("system:nodes")],
        resourceRules: [
          {
            verbs: wildcard,
            apiGroups: [""],
            resources: ["nodes", "nodes/status"],
            clusterScope: true,
            namespaces: wildcard,
          },
          { verbs: wildcard, ...leases },
        ],
      },
    ]),
    "system-nodes": schema("system", 500, "ByUser", allRequests(group("system:nodes"))),
  },
};

function queuingLevel(
  nominalConcurrencyShares: number,
  lendablePercent: number,
  queues: number,
  handSize: number,
): v1.PriorityLevelConfigurationSpec {
  const queuing = { queues, handSize, queueLengthLimit: 50 };
  const limitResponse = { type: "Queue" as const, queuing };
  return { type: "Limited", limited: { nominalConcurrencyShares, limitResponse, lendablePercent } };
}
