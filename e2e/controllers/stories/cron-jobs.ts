import { merge, post, remove, type Request, type Step, type Story } from "../story.ts";
import { exits } from "./jobs.ts";

const cronJobs = "/apis/batch/v1/namespaces/{ns}/cronjobs";
const labels = { app: "c" };

/** Due at midnight of a day in January only, so that no story is disturbed by the hour at which it runs. */
const inJanuary = (day: number) => `0 0 ${day} 1 *`;

/** Held at first: what was missed counts from `lastRun`, a status that only an update can bring. */
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
/** A later day that is due as well. A new schedule alone waits for its next time: another change brings the look. */
const movedTo = (day: number): Step[] => [
  { name: `on day ${day}`, requests: [merge(`${cronJobs}/c`, { spec: { schedule: inJanuary(day) } })] },
  {
    name: `looked at on day ${day}`,
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
    name: "a cron job that may not run twice at once",
    steps: [
      { name: "running", requests: [...created({ concurrencyPolicy: "Forbid" }), resumed] },
      ...movedTo(2),
      { name: "done", reports: [{ labels, status: exits(0) }] },
    ],
  },
  {
    name: "a cron job that replaces what still runs",
    steps: [
      { name: "running", requests: [...created({ concurrencyPolicy: "Replace" }), resumed] },
      ...movedTo(2),
    ],
  },
  {
    name: "a cron job that may run twice at once",
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
    name: "a cron job that keeps one good job and no failed ones",
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
