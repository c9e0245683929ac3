import { merge, post, remove, type Request, type Step, type Story } from "../story.ts";
import { exits } from "./jobs.ts";

const cronJobs = "/apis/batch/v1/namespaces/{ns}/cronjobs";
const labels = { app: "c" };

/** Due only at midnight of a day in January, so that the time of a run doesn't affect a story. */
const inJanuary = (day: number) => `0 0 ${day} 1 *`;

/** Suspended at first: missed times count from `lastRun`, a status that only an update can set. */
const cronJob = (spec: object) => ({
  metadata: { name: "c" },
  spec: {
    schedule: inJanuary(1),
    suspend: true,
    jobTemplate: {
      metadata: { labels: { team: "t" }, annotations: { note: "n" } },
      spec: {
        template: {
          metadata: { labels },
          spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
        },
      },
    },
    ...spec,
  },
});
const created = (spec: object): Request[] => [
  post(cronJobs, cronJob(spec)),
  merge(`${cronJobs}/c/status`, { status: { lastScheduleTime: "2022-12-24T00:00:00Z" } }),
];
const resumed = merge(`${cronJobs}/c`, { spec: { suspend: false } });
/**
 * A later day on which it is due. A new schedule alone waits for its next time: another change triggers the
 * reconcile.
 */
const movedTo = (day: number): Step[] => [
  { name: `on day ${day}`, requests: [merge(`${cronJobs}/c`, { spec: { schedule: inJanuary(day) } })] },
  {
    name: `reconciled on day ${day}`,
    requests: [merge(`${cronJobs}/c`, { metadata: { annotations: { day: `${day}` } } })],
    rest: 5,
  },
];

export const cronJobStories: readonly Story[] = [
  {
    name: "a cron job that missed its times starts the last of them",
    steps: [
      { name: "created", requests: created({}) },
      { name: "resumed", requests: [resumed] },
      { name: "done", reports: [{ labels, status: exits(0) }] },
      ...movedTo(2),
      { name: "deleted", requests: [remove(`${cronJobs}/c`, { propagationPolicy: "Background" })], rest: 5 },
    ],
  },
  {
    name: "a cron job that forbids concurrent jobs",
    steps: [
      { name: "running", requests: [...created({ concurrencyPolicy: "Forbid" }), resumed] },
      ...movedTo(2),
      { name: "done", reports: [{ labels, status: exits(0) }] },
    ],
  },
  {
    name: "a cron job that replaces a running job",
    steps: [
      { name: "running", requests: [...created({ concurrencyPolicy: "Replace" }), resumed] },
      ...movedTo(2),
    ],
  },
  {
    name: "a cron job that allows concurrent jobs",
    steps: [
      { name: "running", requests: [...created({ concurrencyPolicy: "Allow" }), resumed] },
      ...movedTo(2),
      { name: "suspended", requests: [merge(`${cronJobs}/c`, { spec: { suspend: true } })] },
      ...movedTo(3),
    ],
  },
  {
    name: "a cron job that starts too late for its deadline",
    steps: [
      { name: "created", requests: [...created({ startingDeadlineSeconds: 60 }), resumed] },
      {
        name: "with a deadline of five years",
        requests: [merge(`${cronJobs}/c`, { spec: { startingDeadlineSeconds: 5 * 366 * 86_400 } })],
      },
    ],
  },
  {
    name: "a cron job in a time zone",
    steps: [{ name: "running", requests: [...created({ timeZone: "Europe/Berlin" }), resumed] }],
  },
  {
    name: "a cron job that keeps one successful job and no failed one",
    steps: [
      {
        name: "running",
        requests: [
          ...created({
            successfulJobsHistoryLimit: 1,
            failedJobsHistoryLimit: 0,
            jobTemplate: {
              spec: {
                backoffLimit: 0,
                template: {
                  metadata: { labels },
                  spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
                },
              },
            },
          }),
          resumed,
        ],
      },
      { name: "done", reports: [{ labels, status: exits(0) }] },
      ...movedTo(2),
      { name: "two done", reports: [{ labels, status: exits(0) }], rest: 5 },
      ...movedTo(3),
      { name: "which fails", reports: [{ labels, status: exits(1) }], rest: 5 },
    ],
  },
];
