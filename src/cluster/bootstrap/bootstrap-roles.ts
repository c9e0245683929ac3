import type { Rule } from "../contract/authorizer.ts";

/** A cluster role that every cluster has. */
export interface BootstrapRole {
  readonly name: string;
  readonly rules?: readonly Rule[];
  /** The roles that take its rules over by aggregation. */
  readonly aggregateTo?: readonly string[];
  /** The label suffix by which it collects rules itself. */
  readonly aggregates?: string;
}

/** The roles that people and operators build on; those of the control plane's own parts have a table of theirs. */
export const bootstrapRoles: readonly BootstrapRole[] = [
  { name: "admin", aggregates: "admin" },
  {
    name: "cluster-admin",
    rules: [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ],
  },
  { name: "edit", aggregateTo: ["admin"], aggregates: "edit" },
  {
    name: "system:aggregate-to-admin",
    rules: [
      { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["localsubjectaccessreviews"] },
      {
        verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["rolebindings", "roles"],
      },
    ],
    aggregateTo: ["admin"],
  },
  {
    name: "system:aggregate-to-edit",
    rules: [
      {
        verbs: ["get", "list", "watch"],
        apiGroups: [""],
        resources: [
          "pods/attach",
          "pods/exec",
          "pods/portforward",
          "pods/proxy",
          "secrets",
          "services/proxy",
        ],
      },
      { verbs: ["impersonate"], apiGroups: [""], resources: ["serviceaccounts"] },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: [""],
        resources: ["pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"],
      },
      { verbs: ["create"], apiGroups: [""], resources: ["pods/eviction"] },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: [""],
        resources: [
          "configmaps",
          "persistentvolumeclaims",
          "replicationcontrollers",
          "replicationcontrollers/scale",
          "secrets",
          "serviceaccounts",
          "services",
          "services/proxy",
        ],
      },
      { verbs: ["create"], apiGroups: [""], resources: ["serviceaccounts/token"] },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: ["", "events.k8s.io"],
        resources: ["events"],
      },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: ["apps"],
        resources: [
          "daemonsets",
          "deployments",
          "deployments/rollback",
          "deployments/scale",
          "replicasets",
          "replicasets/scale",
          "statefulsets",
          "statefulsets/scale",
        ],
      },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: ["autoscaling"],
        resources: ["horizontalpodautoscalers"],
      },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: ["batch"],
        resources: ["cronjobs", "jobs"],
      },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: ["extensions"],
        resources: [
          "daemonsets",
          "deployments",
          "deployments/rollback",
          "deployments/scale",
          "ingresses",
          "networkpolicies",
          "replicasets",
          "replicasets/scale",
          "replicationcontrollers/scale",
        ],
      },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: ["policy"],
        resources: ["poddisruptionbudgets"],
      },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: ["networking.k8s.io"],
        resources: ["ingresses", "networkpolicies"],
      },
      {
        verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
      },
      {
        verbs: ["create", "delete", "deletecollection", "patch", "update"],
        apiGroups: ["resource.k8s.io"],
        resources: ["resourceclaims", "resourceclaimtemplates"],
      },
    ],
    aggregateTo: ["edit"],
  },
  {
    name: "system:aggregate-to-view",
    rules: [
      {
        verbs: ["get", "list", "watch"],
        apiGroups: [""],
        resources: [
          "configmaps",
          "endpoints",
          "persistentvolumeclaims",
          "persistentvolumeclaims/status",
          "pods",
          "replicationcontrollers",
          "replicationcontrollers/scale",
          "serviceaccounts",
          "services",
          "services/status",
        ],
      },
      {
        verbs: ["get", "list", "watch"],
        apiGroups: [""],
        resources: [
          "bindings",
          "limitranges",
          "namespaces/status",
          "pods/log",
          "pods/status",
          "replicationcontrollers/status",
          "resourcequotas",
          "resourcequotas/status",
        ],
      },
      { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["namespaces"] },
      { verbs: ["get", "list", "watch"], apiGroups: ["", "events.k8s.io"], resources: ["events"] },
      { verbs: ["get", "list", "watch"], apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"] },
      {
        verbs: ["get", "list", "watch"],
        apiGroups: ["apps"],
        resources: [
          "controllerrevisions",
          "daemonsets",
          "daemonsets/status",
          "deployments",
          "deployments/scale",
          "deployments/status",
          "replicasets",
          "replicasets/scale",
          "replicasets/status",
          "statefulsets",
          "statefulsets/scale",
          "statefulsets/status",
        ],
      },
      {
        verbs: ["get", "list", "watch"],
        apiGroups: ["autoscaling"],
        resources: ["horizontalpodautoscalers", "horizontalpodautoscalers/status"],
      },
      {
        verbs: ["get", "list", "watch"],
        apiGroups: ["batch"],
        resources: ["cronjobs", "cronjobs/status", "jobs", "jobs/status"],
      },
      {
        verbs: ["get", "list", "watch"],
        apiGroups: ["extensions"],
        resources: [
          "daemonsets",
          "daemonsets/status",
          "deployments",
          "deployments/scale",
          "deployments/status",
          "ingresses",
          "ingresses/status",
          "networkpolicies",
          "replicasets",
          "replicasets/scale",
          "replicasets/status",
          "replicationcontrollers/scale",
        ],
      },
      {
        verbs: ["get", "list", "watch"],
        apiGroups: ["policy"],
        resources: ["poddisruptionbudgets", "poddisruptionbudgets/status"],
      },
      {
        verbs: ["get", "list", "watch"],
        apiGroups: ["networking.k8s.io"],
        resources: ["ingresses", "ingresses/status", "networkpolicies"],
      },
      {
        verbs: ["get", "list", "watch"],
        apiGroups: ["resource.k8s.io"],
        resources: ["resourceclaims", "resourceclaims/status", "resourceclaimtemplates"],
      },
    ],
    aggregateTo: ["view"],
  },
  {
    name: "system:auth-delegator",
    rules: [
      { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"] },
      { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"] },
    ],
  },
  {
    name: "system:basic-user",
    rules: [
      {
        verbs: ["create"],
        apiGroups: ["authorization.k8s.io"],
        resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
      },
      { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
    ],
  },
  {
    name: "system:discovery",
    rules: [
      {
        verbs: ["get"],
        nonResourceURLs: [
          "/api",
          "/api/*",
          "/apis",
          "/apis/*",
          "/healthz",
          "/livez",
          "/openapi",
          "/openapi/*",
          "/readyz",
          "/version",
          "/version/",
        ],
      },
    ],
  },
  {
    name: "system:monitoring",
    rules: [
      {
        verbs: ["get"],
        nonResourceURLs: [
          "/flagz",
          "/healthz",
          "/healthz/*",
          "/livez",
          "/livez/*",
          "/metrics",
          "/metrics/slis",
          "/readyz",
          "/readyz/*",
          "/statusz",
        ],
      },
      { verbs: ["get"], apiGroups: [""], resources: ["nodes/metrics"] },
    ],
  },
  {
    name: "system:persistent-volume-provisioner",
    rules: [
      {
        verbs: ["create", "delete", "get", "list", "watch"],
        apiGroups: [""],
        resources: ["persistentvolumes"],
      },
      { verbs: ["get", "list", "update", "watch"], apiGroups: [""], resources: ["persistentvolumeclaims"] },
      { verbs: ["get", "list", "watch"], apiGroups: ["storage.k8s.io"], resources: ["storageclasses"] },
      { verbs: ["watch"], apiGroups: [""], resources: ["events"] },
      { verbs: ["create", "patch", "update"], apiGroups: ["", "events.k8s.io"], resources: ["events"] },
    ],
  },
  {
    name: "system:public-info-viewer",
    rules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"] }],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      {
        verbs: ["get"],
        nonResourceURLs: [
          "/.well-known/openid-configuration",
          "/.well-known/openid-configuration/",
          "/openid/v1/jwks",
          "/openid/v1/jwks/",
        ],
      },
    ],
  },
  { name: "view", aggregateTo: ["edit"], aggregates: "view" },
];

/** Who has such a role from the start: groups, by role. */
export const bootstrapBindings: ReadonlyArray<{
  readonly name: string;
  readonly role: string;
  readonly groups: readonly string[];
}> = [
  { name: "cluster-admin", role: "cluster-admin", groups: ["system:masters"] },
  { name: "system:basic-user", role: "system:basic-user", groups: ["system:authenticated"] },
  { name: "system:discovery", role: "system:discovery", groups: ["system:authenticated"] },
  { name: "system:monitoring", role: "system:monitoring", groups: ["system:monitoring"] },
  {
    name: "system:public-info-viewer",
    role: "system:public-info-viewer",
    groups: ["system:authenticated", "system:unauthenticated"],
  },
  {
    name: "system:service-account-issuer-discovery",
    role: "system:service-account-issuer-discovery",
    groups: ["system:serviceaccounts"],
  },
];
