import type * as v1 from "@tsbuilder/apimachinery/k8s/flowcontrol/v1";

type Subject = v1.PolicyRulesWithSubjects["subjects"][number];

const group = (name: string): Subject => ({ kind: "Group", group: { name } });

const everyone = [group("system:unauthenticated"), group("system:authenticated")];

const all = ["*"];

const anyResource: v1.ResourcePolicyRule = {
  verbs: all,
  apiGroups: all,
  resources: all,
  clusterScope: true,
  namespaces: all,
};
const anything = (...subjects: Subject[]): v1.PolicyRulesWithSubjects[] => [
  { subjects, resourceRules: [anyResource], nonResourceRules: [{ verbs: all, nonResourceURLs: all }] },
];

/** The objects that the server creates at its start. The mandatory ones can't be changed. */
interface Configurations {
  readonly levels: Readonly<Record<string, v1.PriorityLevelConfigurationSpec>>;
  readonly schemas: Readonly<Record<string, v1.FlowSchemaSpec>>;
}

export const mandatory: Configurations = {
  levels: {
    "catch-all": {
      type: "Limited",
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 },
    },
    exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  },
  schemas: {
    "catch-all": schema("catch-all", 10_000, "ByUser", anything(...everyone)),
    exempt: schema("exempt", 1, undefined, anything(group("system:masters"))),
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

const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], namespaces: all };

const controllerManager = user("system:kube-controller-manager");
const scheduler = user("system:kube-scheduler");

export const suggested: Configurations = {
  levels: {
    "global-default": limited(20, 50, 128, 6),
    "leader-election": limited(10, 0, 16, 4),
    "node-high": limited(40, 25, 64, 6),
    system: limited(30, 33, 64, 6),
    "workload-high": limited(40, 50, 128, 6),
    "workload-low": limited(100, 90, 128, 6),
  },
  schemas: {
    "global-default": schema("global-default", 9900, "ByUser", anything(...everyone)),
    "kube-controller-manager": schema("workload-high", 800, "ByNamespace", anything(controllerManager)),
    "kube-scheduler": schema("workload-high", 800, "ByNamespace", anything(scheduler)),
    "kube-system-service-accounts": schema("workload-high", 900, "ByNamespace", anything(systemAccounts)),
    probes: schema("exempt", 2, undefined, [
      {
        subjects: everyone,
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
      },
    ]),
    "service-accounts": schema("workload-low", 9000, "ByUser", anything(group("system:serviceaccounts"))),
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
            verbs: all,
            apiGroups: [""],
            resources: ["nodes", "nodes/status"],
            clusterScope: true,
            namespaces: all,
          },
          { verbs: all, ...leases },
        ],
      },
    ]),
    "system-nodes": schema("system", 500, "ByUser", anything(group("system:nodes"))),
  },
};

function limited(
  nominalConcurrencyShares: number,
  lendablePercent: number,
  queues: number,
  handSize: number,
): v1.PriorityLevelConfigurationSpec {
  const queuing = { queues, handSize, queueLengthLimit: 50 };
  const limitResponse = { type: "Queue" as const, queuing };
  return { type: "Limited", limited: { nominalConcurrencyShares, limitResponse, lendablePercent } };
}
