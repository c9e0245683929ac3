import { get, post, story, type Story } from "../../story.ts";
import { asTable, named, showTable } from "./show-table.ts";

/** Roles, admission, priority and fairness, PriorityClasses and RuntimeClasses, CRDs. */
export const accessTables: Story = story("access", [
  ...showTable("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", named("a", { rules: [] })),
  ...showTable("/apis/rbac.authorization.k8s.io/v1/clusterroles", named("{ns}", { rules: [] })),
  ...showTable(
    "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
    named("a", {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "a" },
      subjects: [
        { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
        { kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
      ],
    }),
  ),
  ...showTable(
    "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    named("{ns}", {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "a" },
    }),
  ),
  ...showTable("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", named("{ns}", {})),
  ...showTable("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", named("{ns}", {})),
  ...showTable(
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    named("{ns}", {
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothing"] },
          ],
        },
        validations: [{ expression: "true" }],
      },
    }),
  ),
  ...showTable(
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
    named("{ns}", {
      spec: { policyName: "missing", validationActions: ["Deny"] },
    }),
  ),
  // A real server checks later whether the priority level exists.
  post(
    "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    named("{ns}", {
      spec: {
        priorityLevelConfiguration: { name: "exempt" },
        matchingPrecedence: 500,
        distinguisherMethod: { type: "ByUser" },
      },
    }),
  ),
  ...showTable(
    "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    named("{ns}", {
      spec: {
        type: "Limited",
        limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" } },
      },
    }),
  ),
  ...showTable("/apis/scheduling.k8s.io/v1/priorityclasses", named("{ns}", { value: 5 })),
  ...showTable("/apis/node.k8s.io/v1/runtimeclasses", named("{ns}", { handler: "runc" })),
  get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/missing", asTable),
]);
