import { merge, post, ready, remove, type Story } from "../story.ts";

const jobs = "/apis/batch/v1/namespaces/{ns}/jobs";
const labels = { "batch.kubernetes.io/job-name": "j" };
const job = (spec: object, name = "j") => ({
  metadata: { name },
  spec: {
    template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
    ...spec,
  },
});
/** How a pod ends. Default: long ago; a Job's backoff counts from that time. */
export const exits = (exitCode: number, finishedAt = "2020-01-01T00:00:01Z") => ({
  phase: exitCode === 0 ? "Succeeded" : "Failed",
  containerStatuses: [
    {
      name: "c",
      image: "i",
      imageID: "i",
      ready: false,
      restartCount: 0,
      lastState: {},
      state: {
        terminated: {
          exitCode,
          startedAt: "2020-01-01T00:00:00Z",
          finishedAt,
        },
      },
    },
  ],
});
const index = (number: number) => ({
  ...labels,
  "batch.kubernetes.io/job-completion-index": String(number),
});

export const jobStories: readonly Story[] = [
  {
    name: "a job with three completions, two at a time",
    steps: [
      { name: "created", requests: [post(jobs, job({ completions: 3, parallelism: 2 }))] },
      { name: "running", reports: [{ labels, status: ready }] },
      { name: "two done", reports: [{ labels, phases: ["Running"], status: exits(0) }] },
      { name: "all done", reports: [{ labels, status: exits(0) }] },
      { name: "deleted", requests: [remove(`${jobs}/j`, { propagationPolicy: "Background" })], rest: 5 },
    ],
  },
  {
    name: "a job without retries",
    steps: [
      { name: "created", requests: [post(jobs, job({ backoffLimit: 0, parallelism: 2, completions: 2 }))] },
      { name: "one failed", reports: [{ labels, count: 1, status: exits(1) }] },
    ],
  },
  {
    name: "a policy that ends a job by an exit code",
    steps: [
      {
        name: "created",
        requests: [
          post(
            jobs,
            job({
              parallelism: 2,
              completions: 2,
              podFailurePolicy: {
                rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }],
              },
            }),
          ),
        ],
      },
      { name: "one failed", reports: [{ labels, count: 1, status: exits(42) }] },
    ],
  },
  {
    name: "a policy that does not count disruptions",
    steps: [
      {
        name: "created",
        requests: [
          post(
            jobs,
            job({
              backoffLimit: 0,
              podFailurePolicy: {
                rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }],
              },
            }),
          ),
        ],
      },
      {
        name: "disrupted",
        reports: [
          {
            labels,
            status: {
              ...exits(1),
              conditions: [
                { type: "DisruptionTarget", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" },
              ],
            },
          },
        ],
        rest: 14,
      },
    ],
  },
  {
    name: "an indexed job with a limit for each index",
    steps: [
      {
        name: "created",
        requests: [
          post(
            jobs,
            job({
              completionMode: "Indexed",
              completions: 4,
              parallelism: 4,
              backoffLimitPerIndex: 0,
              maxFailedIndexes: 2,
            }),
          ),
        ],
      },
      {
        name: "one done, one failed",
        reports: [
          { labels: index(0), status: exits(0) },
          { labels: index(2), status: exits(1) },
        ],
      },
      {
        name: "the others done",
        reports: [
          { labels: index(1), status: exits(0) },
          { labels: index(3), status: exits(0) },
        ],
      },
    ],
  },
  {
    name: "an indexed job with too many failed indexes",
    steps: [
      {
        name: "created",
        requests: [
          post(
            jobs,
            job({
              completionMode: "Indexed",
              completions: 3,
              parallelism: 3,
              backoffLimitPerIndex: 0,
              maxFailedIndexes: 0,
            }),
          ),
        ],
      },
      { name: "one failed", reports: [{ labels: index(1), status: exits(1) }] },
    ],
  },
  {
    name: "an indexed job with a success policy for one index",
    steps: [
      {
        name: "created",
        requests: [
          post(
            jobs,
            job({
              completionMode: "Indexed",
              completions: 3,
              parallelism: 3,
              successPolicy: { rules: [{ succeededIndexes: "0", succeededCount: 1 }] },
            }),
          ),
        ],
      },
      { name: "the leader is done", reports: [{ labels: index(0), status: exits(0) }] },
    ],
  },
  {
    name: "a suspended job",
    steps: [
      { name: "created", requests: [post(jobs, job({ suspend: true }))] },
      { name: "resumed", requests: [merge(`${jobs}/j`, { spec: { suspend: false } })] },
      { name: "suspended again", requests: [merge(`${jobs}/j`, { spec: { suspend: true } })] },
    ],
  },
  {
    name: "a job backs off before it retries",
    steps: [
      { name: "created", requests: [post(jobs, job({}))] },
      { name: "failed", reports: [{ labels, status: exits(1, "{now}") }], rest: 3 },
      { name: "retried", rest: 12 },
    ],
  },
  {
    name: "a job replaces failed pods, not terminating ones",
    steps: [
      {
        name: "created",
        requests: [
          post("/api/v1/nodes", { metadata: { name: "{ns}" } }),
          post(
            jobs,
            job({
              podReplacementPolicy: "Failed",
              template: {
                spec: {
                  nodeName: "{ns}",
                  restartPolicy: "Never",
                  containers: [{ name: "c", image: "i" }],
                },
              },
            }),
          ),
        ],
      },
      { name: "deleted", requests: [remove("/api/v1/namespaces/{ns}/pods")], rest: 4 },
      { name: "failed", reports: [{ labels, status: exits(1) }], rest: 15 },
    ],
  },
  {
    name: "a job whose pods are deleted",
    steps: [
      { name: "created", requests: [post(jobs, job({ parallelism: 2, completions: 2 }))] },
      { name: "deleted", requests: [remove("/api/v1/namespaces/{ns}/pods")], rest: 4 },
      // Two failures are retried after 20 seconds.
      { name: "retried", rest: 25 },
    ],
  },
  {
    name: "a job that exceeds its deadline",
    steps: [{ name: "created", requests: [post(jobs, job({ activeDeadlineSeconds: 3 }))], rest: 6 }],
  },
  {
    name: "a finished job is deleted after its TTL",
    steps: [
      { name: "created", requests: [post(jobs, job({ ttlSecondsAfterFinished: 1 }))] },
      { name: "done", reports: [{ labels, status: exits(0) }], rest: 5 },
    ],
  },
  {
    name: "a work queue job",
    steps: [
      { name: "created", requests: [post(jobs, job({ parallelism: 3 }))] },
      { name: "one done", reports: [{ labels, count: 1, status: exits(0) }] },
      { name: "all done", reports: [{ labels, status: exits(0) }] },
    ],
  },
  {
    name: "a job whose parallelism changes",
    steps: [
      { name: "created", requests: [post(jobs, job({ completions: 5, parallelism: 3 }))] },
      { name: "one at a time", requests: [merge(`${jobs}/j`, { spec: { parallelism: 1 } })] },
      { name: "four at a time", requests: [merge(`${jobs}/j`, { spec: { parallelism: 4 } })] },
      { name: "none", requests: [merge(`${jobs}/j`, { spec: { parallelism: 0 } })] },
    ],
  },
];
