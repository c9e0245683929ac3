import { formatSpan } from "@tsbuilder/apimachinery/text";
import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { CellReader } from "../../../registry/resource.ts";
import type { Container } from "../pod-spec/types.ts";
import type { Sent } from "../../../contract/api-object.ts";
import { readField, text } from "../../cells.ts";

/** The cells of a Pod; its status depends on its containers more than on its phase. */
export const podCells: Readonly<Record<string, CellReader>> = {
  Ready: (pod) => {
    const { ready, total } = summarize(pod);
    return `${ready}/${total}`;
  },
  Status: statusCell,
  Restarts: restartsCell,
  IP: text("status.podIP", "<none>"),
  Node: text("spec.nodeName", "<none>"),
  "Nominated Node": text("status.nominatedNodeName", "<none>"),
  "Readiness Gates": (pod) => {
    const gates = readField<core.PodReadinessGate[]>(pod, "spec.readinessGates") ?? [];
    if (gates.length === 0) return "<none>";
    const holding = gates.filter(({ conditionType }) => isTrue(pod, conditionType));
    return `${holding.length}/${gates.length}`;
  },
};

const completionMessages = new Map([
  ["Succeeded", "The pod has completed successfully."],
  ["Failed", "The pod failed."],
]);

/** The row condition of a pod that has finished. */
export function podRowConditions(pod: object): readonly object[] | undefined {
  const reason = readField<string>(pod, "status.phase") ?? "";
  const message = completionMessages.get(reason);
  return message === undefined ? undefined : [{ type: "Completed", status: "True", reason, message }];
}

type ContainerStatus = Sent<core.ContainerStatus>;

/** A summary of the containers: sidecars count as containers once they have started. */
interface ContainerSummary {
  readonly total: number;
  readonly ready: number;
  /** The containers whose restarts count: those of the pod's current stage. */
  readonly counted: readonly ContainerStatus[];
  readonly reason: string;
}

function summarize(pod: object): ContainerSummary {
  const sidecars = new Set(
    (readField<Container[]>(pod, "spec.initContainers") ?? [])
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const total = (readField<Container[]>(pod, "spec.containers") ?? []).length + sidecars.size;
  const init = readField<ContainerStatus[]>(pod, "status.initContainerStatuses") ?? [];
  const isStarted = ({ name, started }: ContainerStatus): boolean => sidecars.has(name) && started === true;
  const open = init.findIndex((each) => each.state?.terminated?.exitCode !== 0 && !isStarted(each));
  const seen = open === -1 ? init : init.slice(0, open + 1);
  let ready = seen.filter((each) => isStarted(each) && each.ready).length;
  if (open !== -1 && !isTrue(pod, "Initialized")) {
    return { total, ready, counted: seen, reason: initReason(pod, init[open]!, open) };
  }
  const containers = readField<ContainerStatus[]>(pod, "status.containerStatuses") ?? [];
  ready += containers.filter(isRunning).length;
  const counted = [...seen.filter(({ name }) => sidecars.has(name)), ...containers];
  return { total, ready, counted, reason: runReason(pod, containers) };
}

function isRunning({ ready, state }: ContainerStatus): boolean {
  return ready === true && state?.running !== undefined && !state.terminated && !state.waiting?.reason;
}

function statusCell(pod: object): string {
  const { reason } = summarize(pod);
  if (readField(pod, "metadata.deletionTimestamp") === undefined) return reason;
  if (readField(pod, "status.reason") === "NodeLost") return "Unknown";
  const phase = readField<string>(pod, "status.phase");
  return phase === "Succeeded" || phase === "Failed" ? reason : "Terminating";
}

/** The first init container that has not completed determines the status. */
function initReason(pod: object, { state }: ContainerStatus, index: number): string {
  if (state?.terminated) return `Init:${terminatedReason(state.terminated)}`;
  const waiting = state?.waiting?.reason;
  if (waiting && waiting !== "PodInitializing") return `Init:${waiting}`;
  return `Init:${index}/${(readField<Container[]>(pod, "spec.initContainers") ?? []).length}`;
}

function runReason(pod: object, containers: readonly ContainerStatus[]): string {
  let reason = readField<string>(pod, "status.reason") ?? readField<string>(pod, "status.phase") ?? "";
  const isGated = conditionsOf(pod).some(
    (each) => each.type === "PodScheduled" && each.reason === "SchedulingGated",
  );
  if (isGated) reason = "SchedulingGated";
  let failure = "";
  for (const { state } of containers.toReversed()) {
    reason = stateReason(state) ?? reason;
    if (!state?.waiting?.reason && (state?.terminated?.exitCode ?? 0) !== 0) failure = reason;
  }
  if (reason !== "Completed") return reason;
  const hasRunning = containers.some(isRunning);
  if (hasRunning && isTrue(pod, "Ready")) return "Running";
  return failure || (hasRunning ? "NotReady" : reason);
}

type ContainerState = Sent<core.ContainerState>;

function stateReason(state: ContainerState | undefined): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason;
  return state?.terminated && terminatedReason(state.terminated);
}

function terminatedReason(state: NonNullable<ContainerState["terminated"]>): string {
  const { reason, signal, exitCode = 0 } = state;
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

function restartsCell(pod: object, now: number): string {
  const { counted } = summarize(pod);
  const total = counted.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  const last = counted
    .map(({ lastState }) => lastState?.terminated?.finishedAt ?? "")
    .sort()
    .at(-1);
  if (total === 0 || !last) return String(total);
  return `${total} (${formatSpan(Math.floor((now - Date.parse(last)) / 1000))} ago)`;
}

function conditionsOf(pod: object): ReadonlyArray<Sent<core.PodCondition>> {
  return readField<Array<Sent<core.PodCondition>>>(pod, "status.conditions") ?? [];
}

function isTrue(pod: object, wanted: string): boolean {
  return conditionsOf(pod).some(({ type, status }) => type === wanted && status === "True");
}
