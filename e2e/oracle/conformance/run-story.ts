import type { FakeClock } from "@tsbuilder/apimachinery/time";
import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";
import { type ReceivedResponse, send } from "../../../src/cluster/testing/send.ts";
import { eventually } from "../../support/eventually.ts";
import { maskAnswer, type MaskedAnswer } from "./mask-answer.ts";
import { fromProtobuf, inProtobuf, protobufType } from "./protobuf-bodies.ts";
import type { Step, Story } from "./story.ts";

/** A server under test. If a test moves its clock, nothing waits for a watch to time out. */
export interface Server {
  readonly kubeconfig: Kubeconfig;
  readonly clock?: FakeClock;
}

/** Runs a story on a server and returns its masked answers. */
export async function runStory(server: Server, story: Story, id: string): Promise<MaskedAnswer[]> {
  const { kubeconfig } = server;
  const names = { ns: `conf-${id}`, group: `g${id}.example.com` };
  await expectSuccess(kubeconfig, "POST", "/api/v1/namespaces", { metadata: { name: names.ns } });
  const crds = JSON.parse(fill(JSON.stringify(story.crds ?? []), names, [])) as Definition[];
  for (const crd of crds) await install(kubeconfig, crd);
  const answers =
    story.atOnce && !server.clock
      ? await Promise.all(story.steps.map((step) => runUntil(server, step, names, [])))
      : await runInOrder(server, story.steps, names);
  for (const crd of crds)
    await send(kubeconfig, { method: "DELETE", path: `${definitions}/${crd.metadata.name}` });
  await send(kubeconfig, { method: "DELETE", path: `/api/v1/namespaces/${names.ns}` });
  return answers.map((answer) => maskAnswer(answer, names));
}

async function runInOrder(server: Server, steps: readonly Step[], names: Names): Promise<ReceivedResponse[]> {
  const answers: ReceivedResponse[] = [];
  for (const step of steps) answers.push(await runUntil(server, step, names, answers));
  return answers;
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Definition {
  metadata: { name: string };
  spec: { group: string; versions: Array<{ name: string; served: boolean }>; names: { plural: string } };
}

/** A real server serves a new CRD a moment after it reports it as established. */
async function install(kubeconfig: Kubeconfig, crd: Definition): Promise<void> {
  await expectSuccess(kubeconfig, "POST", definitions, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    ...crd,
  });
  const { group, versions, names } = crd.spec;
  const version = versions.find(({ served }) => served)!.name;
  const get = { method: "GET", path: `/apis/${group}/${version}/${names.plural}` };
  await sendUntil(() => send(kubeconfig, get), 200, `${crd.metadata.name} is not served`);
}

async function expectSuccess(
  kubeconfig: Kubeconfig,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const { code, text } = await send(kubeconfig, { method, path, body });
  if (code >= 300) throw new Error(`${method} ${path}: ${text}`);
}

interface Names {
  readonly ns: string;
  readonly group: string;
}

async function runUntil(...call: Parameters<typeof run>): Promise<ReceivedResponse> {
  const [, { method, path, until }] = call;
  if (until === undefined) return run(...call);
  return sendUntil(() => run(...call), until, `no answer of ${method} ${path} has ${until}`);
}

/** Repeats a request until its answer is as expected; a request without an answer fails at once. */
async function sendUntil(
  request: () => Promise<ReceivedResponse>,
  until: number | string,
  missing: string,
): Promise<ReceivedResponse> {
  const last = await eventually(async () => {
    const [settled] = await Promise.allSettled([request()]);
    if (settled.status === "rejected" || isReached(settled.value, until)) return settled;
    throw new Error(`${missing}: ${settled.value.text}`);
  });
  if (last.status === "rejected") throw last.reason;
  return last.value;
}

function isReached({ code, text, headers }: ReceivedResponse, until: number | string): boolean {
  if (typeof until === "number") return code === until;
  return text.includes(until) || (headers["warning"] ?? "").includes(until);
}

async function run(
  { kubeconfig, clock }: Server,
  step: Step,
  names: Names,
  answers: readonly ReceivedResponse[],
): Promise<ReceivedResponse> {
  const { method, path, type, accept, body, headers } = step;
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const filled = text === undefined ? undefined : fill(text, names, answers);
  const answer = send(kubeconfig, {
    method,
    path: fill(path, names, answers),
    headers: {
      "User-Agent": "conformance/1.0",
      ...(type && { "Content-Type": type }),
      ...(accept && { Accept: accept }),
      ...headers,
    },
    ...(filled !== undefined && { body: type === protobufType ? await inProtobuf(filled) : filled }),
  });
  if (clock && path.includes("timeoutSeconds=")) await moveUntil(clock, answer);
  return fromProtobuf(await answer);
}

/** Moves time by the second until the server has answered. */
async function moveUntil(clock: FakeClock, answer: Promise<unknown>): Promise<void> {
  const state = { answered: false };
  const note = () => void (state.answered = true);
  answer.then(note, note);
  while (!state.answered) await clock.advance(1000);
}

function fill(text: string, names: Names, answers: readonly ReceivedResponse[]): string {
  return text
    .replaceAll("{ns}", names.ns)
    .replaceAll("{group}", names.group)
    .replace(/\{(\d+)\.([\w.]+)\}/g, (_, index: string, path: string) => {
      let value: unknown = answers[Number(index) - 1]?.body;
      for (const field of path.split(".")) value = (value as Record<string, unknown> | undefined)?.[field];
      return String(value);
    });
}
