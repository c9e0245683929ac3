import { formatSelector } from "./format-selector.ts";
import { count, readField, text } from "./read-field.ts";
import type { CellReader } from "../../registry/table-columns.ts";
import { ageOf } from "../../registry/format-age.ts";
import { formatSpan } from "../../registry/format-age.ts";

interface Container {
  readonly name: string;
  readonly image?: string;
}

function containersAt(path: string): Record<string, CellReader> {
  const containers = (object: object) => readField<Container[]>(object, `${path}.containers`) ?? [];
  return {
    Containers: (object) =>
      containers(object)
        .map(({ name }) => name)
        .join(","),
    Images: (object) =>
      containers(object)
        .map(({ image = "" }) => image)
        .join(","),
  };
}

const selector: CellReader = (object) => formatSelector(readField(object, "spec.selector"));
const templateContainers = containersAt("spec.template.spec");

const replicas: Readonly<Record<string, CellReader>> = {
  Desired: count("spec.replicas"),
  Current: count("status.replicas"),
  Ready: count("status.readyReplicas"),
  ...templateContainers,
  Selector: selector,
};

const ready: CellReader = (object) =>
  `${count("status.readyReplicas")(object)}/${count("spec.replicas")(object)}`;

/** The cells of the kinds that make pods. */
export const workloadCells: Readonly<Record<string, Readonly<Record<string, CellReader>>>> = {
  Deployment: {
    Ready: ready,
    "Up-to-date": count("status.updatedReplicas"),
    Available: count("status.availableReplicas"),
    ...templateContainers,
    Selector: selector,
  },
  ReplicaSet: replicas,
  ReplicationController: {
    ...replicas,
    Selector: (object) => formatSelector({ matchLabels: readField(object, "spec.selector") ?? {} }),
  },
  StatefulSet: { Ready: ready, ...templateContainers },
  DaemonSet: {
    Desired: count("status.desiredNumberScheduled"),
    Current: count("status.currentNumberScheduled"),
    Ready: count("status.numberReady"),
    "Up-to-date": count("status.updatedNumberScheduled"),
    Available: count("status.numberAvailable"),
    "Node Selector": (object) =>
      formatSelector({ matchLabels: readField(object, "spec.template.spec.nodeSelector") ?? {} }),
    ...templateContainers,
    Selector: selector,
  },
  Job: {
    Status: jobStatus,
    Completions: completions,
    Duration: duration,
    ...templateContainers,
    Selector: selector,
  },
  CronJob: {
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
  PodTemplate: {
    ...containersAt("template.spec"),
    "Pod Labels": (object) =>
      formatSelector({ matchLabels: readField(object, "template.metadata.labels") ?? {} }),
  },
  ControllerRevision: {
    Controller: (object) => {
      const owners = readField<
        Array<{ apiVersion: string; kind: string; name: string; controller?: boolean }>
      >(object, "metadata.ownerReferences");
      const owner = owners?.find(({ controller }) => controller);
      if (!owner) return "<none>";
      const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
      return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    },
    Revision: count("revision"),
  },
};

function jobStatus(object: object): string {
  const conditions = readField<Array<{ type: string; status: string }>>(object, "status.conditions") ?? [];
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
