import { parseStages, type Stage } from "@tsbuilder/cluster";

/** A condition of a pod, as a Stage writes it. */
interface Condition {
  readonly key: string;
  readonly values: readonly string[];
}

const image = ".spec.containers[0].image";
const command = ".spec.containers[0].command";
const owner = ".metadata.ownerReferences[0]";
const index = '.metadata.labels["batch.kubernetes.io/job-completion-index"]';

/** The images of the suite's releases whose containers never end. */
const pauseImages = ["3.10.1", "3.10.2"].map((tag) => `registry.k8s.io/pause:${tag}`);

/** The Jobs of the suite whose containers fail when their index is odd. */
const oddFail = [
  "with-success-policy-succeeded-indexed",
  "with-success-policy-succeeded-count",
  "with-backoff-limit-per-index",
  "matching-fail-index-action",
];

/**
 * The work of some of the suite's containers, as stages: by itself the kubelet lets every pod run, and those of Jobs
 * succeed. A stage without a status leaves its pods as they are.
 */
export function containerStages(): Stage[] {
  const stages = [
    stage("has-no-image", "Pending", [{ key: image, values: ["webserver:404", "foo:non-existent"] }]),
    jobStage("never-ends", [{ key: image, values: pauseImages }]),
    jobStage("sleeps", [{ key: `${command}[0]`, values: ["sleep"] }]),
    jobStage("fails", [{ key: `${command}[2]`, values: ["exit 1"] }], fails),
    jobStage("fails-at-first", [{ key: `${owner}.name`, values: ["pod-failure-failjob"] }], fails),
    jobStage(
      "fails-if-odd",
      [
        { key: `${owner}.name`, values: oddFail },
        { key: index, values: ["1", "3", "5", "7"] },
      ],
      fails,
    ),
  ];
  return parseStages(stages.map((each) => JSON.stringify(each)).join("\n---\n"));
}

const fails = `
phase: Failed
containerStatuses:
  - name: c
    image: busybox
    imageID: busybox
    restartCount: 0
    ready: false
    state: { terminated: { exitCode: 1, reason: Error, startedAt: {{ Now }}, finishedAt: {{ Now }} } }
`;

function jobStage(name: string, conditions: readonly Condition[], statusTemplate?: string): object {
  return stage(name, "Running", [{ key: `${owner}.kind`, values: ["Job"] }, ...conditions], statusTemplate);
}

function stage(
  name: string,
  phase: string,
  conditions: readonly Condition[],
  statusTemplate?: string,
): object {
  const all = [{ key: ".status.phase", values: [phase] }, ...conditions];
  const matchExpressions = [
    { key: ".metadata.deletionTimestamp", operator: "DoesNotExist" },
    ...all.map((condition) => ({ ...condition, operator: "In" })),
  ];
  return {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name },
    spec: { resourceRef: { kind: "Pod" }, selector: { matchExpressions }, next: { statusTemplate } },
  };
}
