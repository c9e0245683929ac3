import { ageOf } from "@tsbuilder/apimachinery/text";
import type { CronJobSpec } from "@tsbuilder/apimachinery/k8s/batch/v1";
import { invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { checkCronSchedule } from "@tsbuilder/apimachinery/time";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { formatSelector, readField, text } from "../../cells.ts";
import { containerCells, workloadWarnings } from "../../apps/workload.ts";
import { cronJobController } from "./cron-job-controller.ts";
import type { Sent, SentObject } from "../../../contract/api-object.ts";
import { type Problems, choice, nonNegative } from "../../checks/problems.ts";
import { defaultJobSpec, jobSpecProblems, schedulingChanges } from "../job/job-spec.ts";

type CronJob = SentObject<Sent<CronJobSpec>>;

/** The names of its Jobs are eleven characters longer. */
const longestName = 52;

export const cronJob: BuiltInKind<"cronjob"> = {
  resource: "cronjobs.batch",
  metadataChecks: { status: [] },
  strategy: {
    statusWritesMetadata: true,
    default(object) {
      const { spec } = object as CronJob;
      const { metadata = {}, spec: job = {} } = spec.jobTemplate ?? {};
      defaultJobSpec(job);
      spec.jobTemplate = { ...spec.jobTemplate, metadata, spec: job };
    },
    validate(object) {
      const { name = "" } = object.metadata;
      const errors = [...cronJobProblems(object as CronJob)];
      if (name.length > longestName) {
        errors.push(invalid("metadata.name", name, `must be no more than ${longestName} characters`));
      }
      return errors;
    },
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status" ? [] : [...cronJobProblems(object as CronJob, old as CronJob)],
    warnings: (object, old) => workloadWarnings(object, old, "spec.jobTemplate.spec.template"),
  },
  cells: {
    Schedule: text("spec.schedule"),
    Timezone: text("spec.timeZone", "<none>"),
    Suspend: (object) => (readField<boolean>(object, "spec.suspend") ? "True" : "False"),
    Active: (object) => readField<unknown[]>(object, "status.active")?.length ?? 0,
    "Last Schedule": (object, now) => {
      const time = readField<string>(object, "status.lastScheduleTime");
      return time === undefined ? "<none>" : ageOf(time, now);
    },
    ...containerCells("spec.jobTemplate.spec.template.spec"),
    Selector: (object) => formatSelector(readField(object, "spec.jobTemplate.spec.selector")),
  },
  podTemplate: "spec.jobTemplate.spec.template",
  controllers: { cronjob: cronJobController },
};

function* cronJobProblems({ spec }: CronJob, old?: CronJob): Problems {
  if (!spec.schedule) yield required("spec.schedule");
  else yield* scheduleProblems(spec.schedule, spec.timeZone, old?.spec.schedule?.includes("TZ") ?? false);
  yield* nonNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds);
  if (spec.timeZone !== undefined && spec.timeZone !== old?.spec.timeZone) {
    yield* timeZoneProblems("spec.timeZone", spec.timeZone);
  }
  yield* choice("spec.concurrencyPolicy", spec.concurrencyPolicy, "batch/v1.CronJobSpec");
  const job = spec.jobTemplate?.spec ?? {};
  const at = "spec.jobTemplate.spec";
  yield* jobSpecProblems(at, job);
  if (old) yield* schedulingChanges(at, job, old.spec.jobTemplate?.spec ?? {});
  if (job.selector) yield invalid(`${at}.selector`, job.selector, "`selector` will be auto-generated");
  if (job.manualSelector) yield notSupported(`${at}.manualSelector`, true, ["nil", "false"]);
  yield* nonNegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit);
  yield* nonNegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit);
}

/** A time zone in the schedule is invalid, but a stored one may stay. */
function* scheduleProblems(text: string, zone: string | undefined, hadZone: boolean): Problems {
  const reason = checkCronSchedule(text);
  if (reason) yield invalid("spec.schedule", text, reason);
  if (!text.includes("TZ")) return;
  if (!hadZone) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    yield invalid("spec.schedule", text, detail);
  } else if (zone !== undefined) {
    const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
    yield invalid("spec.schedule", text, detail);
  }
}

function* timeZoneProblems(field: string, zone: string): Problems {
  if (zone === "") return yield invalid(field, zone, "timeZone must be nil or non-empty string");
  if (zone.toLowerCase() === "local") {
    const detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    yield invalid(field, zone, detail);
  }
  if (!isTimeZone(zone)) yield invalid(field, zone, `unknown time zone ${zone}`);
}

function isTimeZone(zone: string): boolean {
  if (zone.toLowerCase() === "local") return true;
  try {
    Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    return false;
  }
  // Go does not accept offsets such as `+01:00`.
  return /^[A-Za-z]/.test(zone);
}
