import { expect, test } from "vitest";
import { podProblem } from "./pod-problem.ts";

type PodStatus = NonNullable<Parameters<typeof podProblem>[0]["status"]>;

const waiting = (reason: string, message = "") => ({ waiting: { reason, message } });

function container(state: object, lastState = {}) {
  return { name: "web", image: "web", imageID: "", ready: false, restartCount: 0, state, lastState };
}

const cases: [what: string, status: PodStatus, reason: string | undefined, message?: string][] = [
  ["is new", {}, undefined],
  ["is starting", { containerStatuses: [container(waiting("ContainerCreating"))] }, undefined],
  ["runs", { phase: "Running", containerStatuses: [container({ running: {} })] }, undefined],
  [
    "has ended well",
    { phase: "Succeeded", containerStatuses: [container({ terminated: { exitCode: 0 } })] },
    undefined,
  ],
  [
    "has ended well, and its sidecar was stopped",
    {
      phase: "Succeeded",
      initContainerStatuses: [container({ terminated: { exitCode: 143, reason: "Error" } })],
    },
    undefined,
  ],
  [
    "has no claim",
    {
      phase: "Pending",
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason: "Unschedulable",
          message: 'persistentvolumeclaim "data" not found',
        },
      ],
    },
    "Unschedulable",
    'persistentvolumeclaim "data" not found',
  ],
  [
    "has no image",
    { containerStatuses: [container(waiting("ImagePullBackOff", "Back-off pulling image"))] },
    "ImagePullBackOff",
    "container web: ImagePullBackOff (Back-off pulling image)",
  ],
  [
    "fails again and again in its init container",
    {
      initContainerStatuses: [container(waiting("CrashLoopBackOff"), { terminated: { exitCode: 3 } })],
      containerStatuses: [container(waiting("PodInitializing"))],
    },
    "CrashLoopBackOff",
    "container web: CrashLoopBackOff; it exited with 3: see its log",
  ],
  [
    "has failed",
    {
      phase: "Failed",
      containerStatuses: [container({ terminated: { exitCode: 137, reason: "OOMKilled" } })],
    },
    "OOMKilled",
    "container web exited with 137",
  ],
  [
    "was evicted",
    {
      phase: "Failed",
      reason: "Evicted",
      message: "The node was low on resource: memory.",
      containerStatuses: [container({ terminated: { exitCode: 137, reason: "Error" } })],
    },
    "Evicted",
    "The node was low on resource: memory.",
  ],
];

test.each(cases)("a pod that %s", (_, status, reason, message) => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, status } as const;
  expect(podProblem(pod)).toEqual(reason === undefined ? undefined : { reason, message });
});

test("claims that aren't bound are named, which the scheduler doesn't", () => {
  const message = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
  const scheduled = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  const volumes = [{ name: "config" }, { name: "data", persistentVolumeClaim: { claimName: "data-db-0" } }];
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "db-0" }, spec: { volumes } };
  expect(podProblem({ ...pod, status: { conditions: [scheduled] } })?.message).toBe(
    `${message} (look at the events of data-db-0)`,
  );
});
