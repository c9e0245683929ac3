import { apply, get, merge, post, put, remove, type Step, type Story, story } from "../story.ts";

/** Users can't grant permissions that they don't have, unless they may `escalate` or `bind`. */

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const roles = `${rbac}/namespaces/{ns}/roles`;
const bindings = `${rbac}/namespaces/{ns}/rolebindings`;
const clusterRoles = `${rbac}/clusterroles`;
const clusterBindings = `${rbac}/clusterrolebindings`;

const as = (user: string, step: Step): Step => ({
  ...step,
  headers: { ...step.headers, "Impersonate-User": user },
});

const rule = (apiGroups: string[], resources: string[], verbs: string[], more: object = {}) => ({
  apiGroups,
  resources,
  verbs,
  ...more,
});
const role = (name: string, rules: object[], more: object = {}) => ({ metadata: { name }, rules, ...more });
const user = (name: string) => [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name }];
const binding = (name: string, kind: string, of: string, subjects: object[] = user("somebody")) => ({
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: of },
  subjects,
});

/** May write roles and bindings, read pods in any way, and read two ConfigMaps. */
const granted = [
  rule(["rbac.authorization.k8s.io"], ["*"], ["get", "list", "create", "update", "patch", "delete"]),
  rule([""], ["pods", "*/status"], ["get", "list", "watch"]),
  rule([""], ["configmaps"], ["get"], { resourceNames: ["a", "b"] }),
  rule(["apps"], ["*"], ["*"]),
];
/** A real server's authorizer observes new bindings a moment later. */
const pause: readonly Step[] = Array.from({ length: 12 }, () => get("/api/v1/namespaces/{ns}"));

export const roleEscalation: readonly Story[] = [
  story("a role grants no more than its maker holds", [
    post(roles, role("maker", granted)),
    post(bindings, binding("maker", "Role", "maker", user("maker"))),
    ...pause,
    as("maker", post(roles, role("held", [rule([""], ["pods"], ["get", "list"])]))),
    as("maker", post(roles, role("more-verbs", [rule([""], ["pods"], ["get", "delete", "create"])]))),
    as("maker", post(roles, role("secrets", [rule([""], ["secrets", "pods"], ["get"])]))),
    as("maker", post(roles, role("many", [rule(["", "batch"], ["jobs", "pods"], ["list", "get"])]))),
    as("maker", post(roles, role("any", [rule(["*"], ["*"], ["*"])]))),
    as("maker", post(roles, role("status", [rule([""], ["pods/status", "services/status"], ["get"])]))),
    as("maker", post(roles, role("scale", [rule(["apps"], ["deployments/scale"], ["patch"])]))),
    as("maker", post(roles, role("log", [rule([""], ["pods/log"], ["get"])]))),
    as("maker", post(roles, role("named", [rule([""], ["configmaps"], ["get"], { resourceNames: ["a"] })]))),
    as(
      "maker",
      post(roles, role("others", [rule([""], ["configmaps"], ["get"], { resourceNames: ["a", "c", "d"] })])),
    ),
    as("maker", post(roles, role("unnamed", [rule([""], ["configmaps"], ["get"])]))),
    as("maker", post(roles, role("none", []))),
    as("maker", post(roles, role("invalid", [rule([""], ["secrets"], [])]))),
    as("maker", put(`${roles}/held`, role("held", [rule([""], ["secrets"], ["get"])]))),
    as("maker", merge(`${roles}/held`, { rules: [rule([""], ["nodes"], ["get"])] })),
    as("maker", merge(`${roles}/held`, { metadata: { labels: { a: "b" } } })),
    as("maker", merge(`${roles}/maker`, { metadata: { labels: { a: "b" } } })),
    as(
      "maker",
      apply(`${roles}/applied?fieldManager=x`, {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        ...role("applied", [rule([""], ["secrets"], ["get"])]),
      }),
    ),
    as("maker", remove(`${roles}/held`)),
    post(roles, role("made", [rule([""], ["secrets"], ["get"])])),
    as("maker", merge(`${roles}/made`, { metadata: { labels: { a: "b" } } })),
    as("maker", merge(`${roles}/made`, { metadata: { finalizers: ["example.com/x"] } })),
    merge(`${roles}/made`, { metadata: { finalizers: null } }),
    as("maker", post(`${roles}?dryRun=All`, role("tried", [rule([""], ["secrets"], ["get"])]))),
  ]),
  story("a binding binds no more than its maker holds", [
    post(roles, role("maker", granted)),
    post(bindings, binding("maker", "Role", "maker", user("binder"))),
    post(roles, role("secrets", [rule([""], ["secrets"], ["get", "list"])])),
    post(roles, role("pods", [rule([""], ["pods"], ["get", "list"])])),
    post(
      roles,
      role("may-bind", [
        rule(["rbac.authorization.k8s.io"], ["roles"], ["bind"], { resourceNames: ["bindable"] }),
        rule(["rbac.authorization.k8s.io"], ["rolebindings"], ["create", "update"]),
      ]),
    ),
    post(roles, role("bindable", [rule([""], ["secrets"], ["*"])])),
    post(bindings, binding("may-bind", "Role", "may-bind", user("server"))),
    ...pause,
    as("binder", post(bindings, binding("pods", "Role", "pods"))),
    as("binder", post(bindings, binding("secrets", "Role", "secrets"))),
    as("binder", post(bindings, binding("gone", "Role", "gone"))),
    as("binder", post(bindings, binding("view", "ClusterRole", "system:discovery"))),
    as("binder", post(bindings, binding("gone-too", "ClusterRole", "gone-{ns}"))),
    as("binder", post(bindings, binding("odd", "Group", "pods"))),
    as("server", post(bindings, binding("secrets", "Role", "secrets"))),
    as("server", post(bindings, binding("bindable", "Role", "bindable"))),
    as("binder", put(`${bindings}/bindable`, binding("bindable", "Role", "bindable", user("other")))),
    as("server", put(`${bindings}/bindable`, binding("bindable", "Role", "bindable", user("other")))),
    as("binder", merge(`${bindings}/pods`, { subjects: user("third") })),
  ]),
  story("whole clusters, aggregation and escalate", [
    post(
      clusterRoles,
      role("{ns}", [
        rule(["rbac.authorization.k8s.io"], ["clusterroles", "clusterrolebindings"], ["*"], {}),
        rule([""], ["pods"], ["get"]),
        { nonResourceURLs: ["/metrics", "/logs/*"], verbs: ["get"] },
      ]),
    ),
    post(
      clusterRoles,
      role("{ns}-plain", [
        rule(
          ["rbac.authorization.k8s.io"],
          ["clusterroles", "clusterrolebindings"],
          ["create", "update", "patch"],
        ),
        rule([""], ["pods"], ["get"]),
        { nonResourceURLs: ["/metrics", "/logs/*"], verbs: ["get"] },
      ]),
    ),
    post(clusterBindings, binding("{ns}", "ClusterRole", "{ns}", user("escalator"))),
    post(clusterBindings, binding("{ns}-plain", "ClusterRole", "{ns}-plain", user("plain"))),
    ...pause,
    as("plain", post(clusterRoles, role("{ns}-a", [{ nonResourceURLs: ["/logs/x"], verbs: ["get"] }]))),
    as(
      "plain",
      post(clusterRoles, role("{ns}-b", [{ nonResourceURLs: ["/version", "/metrics"], verbs: ["get"] }])),
    ),
    as("plain", post(clusterRoles, role("{ns}-c", [rule([""], ["nodes"], ["get"])]))),
    as(
      "plain",
      post(clusterRoles, {
        metadata: { name: "{ns}-d" },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: "y" } }] },
      }),
    ),
    as("plain", post(clusterBindings, binding("{ns}-a", "ClusterRole", "{ns}-a"))),
    as("plain", post(clusterBindings, binding("{ns}-b", "ClusterRole", "cluster-admin"))),
    as("plain", post(clusterBindings, binding("{ns}-c", "ClusterRole", "gone-{ns}"))),
    as("escalator", post(clusterRoles, role("{ns}-e", [rule(["*"], ["*"], ["*"])]))),
    as(
      "escalator",
      post(clusterRoles, {
        metadata: { name: "{ns}-f" },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: "y" } }] },
      }),
    ),
    as("escalator", post(clusterBindings, binding("{ns}-e", "ClusterRole", "{ns}-e"))),
    ...["", "-plain", "-a", "-e"].map((suffix) => remove(`${clusterBindings}/{ns}${suffix}`)),
    ...["", "-plain", "-a", "-e", "-f"].map((suffix) => remove(`${clusterRoles}/{ns}${suffix}`)),
  ]),
];
