import type { JobCondition } from "@tsbuilder/apimachinery/k8s/batch/v1";
import { fieldText } from "../../../registry/field-text.ts";
import { formatSpan } from "../../../registry/format-age.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, readField } from "../../cells/read-field.ts";
import { selector, templateContainers } from "../../apps/cells.ts";
import { template } from "../../core/pod-spec/empty.ts";
import { jobStrategy } from "./strategy.ts";
import { jobController } from "./controller/job-controller.ts";

function jobStatus(object: object): string {
  const conditions = readField<JobCondition[]>(object, "status.conditions") ?? [];
  const holds = (type: string) => conditions.some((each) => each.type === type && each.status === "True");
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (readField(object, "metadata.deletionTimestamp")) return "Terminating";
  if (holds("Suspended")) return "Suspended";
  if (holds("FailureTarget")) return "FailureTarget";
  if (holds("SuccessCriteriaMet")) return "SuccessCriteriaMet";
  return "Running";
}

function completions(object: object): string {
  const succeeded = count("status.succeeded")(object);
  const wanted = readField<number>(object, "spec.completions");
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = readField<number>(object, "spec.parallelism") ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration(object: object, now: number): string {
  const start = readField<string>(object, "status.startTime");
  if (start === undefined) return "";
  const end = readField<string>(object, "status.completionTime");
  const until = end === undefined ? now : Date.parse(end);
  return formatSpan(Math.floor((until - Date.parse(start)) / 1000));
}

export const job: BuiltInKind<"job"> = {
  resource: "jobs.batch",
  metadataChecks: "new/new/update",
  strategy: {
    ...jobStrategy,
    statusWritesMetadata: true,
    refuseSelector: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  },
  cells: {
    Status: jobStatus,
    Completions: completions,
    Duration: duration,
    ...templateContainers,
    Selector: selector,
  },
  selectors: { "status.successful": (object) => fieldText(object, "status.succeeded") || "0" },
  podTemplate: "spec.template",
  emptyObject: { spec: { template }, status: {} },
  controllers: { job: jobController },
};
