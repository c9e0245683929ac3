import { afterEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { clusterObjects } from "../registry/cluster-objects.ts";
import { jobs } from "../kinds/batch/job/job-progress.ts";
import { pods } from "../control-loop/api/core.ts";
import { untilStage, parseStages, renderTemplate } from "./stage.ts";
import { eventually } from "../../../e2e/support/eventually.ts";

const clock = new FakeClock();
let cluster: TestCluster;

const crashing = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: crash }
spec:
  resourceRef: { apiGroup: v1, kind: Pod }
  selector:
    matchLabels: { story: crash }
    matchExpressions:
      - { key: .metadata.deletionTimestamp, operator: DoesNotExist }
      - { key: .status.phase, operator: NotIn, values: [Failed] }
  delay: { durationMilliseconds: 5000 }
  next:
    event: { type: Warning, reason: BackOff, message: it crashed }
    statusTemplate: |
      phase: Failed
      reason: Crashed
      message: {{ .metadata.name | Quote }}
      startTime: {{ Now }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: sweep }
spec:
  resourceRef: { apiGroup: v1, kind: Pod }
  selector:
    matchLabels: { story: crash }
    matchExpressions: [{ key: .status.phase, operator: In, values: [Failed] }]
  delay: { durationMilliseconds: 60000 }
  next:
    finalizers: { empty: true }
    delete: true
`;

const pod = (name: string, story: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels: { story }, finalizers: ["test.io/hold"] },
  spec: { containers: [{ name: "it", image: "it:1" }] },
});

const objects = () => clusterObjects(cluster.core);
const read = (name: string) => objects().get(pods, "default", name);

describe("stageController()", () => {
  afterEach(() => cluster.stop());

  it("moves pods through the stages of a file, and leaves others to the kubelet", async () => {
    cluster = await startTestCluster({
      clock,
      controllers: ["scheduler", "node", "kubelet", "stage"],
      stages: parseStages(crashing),
    });
    await cluster.install(pod("bad", "crash"), pod("good", "none"));
    await eventually(() => expect(read("good")?.status?.phase).toBe("Running"));
    await eventually(() => expect(read("bad")?.spec.nodeName).toBe("tsbuilder-node"));
    expect(read("bad")?.status?.phase).toBe("Pending");

    await clock.advance(5000);
    await eventually(() =>
      expect(read("bad")?.status).toMatchObject({ phase: "Failed", reason: "Crashed", message: "bad" }),
    );
    const events = objects().list("events", "default");
    expect(events).toContainEqual(expect.objectContaining({ reason: "BackOff", type: "Warning" }));
    await clock.advance(60_000);
    await eventually(() => expect(read("bad")).toBeUndefined());
    expect(read("good")?.status?.phase).toBe("Running");
  });

  it("makes a Job fail", async () => {
    cluster = await startTestCluster({
      clock,
      controllers: ["job", "scheduler", "node", "kubelet", "stage"],
      stages: parseStages(crashing.split("---")[0]!),
    });
    const template = {
      metadata: { labels: { story: "crash" } },
      spec: { restartPolicy: "Never", containers: [{ name: "it", image: "it:1" }] },
    };
    const metadata = { name: "fails", namespace: "default" };
    await cluster.install({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata,
      spec: { backoffLimit: 1, template },
    });
    const status = () => objects().get(jobs, "default", "fails")?.status;
    await eventually(async () => {
      await clock.advance(1000);
      expect(status()?.conditions).toContainEqual(
        expect.objectContaining({ type: "Failed", reason: "BackoffLimitExceeded" }),
      );
    });
    expect(status()).toMatchObject({ failed: 2 });
  });
});

describe("untilStage()", () => {
  const at = (seconds: number) => Date.UTC(2030, 0, 1, 0, 0, seconds);
  const delay = {
    durationMilliseconds: 1000,
    durationFrom: { expressionFrom: '.metadata.annotations["d"]' },
  };
  const until = (annotations: Record<string, string>) =>
    untilStage(delay, { apiVersion: "v1", kind: "Pod", metadata: { name: "p", annotations } }, at(0), at(0));

  it.each([
    ["a duration", { d: "1m30s" }, 90_000],
    ["a time", { d: "2030-01-01T00:00:05Z" }, 5000],
    ["a time that is over", { d: "2029-01-01T00:00:00Z" }, 0],
    ["what is neither", { d: "soon" }, 1000],
    ["nothing", {}, 1000],
  ])("reads %s from the object", (_, annotations, milliseconds) => {
    expect(until(annotations)).toBe(milliseconds);
  });
});

describe("parseStages()", () => {
  it.each([
    ["another kind", "apiVersion: v1\nkind: Pod", "expected a kwok.x-k8s.io/v1alpha1 Stage"],
    ["a stage without an end", crashing.split("  next:")[0]!, "needs spec.resourceRef.kind and spec.next"],
    [
      "templates with loops",
      crashing.replace("{{ Now }}", "{{ range .spec }}"),
      'can\'t evaluate "{{ range .spec }}"',
    ],
    ["a stage that selects nothing", crashing.replace(/ {2}selector:(\n {4}.*)+/, ""), "needs spec.selector"],
    ["weights by the object", crashing.replace("  delay:", "  weightFrom: {}\n  delay:"), "spec.weightFrom"],
    ["what is not YAML", "a: b: c", "must be YAML"],
  ])("refuses %s", (_, text, message) => {
    expect(() => parseStages(text)).toThrow(message);
  });
});

describe("renderTemplate()", () => {
  it("substitutes the time and fields of the object", () => {
    const template = "at: {{ Now }}\nname: {{ .metadata.name }}\nmissing: {{ .spec.none | Quote }}";
    expect(renderTemplate(template, { metadata: { name: "x: y" } }, "2030-01-01T00:00:00Z")).toEqual({
      at: "2030-01-01T00:00:00Z",
      name: "x: y",
      missing: "",
    });
  });
});
