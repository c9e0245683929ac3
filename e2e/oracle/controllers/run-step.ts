import { formatTime, systemClock } from "@tsbuilder/apimachinery/time";
import { send } from "../../../src/cluster/testing/send.ts";
import { maskState } from "./mask-state.ts";
import type { PodReport, Request, Step, Target } from "./story.ts";

/** The fields of a Pod that are read here; the server has filled them in. */
interface ListedPod {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly nodeName?: string; readonly affinity?: object };
  readonly status?: { readonly phase?: string };
}

/** The kinds that controllers write in a namespace. */
const watched = [
  "/apis/apps/v1/namespaces/{ns}/deployments",
  "/apis/apps/v1/namespaces/{ns}/replicasets",
  "/apis/apps/v1/namespaces/{ns}/statefulsets",
  "/apis/apps/v1/namespaces/{ns}/daemonsets",
  "/apis/apps/v1/namespaces/{ns}/controllerrevisions",
  "/apis/batch/v1/namespaces/{ns}/jobs",
  "/apis/batch/v1/namespaces/{ns}/cronjobs",
  "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
  "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
  "/api/v1/namespaces/{ns}/configmaps",
  "/api/v1/namespaces/{ns}/endpoints",
  "/api/v1/namespaces/{ns}/events",
  "/api/v1/namespaces/{ns}/persistentvolumeclaims",
  "/api/v1/namespaces/{ns}/pods",
  "/api/v1/namespaces/{ns}/replicationcontrollers",
  "/api/v1/namespaces/{ns}/serviceaccounts",
  "/api/v1/persistentvolumes",
  "/api/v1/namespaces",
];

/** Runs a step without waiting for its effects. */
export async function runStep(target: Target, { requests = [], reports = [] }: Step): Promise<void> {
  for (const request of requests) await ask(target, await withUids(target, request));
  for (const report of reports) await reportPods(target, report);
}

async function reportPods(target: Target, { labels, phases, count, status }: PodReport): Promise<void> {
  const path = "/api/v1/namespaces/{ns}/pods";
  const { items } = (await ask(target, { method: "GET", path })) as { items: ListedPod[] };
  const isMeant = (pod: ListedPod) =>
    Object.entries(labels).every(([label, value]) => pod.metadata.labels?.[label] === value) &&
    (phases ?? ["Pending"]).includes(pod.status?.phase ?? "Pending");
  for (const [index, { metadata, spec }] of items.filter(isMeant).slice(0, count).entries()) {
    const node = spec.nodeName ?? boundTo(spec.affinity);
    if (node !== spec.nodeName) await bind(target, metadata.name, node!);
    const body = {
      status: { podIP: `10.1.0.${index + 1}`, podIPs: [{ ip: `10.1.0.${index + 1}` }], ...status },
    };
    const type = "application/merge-patch+json";
    await askIfThere(target, { method: "PATCH", path: `${path}/${metadata.name}/status`, body, type });
  }
}

/** The node of a DaemonSet's pod. */
function boundTo(affinity: object = {}): string | undefined {
  return /"metadata.name","operator":"In","values":\["([^"]+)"/.exec(JSON.stringify(affinity))?.[1];
}

function bind(target: Target, name: string, node: string): Promise<unknown> {
  const body = { metadata: { name }, target: { kind: "Node", name: node } };
  return ask(target, { method: "POST", path: `/api/v1/namespaces/{ns}/pods/${name}/binding`, body });
}

/** Fills in `{uid PATH}`: the UID of an object that an earlier request created. */
async function withUids(target: Target, request: Request): Promise<Request> {
  let text = JSON.stringify(request);
  for (const [placeholder, path] of text.matchAll(/\{uid ((?:[^{}]|\{ns\})+)\}/g)) {
    const { metadata } = (await ask(target, { method: "GET", path: path! })) as { metadata: { uid: string } };
    text = text.replaceAll(placeholder, metadata.uid);
  }
  return JSON.parse(text) as Request;
}

/** The current state of a namespace, masked. */
export async function readState(target: Target): Promise<unknown[]> {
  const lists = await Promise.all(watched.map((path) => ask(target, { method: "GET", path })));
  return maskState(lists as { kind: string; items: object[] }[], target.namespace);
}

/** A pod may be deleted before its report: a rollout continues as soon as the first is ready. */
async function askIfThere(target: Target, request: Request): Promise<void> {
  await ask(target, request).catch((error: Error) => {
    if (!error.message.includes('"NotFound"')) throw error;
  });
}

async function ask(
  { kubeconfig, namespace, clock = systemClock }: Target,
  { method, path, body, type }: Request,
): Promise<unknown> {
  const now = formatTime(clock.now());
  const fill = (text: string) => text.replaceAll("{ns}", namespace).replaceAll("{now}", now);
  const answer = await send(kubeconfig, {
    method,
    path: fill(path),
    ...(type && { headers: { "Content-Type": type } }),
    ...(body !== undefined && { body: JSON.parse(fill(JSON.stringify(body))) as unknown }),
  });
  if (answer.code >= 400) throw new Error(`${method} ${fill(path)}: ${answer.text}`);
  return answer.body;
}
