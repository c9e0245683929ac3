import { merge, post, remove, type Story } from "../story.ts";
import { exits } from "./jobs.ts";

const jobs = "/apis/batch/v1/namespaces/{ns}/jobs";
const pods = "/api/v1/namespaces/{ns}/pods";
const finalizers = ["batch.kubernetes.io/job-tracking"];
const node = post("/api/v1/nodes", { metadata: { name: "{ns}" } });
const labels = { app: "w" };
const containers = [{ name: "c", image: "i" }];
/** Pods of a node terminate gracefully: they stay until their kubelet deletes them. */
const placed = { restartPolicy: "Never", nodeName: "{ns}", containers };
const job = (spec: object) => post(jobs, { metadata: { name: "j" }, spec });
const gone = { name: "pods gone", requests: [remove(pods, { gracePeriodSeconds: 0 })] };

export const jobEndingStories: readonly Story[] = [
  {
    name: "a job that exceeds its deadline waits for its pods",
    steps: [
      {
        name: "too late",
        requests: [node, job({ activeDeadlineSeconds: 3, template: { spec: placed } })],
        rest: 6,
      },
      gone,
    ],
  },
  {
    name: "a job whose success policy is met waits for its other pods",
    steps: [
      {
        name: "created",
        requests: [
          node,
          job({
            completionMode: "Indexed",
            completions: 2,
            parallelism: 2,
            successPolicy: { rules: [{ succeededIndexes: "0" }] },
            template: { spec: placed },
          }),
        ],
      },
      {
        name: "the leader is done",
        reports: [{ labels: { "batch.kubernetes.io/job-completion-index": "0" }, status: exits(0) }],
      },
      gone,
    ],
  },
  {
    name: "a job adopts a pod and releases it",
    steps: [
      {
        name: "a pod",
        requests: [
          post(pods, { metadata: { name: "stray", labels }, spec: { restartPolicy: "Never", containers } }),
        ],
      },
      {
        name: "created",
        requests: [
          job({
            manualSelector: true,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { restartPolicy: "Never", containers } },
          }),
        ],
      },
      {
        name: "without the label",
        requests: [merge(`${pods}/stray`, { metadata: { labels: { app: "other" } } })],
      },
    ],
  },
  {
    name: "pods that wait for a job that doesn't exist",
    steps: [
      {
        name: "created",
        requests: [
          post(pods, { metadata: { name: "alone", finalizers }, spec: { containers } }),
          post(pods, {
            metadata: { name: "labelled", finalizers, labels: { "batch.kubernetes.io/job-name": "j" } },
            spec: { containers },
          }),
        ],
      },
    ],
  },
];
