import { expect, test } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { checkApis } from "./check-apis.ts";

test("checkApis() names kinds that a release lacks, deprecates or has removed, once in each file", () => {
  const tree = memoryTree({
    "config/jobs.yaml":
      "apiVersion: batch/v1beta1\nkind: CronJob\n---\napiVersion: batch/v1\nkind: CronJob\n",
    "config/broken.yaml": "apiVersion: batch/v1beta1\n  kind: [",
    "src/a.ts": [
      'import { ConfigMap, Endpoints, type Pod } from "@tsbuilder/runtime/k8s/core/v1";',
      'const bundle = { apiVersion: "certificates.k8s.io/v1", kind: "ClusterTrustBundle" };',
      'const again = { apiVersion: "certificates.k8s.io/v1", kind: "ClusterTrustBundle" };',
      'const claim = { apiVersion: "resource.k8s.io/v1beta1", kind: "ResourceClaim" };',
      'const own = { apiVersion: "example.com/v1", kind: "Shop" };',
    ].join("\n"),
  });
  expect(checkApis(tree).map(({ state, subject, message }) => `${state} ${subject}: ${message}`)).toEqual([
    "wrong config/jobs.yaml: Kubernetes 1.25 and newer have no CronJob of batch/v1beta1",
    expect.stringMatching(
      /^missing src\/a\.ts: Kubernetes .*1\.36 has no ClusterTrustBundle of certificates\.k8s\.io\/v1$/u,
    ),
    "missing src/a.ts: ResourceClaim of resource.k8s.io/v1beta1 is deprecated since Kubernetes 1.35 and gone in 1.38",
    "missing src/a.ts: Endpoints of v1 is deprecated since Kubernetes 1.33",
  ]);
});
