import { expect, onTestFinished, test } from "vitest";
import { startTestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";

test("a field selector gives the permission for one name to list and watch, and to nothing else", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  await cluster.install(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: one}
rules: [{apiGroups: [""], resources: [configmaps], verbs: ["*"], resourceNames: [one]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: one}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: one}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ann}]
`);
  const ann = cluster.addUser("ann");
  const path = "/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name%3Done";
  const codeOf = async (method: string, body?: object) => (await send(ann, { method, path, body })).code;
  expect(await codeOf("GET")).toBe(200);
  expect(await codeOf("POST", { metadata: { name: "other" } })).toBe(403);
  expect(await codeOf("DELETE")).toBe(403);
});
