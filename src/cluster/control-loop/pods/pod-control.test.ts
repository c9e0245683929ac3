import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { clusterObjects } from "../../registry/cluster-objects.ts";
import { pods } from "../api/core.ts";
import { eventually } from "../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
const clock = new FakeClock();
beforeEach(async () => {
  const controllers = ["statefulset", "daemonset", "job", "node"] as const;
  cluster = await startTestCluster({ controllers, clock });
});
afterEach(() => cluster.stop());

const objects = () => clusterObjects(cluster.core);

const standard = (enforce: string) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "strict", labels: { "pod-security.kubernetes.io/enforce": enforce } },
});
const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "web:1" }] },
};
const selector = { matchLabels: { app: "web" } };

describe("createPod()", () => {
  it.each([
    [
      "StatefulSet",
      "apps/v1",
      { selector, template },
      /^create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: violates PodSecurity "restricted:latest"/,
    ],
    [
      "DaemonSet",
      "apps/v1",
      { selector, template },
      /^Error creating: pods "web-\w{5}" is forbidden: violates PodSecurity/,
    ],
    [
      "Job",
      "batch/v1",
      { template: { spec: { ...template.spec, restartPolicy: "Never" } } },
      /^Error creating: pods "web-\w{5}" is forbidden: violates PodSecurity/,
    ],
  ])("reports that the pods of a %s are rejected, and retries", async (kind, apiVersion, spec, message) => {
    await cluster.install(standard("restricted"));
    await cluster.install({ apiVersion, kind, metadata: { name: "web", namespace: "strict" }, spec });
    await eventually(() =>
      expect(objects().list("events", "strict")).toContainEqual(
        expect.objectContaining({
          type: "Warning",
          reason: "FailedCreate",
          message: expect.stringMatching(message),
          involvedObject: expect.objectContaining({ kind, name: "web" }),
        }),
      ),
    );
    expect(objects().list(pods, "strict")).toEqual([]);
    await cluster.install(standard("baseline"));
    await clock.advance(10_000);
    await eventually(() => expect(objects().list(pods, "strict")).toHaveLength(1));
  });
});
