import { setTimeout as delay } from "node:timers/promises";
import { TsbuilderError } from "../shared/errors.ts";
import { type ClusterChoice, readJson } from "./kubectl.ts";
import type { ManifestObject } from "./manifest.ts";

interface Deployment {
  readonly metadata: { readonly generation?: number };
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels?: Record<string, string> };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message: string;
    }[];
  };
}

interface Pod {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
  };
}

interface Event {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

/** Waits until the deployed operator is available; says why it is not, with the words of its pods and events. */
export async function waitForDeployment(
  target: ManifestObject,
  choice: ClusterChoice,
  { seconds, every = 1 }: { seconds: number; every?: number },
): Promise<void> {
  const where = ["--namespace", target.metadata.namespace ?? "default"];
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const deployment = await readJson<Deployment>(choice, [
      "get",
      "deployment",
      target.metadata.name,
      ...where,
    ]);
    if (deployment && isAvailable(deployment)) return;
    if (Date.now() >= deadline) throw await explain(target, deployment, choice, where, seconds);
    await delay(every * 1000);
  }
}

function isAvailable({ metadata, spec, status }: Deployment): boolean {
  const replicas = spec.replicas ?? 1;
  return (
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
    (status?.updatedReplicas ?? 0) >= replicas &&
    (status?.availableReplicas ?? 0) >= replicas
  );
}

async function explain(
  target: ManifestObject,
  deployment: Deployment | undefined,
  choice: ClusterChoice,
  where: readonly string[],
  seconds: number,
): Promise<TsbuilderError> {
  const labels = Object.entries(deployment?.spec.selector.matchLabels ?? {}).map(
    ([key, value]) => `${key}=${value}`,
  );
  const pods = await readJson<{ items: Pod[] }>(choice, [
    "get",
    "pods",
    "--selector",
    labels.join(","),
    ...where,
  ]);
  const events = await readJson<{ items: Event[] }>(choice, ["get", "events", ...where]);
  const reasons = [
    ...(deployment?.status?.conditions ?? [])
      .filter(({ status }) => status === "False")
      .map(({ type, message }) => `${type}: ${message}`),
    ...(pods?.items ?? []).flatMap(podReasons),
    ...(events?.items ?? [])
      .filter(({ type }) => type === "Warning")
      .slice(-5)
      .map(describeEvent),
  ];
  const name = `deployment "${target.metadata.name}"`;
  const found =
    reasons.length > 0 ? reasons.map((reason) => `  ${reason}`).join("\n") : "  no pod or event says why";
  return new TsbuilderError(`${name} is not available after ${seconds} s\n${found}`, {
    code: "TOOL_FAILED",
    hint: `look at it: kubectl describe deployment ${target.metadata.name} ${where.join(" ")}`,
  });
}

function podReasons({ metadata, status }: Pod): string[] {
  const unscheduled = (status?.conditions ?? []).filter(
    ({ type, status: holds, message }) => type === "PodScheduled" && holds === "False" && message,
  );
  const containers = (status?.containerStatuses ?? []).flatMap(({ name, state }) => {
    const { waiting, terminated } = state ?? {};
    if (waiting)
      return [`container ${name} waits: ${waiting.reason ?? "?"} ${waiting.message ?? ""}`.trimEnd()];
    return terminated
      ? [`container ${name} ended: ${terminated.reason ?? "?"} (${terminated.exitCode})`]
      : [];
  });
  return [...unscheduled.map(({ message }) => message!), ...containers].map(
    (reason) => `pod ${metadata.name}: ${reason}`,
  );
}

function describeEvent({ reason, message, involvedObject }: Event): string {
  return `event ${reason} of ${involvedObject?.kind} ${involvedObject?.name}: ${message}`;
}
