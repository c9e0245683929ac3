import { merge, post, put, type Step, type Story, story } from "../story.ts";
import { container, type Fields } from "./pod-cases.ts";

const batch = "/apis/batch/v1/namespaces/{ns}";
const template = { spec: { restartPolicy: "Never", containers: [container] } };

function jobs(...list: readonly Fields[]): Step[] {
  return list.map((fields, index) =>
    post(`${batch}/jobs`, { metadata: { name: `j${index}` }, spec: { template, ...fields } }),
  );
}

function cronJobs(...list: readonly Fields[]): Step[] {
  return list.map((fields, index) =>
    post(`${batch}/cronjobs`, {
      metadata: { name: `c${index}` },
      spec: { schedule: "* * * * *", jobTemplate: { spec: { template } }, ...fields },
    }),
  );
}

const failing = (rule: object): Fields => ({ podFailurePolicy: { rules: [rule] } });
const indexed = { completionMode: "Indexed", completions: 5 };
const success = (rule: object): Fields => ({ ...indexed, successPolicy: { rules: [rule] } });

/** Jobs and CronJobs that a real server rejects. */
export const jobRules: readonly Story[] = [
  story("Jobs", [
    ...jobs(
      { template: { spec: { containers: [container] } } },
      { template: { spec: { ...template.spec, restartPolicy: "Always" } } },
      { template: { spec: { ...template.spec, restartPolicy: "Maybe" } } },
      { parallelism: -1, completions: -1, backoffLimit: -1 },
      { activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 },
      { completionMode: "Maybe" },
      { completionMode: "Indexed" },
      { completionMode: "Indexed", completions: 5, parallelism: 100001 },
      { backoffLimitPerIndex: 1 },
      { maxFailedIndexes: 1 },
      { ...indexed, maxFailedIndexes: 6, backoffLimitPerIndex: 1 },
      { managedBy: "nobody" },
      { managedBy: "example.com/me" },
      { podReplacementPolicy: "Maybe" },
      { selector: { matchLabels: { a: "b" } } },
      { manualSelector: true },
      { manualSelector: true, selector: { matchLabels: { a: "b" } } },
      { suspend: true, completionMode: "NonIndexed" },
    ),
    post(`${batch}/jobs`, { metadata: { name: "dots.in.name" }, spec: { template } }),
    post(`${batch}/jobs`, { metadata: { name: "x".repeat(62) }, spec: { ...indexed, template } }),
  ]),
  story(
    "failures and success",
    jobs(
      failing({}),
      failing({ action: "Maybe", onExitCodes: { operator: "In", values: [1] } }),
      failing({ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }),
      failing({ action: "FailJob", onExitCodes: { operator: "In", values: [0] } }),
      failing({ action: "FailJob", onExitCodes: { operator: "NotIn", values: [3, 1, 3] } }),
      failing({ action: "FailJob", onExitCodes: { operator: "Maybe", values: [] } }),
      failing({ action: "FailJob", onExitCodes: { containerName: "x", operator: "In", values: [1] } }),
      failing({ action: "Ignore", onPodConditions: [{ type: "a b", status: "Maybe" }] }),
      failing({
        action: "Ignore",
        onPodConditions: [{ type: "a" }],
        onExitCodes: { operator: "In", values: [1] },
      }),
      {
        ...failing({ action: "Ignore", onExitCodes: { operator: "In", values: [1] } }),
        template: { spec: { ...template.spec, restartPolicy: "OnFailure" } },
      },
      { successPolicy: { rules: [{ succeededCount: 1 }] } },
      success({}),
      success({ succeededCount: 6 }),
      success({ succeededIndexes: "0-9" }),
      success({ succeededIndexes: "2,1" }),
      success({ succeededIndexes: "a-b" }),
      success({ succeededIndexes: "1-2-3" }),
      success({ succeededIndexes: "0-1", succeededCount: 3 }),
    ),
  ),
  story("changes of a Job", [
    ...jobs({ ...indexed, parallelism: 2, suspend: true }, {}),
    merge(`${batch}/jobs/j0`, { spec: { completions: 7 } }),
    merge(`${batch}/jobs/j0`, { spec: { completions: 7, parallelism: 7 } }),
    merge(`${batch}/jobs/j0`, { spec: { template: { spec: { nodeSelector: { a: "b" } } } } }),
    merge(`${batch}/jobs/j0`, { spec: { suspend: false } }),
    merge(`${batch}/jobs/j0`, { spec: { template: { spec: { nodeSelector: { a: "c" } } } } }),
    merge(`${batch}/jobs/j1`, { spec: { completions: 3 } }),
    merge(`${batch}/jobs/j1`, { spec: { completionMode: "Indexed" } }),
    merge(`${batch}/jobs/j1`, { spec: { managedBy: "example.com/me" } }),
    merge(`${batch}/jobs/j1`, { spec: { backoffLimit: 3, parallelism: 4 } }),
    merge(`${batch}/jobs/j1`, { metadata: { uid: "other" } }),
    put(`${batch}/jobs/j1`, { metadata: { name: "j1" }, spec: { template } }),
    put(`${batch}/jobs/j1`, { metadata: { name: "j1" }, spec: { template: {} } }),
  ]),
  story("CronJobs", [
    ...cronJobs(
      { schedule: "" },
      { schedule: "* * * *" },
      { schedule: "60 * * * *" },
      { schedule: "* 24 * * *" },
      { schedule: "* * 0 * *" },
      { schedule: "* * * 13 *" },
      { schedule: "* * * * 7" },
      { schedule: "* * * jan-mar mon,fri" },
      { schedule: "5-1 * * * *" },
      { schedule: "*/0 * * * *" },
      { schedule: "*/5/5 * * * *" },
      { schedule: "1-2-3 * * * *" },
      { schedule: "x * * * *" },
      { schedule: "-1 * * * *" },
      { schedule: "@hourly" },
      { schedule: "@every 1h30m" },
      { schedule: "@every soon" },
      { schedule: "@sometimes" },
      { schedule: "TZ=UTC 0 * * * *" },
      { timeZone: "Europe/Zurich" },
      { timeZone: "Mars/Olympus" },
      { timeZone: "Local" },
      { concurrencyPolicy: "Maybe" },
      { startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 },
      { jobTemplate: { spec: { template, manualSelector: true, selector: { matchLabels: { a: "b" } } } } },
      { jobTemplate: { spec: { template: { spec: { containers: [container] } } } } },
    ),
    post(`${batch}/cronjobs`, {
      metadata: { name: "x".repeat(53) },
      spec: { schedule: "* * * * *", jobTemplate: { spec: { template } } },
    }),
  ]),
];
