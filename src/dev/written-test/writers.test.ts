import { expect, test } from "vitest";
import type { RecordedWrite } from "../record/recorded.ts";
import { writerOf } from "./session-writes.ts";

const dev = { user: "kubernetes-admin", userAgent: "tsbuilder-runtime" };
const page = { user: "kubernetes-admin", userAgent: "tsbuilder-page" };
const kubectl = { user: "kubernetes-admin", userAgent: "kubectl/v1.36.0 (linux/amd64)" };

test.each<[string, RecordedWrite["by"], string, string]>([
  ["hand", kubectl, "mysqls.apps.example.com", "default/db"],
  ["hand", dev, "mysqls.apps.example.com", "default/db"],
  ["hand", { user: "ann" }, "pods", "default/db"],
  ["hand", { user: "system:serviceaccount:ci:default" }, "pods", "default/db"],
  ["hand", kubectl, "clusterroles.rbac.authorization.k8s.io", "reader"],
  ["operator", { user: "system:serviceaccount:shop-system:controller-manager" }, "pods", "default/db"],
  ["cluster", undefined, "services", "default/kubernetes"],
  ["cluster", { user: "system:serviceaccount:kube-system:replicaset-controller" }, "pods", "default/db"],
  ["cluster", { user: "system:kube-scheduler" }, "pods", "default/db"],
  ["cluster", { user: "system:node:tsbuilder-node" }, "pods", "default/db"],
  ["cluster", dev, "customresourcedefinitions.apiextensions.k8s.io", "mysqls.apps.example.com"],
  ["cluster", dev, "clusterroles.rbac.authorization.k8s.io", "manager-role"],
  ["hand", page, "clusterroles.rbac.authorization.k8s.io", "manager-role"],
  ["hand", page, "customresourcedefinitions.apiextensions.k8s.io", "mysqls.apps.example.com"],
  ["cluster", dev, "namespaces", "shop-system"],
  ["cluster", dev, "serviceaccounts", "shop-system/controller-manager"],
  ["hand", dev, "namespaces", "shop"],
  ["cluster", kubectl, "ipaddresses.networking.k8s.io", "10.96.1.0"],
  ["cluster", kubectl, "events", "default/db.1"],
])("%s: a write by %o of %s %s", (writer, by, resource, key) => {
  const object = { apiVersion: "v1", kind: "Any", metadata: {} };
  expect(writerOf({ type: "write", at: "", write: "ADDED", resource, key, by, object }, "shop")).toBe(writer);
});

test("the rules that ClusterRoles aggregate, and the conditions of a CRD, are the cluster's", () => {
  const write = (resource: string, labels: Record<string, string>): RecordedWrite => {
    const object = { apiVersion: "v1", kind: "Any", metadata: { labels } };
    return { type: "write", at: "", write: "MODIFIED", resource, key: "any", by: kubectl, object };
  };
  const bootstrapped = { "kubernetes.io/bootstrapping": "rbac-defaults" };
  expect(writerOf(write("clusterroles.rbac.authorization.k8s.io", bootstrapped), "shop")).toBe("cluster");
  expect(writerOf(write("customresourcedefinitions.apiextensions.k8s.io", {}), "shop")).toBe("cluster");
});
