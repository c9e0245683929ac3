import { formatSpan } from "../../format-age.ts";
import { readField, text } from "./read-field.ts";
import type { CellReader } from "./table-columns.ts";

interface ContainerState {
  readonly waiting?: { readonly reason?: string };
  readonly running?: object;
  readonly terminated?: {
    readonly reason?: string;
    readonly signal?: number;
    readonly exitCode?: number;
    readonly finishedAt?: string;
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
}

/** The cells of a Pod: its status is told by its containers more than by its phase. */
export const podCells: Readonly<Record<string, CellReader>> = {
  Ready: (pod) => {
    const containers = readField<Container[]>(pod, "spec.containers") ?? [];
    return `${containerStatuses(pod).filter(({ ready, state }) => ready && state?.running).length}/${containers.length}`;
  },
  Status: (pod) => podReason(pod),
  Restarts: restarts,
  IP: text("status.podIP", "<none>"),
  Node: text("spec.nodeName", "<none>"),
  "Nominated Node": text("status.nominatedNodeName", "<none>"),
  "Readiness Gates": (pod) => {
    const gates = readField<Array<{ conditionType: string }>>(pod, "spec.readinessGates") ?? [];
    if (gates.length === 0) return "<none>";
    const conditions = readField<Array<{ type: string; status: string }>>(pod, "status.conditions") ?? [];
    const holding = gates.filter(({ conditionType }) =>
      conditions.some(({ type, status }) => type === conditionType && status === "True"),
    );
    return `${holding.length}/${gates.length}`;
  },
};

function podReason(pod: object): string {
  let reason = readField<string>(pod, "status.reason") ?? readField<string>(pod, "status.phase") ?? "";
  const initializing = initReason(pod);
  if (initializing !== undefined) reason = initializing;
  else {
    for (const { state } of containerStatuses(pod).toReversed()) reason = stateReason(state) ?? reason;
    if (
      reason === "Completed" &&
      containerStatuses(pod).some(({ ready, state }) => ready && state?.running)
    ) {
      reason = isReady(pod) ? "Running" : "NotReady";
    }
  }
  if (readField(pod, "metadata.deletionTimestamp") === undefined) return reason;
  return readField(pod, "status.reason") === "NodeLost" ? "Unknown" : "Terminating";
}

/** The first init container that is not done names the status; sidecars are done when they have started. */
function initReason(pod: object): string | undefined {
  const containers = readField<Container[]>(pod, "spec.initContainers") ?? [];
  const statuses = readField<ContainerStatus[]>(pod, "status.initContainerStatuses") ?? [];
  for (const [index, { state, started, name }] of statuses.entries()) {
    const sidecar = containers.find((each) => each.name === name)?.restartPolicy === "Always";
    if (state?.terminated?.exitCode === 0 || (sidecar && started)) continue;
    if (state?.terminated) return `Init:${terminatedReason(state.terminated)}`;
    const waiting = state?.waiting?.reason;
    if (waiting && waiting !== "PodInitializing") return `Init:${waiting}`;
    return `Init:${index}/${containers.length}`;
  }
  return undefined;
}

function stateReason(state: ContainerState | undefined): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason;
  return state?.terminated && terminatedReason(state.terminated);
}

function terminatedReason({
  reason,
  signal,
  exitCode = 0,
}: NonNullable<ContainerState["terminated"]>): string {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function restarts(pod: object, now: Date): string {
  const statuses = containerStatuses(pod);
  const total = statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  const last = statuses
    .map(({ lastState }) => lastState?.terminated?.finishedAt ?? "")
    .sort()
    .at(-1);
  if (total === 0 || !last) return String(total);
  return `${total} (${formatSpan(Math.floor((now.getTime() - Date.parse(last)) / 1000))} ago)`;
}

function containerStatuses(pod: object): readonly ContainerStatus[] {
  return readField<ContainerStatus[]>(pod, "status.containerStatuses") ?? [];
}

function isReady(pod: object): boolean {
  const conditions = readField<Array<{ type: string; status: string }>>(pod, "status.conditions") ?? [];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
