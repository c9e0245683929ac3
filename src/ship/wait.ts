import { setTimeout as delay } from "node:timers/promises";
import { TsbuilderError } from "../shared/errors.ts";
import { type ClusterChoice, readJson, runKubectl } from "./kubectl.ts";
import { type ManifestObject, formatManifest, isCrd } from "./manifest.ts";
import {
  type DeploymentState,
  type PodState,
  type WarningEvent,
  isAvailable,
  reasonsOf,
} from "./unavailable.ts";

/**
 * Waits until a deployed operator does its work: its Deployment is available, and the API server reaches its webhooks.
 * On timeout, explains what is missing.
 */
export async function waitForOperator(
  deployed: readonly ManifestObject[],
  renderSamples: () => Promise<readonly ManifestObject[]>,
  choice: ClusterChoice,
  seconds: number,
): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  const deployment = deployed.find(({ kind }) => kind === "Deployment");
  if (deployment) await until(deadline, () => checkDeployment(deployment, choice, seconds));
  if (!hasWebhooks(deployed)) return;
  if (deployment) await until(deadline, () => checkFormerPods(deployment, choice, seconds));
  const samples = await renderSamples();
  await until(deadline, () => checkWebhooks(deployed, samples, choice, seconds));
}

/**
 * A ready pod is not enough: its node's rules for the Service and the API server's copy of the CA arrive a moment later,
 * and until then what the webhooks admit is refused. The samples are sent as a dry run: they pass all webhooks, and
 * nothing is stored.
 */
async function checkWebhooks(
  deployed: readonly ManifestObject[],
  samples: readonly ManifestObject[],
  choice: ClusterChoice,
  seconds: number,
): Promise<Reason | undefined> {
  if (samples.length === 0) return undefined;
  const failures = unreachedWebhooks(await refusalsOf(samples, choice), deployed);
  if (failures.length === 0) return undefined;
  return async () =>
    new TsbuilderError(
      [`the API server does not reach the operator's webhooks after ${seconds} s`, ...failures].join("\n  "),
      {
        code: "TOOL_FAILED",
        hint: "the operator is available; look at the Service of its webhooks, its EndpointSlices, and network policies",
      },
    );
}

/** Returns whether the API server calls a deployment's operator. */
export function hasWebhooks(deployed: readonly ManifestObject[]): boolean {
  return admissionWebhooks(deployed).length > 0 || convertedGroups(deployed).length > 0;
}

/** Returns those of kubectl's error lines that say that the API server could not call a webhook of the deployment. */
export function unreachedWebhooks(errors: string, deployed: readonly ManifestObject[]): string[] {
  const names = new Set(admissionWebhooks(deployed));
  const groups = new Set(convertedGroups(deployed));
  return errors.split("\n").filter((line) => {
    const name = /failed calling webhook "([^"]+)"/.exec(line)?.[1];
    const group = /conversion webhook for ([^/\s]+)\/\S+ Kind=\S+ failed/.exec(line)?.[1];
    return (name !== undefined && names.has(name)) || (group !== undefined && groups.has(group));
  });
}

function admissionWebhooks(deployed: readonly ManifestObject[]): string[] {
  return deployed
    .filter(({ kind }) => /^(Mutating|Validating)WebhookConfiguration$/.test(kind))
    .flatMap((object) => (object["webhooks"] ?? []) as readonly { readonly name: string }[])
    .map(({ name }) => name);
}

function convertedGroups(deployed: readonly ManifestObject[]): string[] {
  return deployed
    .filter(isCrd)
    .map(
      ({ spec }) => spec as { readonly group: string; readonly conversion?: { readonly strategy: string } },
    )
    .filter(({ conversion }) => conversion?.strategy === "Webhook")
    .map(({ group }) => group);
}

async function refusalsOf(samples: readonly ManifestObject[], choice: ClusterChoice): Promise<string> {
  try {
    const words = ["create", "--dry-run=server", "--filename", "-"];
    await runKubectl(choice, words, formatManifest(samples));
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** A deployed operator's Deployment has to be available. */
async function checkDeployment(
  { metadata: { name, namespace = "default" } }: ManifestObject,
  choice: ClusterChoice,
  seconds: number,
): Promise<Reason | undefined> {
  const where = ["--namespace", namespace];
  const deployment = await readJson<DeploymentState>(choice, ["get", "deployment", name, ...where]);
  if (deployment && isAvailable(deployment)) return undefined;
  return async () => {
    const reasons = await findReasons(deployment, choice, where);
    const found = reasons.length > 0 ? reasons : ["no pod or event explains it"];
    return new TsbuilderError(
      [`deployment "${name}" is not available after ${seconds} s`, ...found].join("\n  "),
      {
        code: "TOOL_FAILED",
        hint: `for details, run: kubectl describe deployment ${name} ${where.join(" ")}`,
      },
    );
  };
}

async function findReasons(
  deployment: DeploymentState | undefined,
  choice: ClusterChoice,
  where: readonly string[],
): Promise<string[]> {
  const pods = await readPods(deployment?.spec, choice, where);
  const events = await readJson<{ items: WarningEvent[] }>(choice, ["get", "events", ...where]);
  return reasonsOf(deployment, pods.items, events?.items ?? []);
}

/** Pods of the former version answer the API server until they end, and may not know what the new CRDs ask of them. */
async function checkFormerPods(
  { metadata: { namespace = "default" }, spec }: ManifestObject,
  choice: ClusterChoice,
  seconds: number,
): Promise<Reason | undefined> {
  const { items } = await readPods(spec as DeploymentState["spec"], choice, ["--namespace", namespace]);
  const left = items.find((pod) => isEnding(pod, Date.now()));
  if (!left) return undefined;
  return async () =>
    new TsbuilderError(`pod ${left.metadata.name} of the former version has not ended after ${seconds} s`, {
      code: "TOOL_FAILED",
      hint: `the operator is available; look at the pod: kubectl describe pod ${left.metadata.name} --namespace ${namespace}`,
    });
}

/** The pods that a Deployment selects, those that are ending included. */
async function readPods(
  spec: DeploymentState["spec"] | undefined,
  choice: ClusterChoice,
  where: readonly string[],
): Promise<{ items: PodState[] }> {
  const labels = Object.entries(spec?.selector.matchLabels ?? {});
  const selector = labels.map(([key, value]) => `${key}=${value}`).join(",");
  const words = ["get", "pods", "--selector", selector, ...where];
  return (await readJson<{ items: PodState[] }>(choice, words)) ?? { items: [] };
}

/** How late the news of a container's end may be, and how wrong a clock, in milliseconds. */
const allowance = 30_000;

/**
 * Returns whether a pod is told to end, and may still work. Its deletion timestamp says when its containers are killed
 * at the latest: long after that, its node is what does not answer, and nobody else can tell.
 */
export function isEnding({ metadata: { deletionTimestamp } }: PodState, now: number): boolean {
  return deletionTimestamp !== undefined && now < Date.parse(deletionTimestamp) + allowance;
}

/** Why something is not ready yet. */
export type Reason = () => Promise<TsbuilderError>;

async function until(deadline: number, check: () => Promise<Reason | undefined>): Promise<void> {
  for (;;) {
    const reason = await check();
    if (!reason) return;
    if (Date.now() >= deadline) throw await reason();
    await delay(1000);
  }
}
