import { ageOf } from "../../../registry/format-age.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { formatSelector } from "../../cells/format-selector.ts";
import { readField, text } from "../../cells/read-field.ts";
import { containersAt } from "../../apps/cells.ts";
import { template } from "../../core/pod-spec/empty.ts";
import { cronJobStrategy } from "./strategy.ts";
import { cronJobController } from "./controller/cron-job-controller.ts";

export const cronJob: BuiltInKind<"cronjob"> = {
  resource: "cronjobs.batch",
  metadataChecks: "new/update/none",
  strategy: { ...cronJobStrategy, statusWritesMetadata: true },
  cells: {
    Schedule: text("spec.schedule"),
    Timezone: text("spec.timeZone", "<none>"),
    Suspend: (object) => (readField<boolean>(object, "spec.suspend") ? "True" : "False"),
    Active: (object) => readField<unknown[]>(object, "status.active")?.length ?? 0,
    "Last Schedule": (object, now) => {
      const time = readField<string>(object, "status.lastScheduleTime");
      return time === undefined ? "<none>" : ageOf(time, now);
    },
    ...containersAt("spec.jobTemplate.spec.template.spec"),
    Selector: (object) => formatSelector(readField(object, "spec.jobTemplate.spec.selector")),
  },
  podTemplate: "spec.jobTemplate.spec.template",
  emptyObject: { spec: { jobTemplate: { metadata: {}, spec: { template } } }, status: {} },
  controllers: { cronjob: cronJobController },
  zeroValues: { spec: { schedule: "" } },
};
