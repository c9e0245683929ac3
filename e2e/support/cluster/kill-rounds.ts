import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";
import { send } from "../../../src/cluster/testing/send.ts";
import { type ClusterProcess, startProcess } from "../../../src/cluster/testing/testdata/start-process.ts";
import { eventually } from "../eventually.ts";
import { type ObjectEvent, remaining, ResumingWatcher, type SeenObject } from "./resuming-watcher.ts";

/** The events of some rounds. */
export interface KillReport {
  /** Writes that the server had acknowledged. */
  readonly writes: number;
  /** Changes that a watcher missed, saw twice or saw differently; empty if all is well. */
  readonly problems: readonly string[];
}

const path = "/api/v1/namespaces/default/configmaps";
const writers = 4;
/** A watcher is away for this many rounds, then resumes. */
const absence = 3;

/**
 * Kills an embedded cluster, with `kill -9`, in the middle of writes, once in each round, and starts it again on the same
 * folder. Two watchers resume each time, a third one after several rounds. None may miss a write that was acknowledged,
 * see one twice, or be told to list again.
 */
export async function killRounds(
  rounds: number,
  report: (round: number, writes: number) => void = () => {},
): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), "kills-"));
  const start = (): Promise<ClusterProcess> => startProcess({ dataDir: folder });
  let running = await start();
  try {
    const { token } = running.kubeconfig.users[0].user;
    const { revision } = await listed(running.kubeconfig);
    const [first, second, absent] = [0, 1, 2].map(() => new ResumingWatcher(path, revision)) as [
      ResumingWatcher,
      ResumingWatcher,
      ResumingWatcher,
    ];
    const acknowledged: SeenObject[] = [];
    for (let round = 1; round <= rounds; round++) {
      const kubeconfig = withToken(running.kubeconfig, token!);
      const present = round % absence === 0 ? [first, second, absent] : [first, second];
      for (const watcher of present) await watcher.resume(kubeconfig);
      await writeUntilKilled(running, kubeconfig, round, acknowledged);
      for (const watcher of present) await watcher.ended();
      running = await start();
      report(round, acknowledged.length);
    }
    const kubeconfig = withToken(running.kubeconfig, token!);
    const { objects } = await listed(kubeconfig);
    for (const watcher of [first, second, absent]) {
      await watcher.resume(kubeconfig);
      await eventually(() => hasAll(watcher.events, objects));
    }
    const problems = problemsOf(first.events, acknowledged);
    for (const other of [second, absent]) {
      if (!isDeepStrictEqual(other.events, first.events)) problems.push("two watchers saw different events");
    }
    return { writes: acknowledged.length, problems };
  } finally {
    await running.kill();
    rmSync(folder, { recursive: true });
  }
}

/** The watcher has caught up, or can't. */
function hasAll(events: readonly ObjectEvent[], objects: readonly string[]): boolean {
  return events.at(-1)?.type === "ERROR" || isDeepStrictEqual(remaining(events), objects);
}

/** The token must survive each restart; the port is another one. */
function withToken(kubeconfig: Kubeconfig, token: string): Kubeconfig {
  const copy = structuredClone(kubeconfig);
  copy.users[0].user = { token };
  return copy;
}

async function listed(kubeconfig: Kubeconfig): Promise<{ revision: string; objects: string[] }> {
  const { body } = await send(kubeconfig, { method: "GET", path });
  const { metadata, items } = body as { metadata: { resourceVersion: string }; items: SeenObject[] };
  const events = items.map((object) => ({ type: "ADDED", object }));
  return { revision: metadata.resourceVersion, objects: remaining(events) };
}

/** Several clients write; after so many acknowledged writes the process is killed, whatever else is on its way. */
async function writeUntilKilled(
  running: ClusterProcess,
  kubeconfig: Kubeconfig,
  round: number,
  acknowledged: SeenObject[],
): Promise<void> {
  const last = acknowledged.length + 40 + ((round * 37) % 60);
  let killed: Promise<void> | undefined;
  const write = async (writer: number): Promise<void> => {
    for (let life = 0; !killed; life++) {
      for (const request of lifeOf(`r${round}-w${writer}-${life}`)) {
        const response = await send(kubeconfig, request).catch((error: unknown) => {
          if (!killed) throw error;
        });
        // A write in flight may be stored or not.
        if (!response) return;
        if (response.code >= 300) throw new Error(`${request.method} ${request.path}: ${response.text}`);
        acknowledged.push(response.body as SeenObject);
        if (acknowledged.length >= last) killed ??= running.kill();
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  await killed;
}

/** The writes of an object from its creation to its end. Each is answered with the object that watchers see. */
function* lifeOf(
  name: string,
): Generator<{ method: string; path: string; body?: unknown; headers?: Record<string, string> }> {
  const one = `${path}/${name}`;
  const body = (text: string) => ({
    metadata: { name, finalizers: ["soak.example.com/held"] },
    data: { text: text.padEnd(5000, "x") },
  });
  yield { method: "POST", path, body: body("created") };
  yield { method: "PUT", path: one, body: body("updated") };
  yield { method: "PUT", path: one, body: body("updated again") };
  yield { method: "DELETE", path: one };
  yield {
    method: "PATCH",
    path: one,
    headers: { "Content-Type": "application/merge-patch+json" },
    body: { metadata: { finalizers: null }, data: { text: "last" } },
  };
}

function problemsOf(events: readonly ObjectEvent[], acknowledged: readonly SeenObject[]): string[] {
  const problems: string[] = [];
  let before = 0;
  for (const { type, object } of events) {
    if (type === "ERROR") return [`a watcher could not resume: ${JSON.stringify(object)}`];
    const revision = Number(object.metadata.resourceVersion);
    if (revision <= before) problems.push(`revision ${revision} came after ${before}`);
    before = revision;
  }
  const seen = new Map(events.map(({ object }) => [object.metadata.resourceVersion, object]));
  for (const object of acknowledged) {
    const { name, resourceVersion } = object.metadata;
    if (!isDeepStrictEqual(seen.get(resourceVersion), object)) {
      problems.push(`${name} at ${resourceVersion} was missed, or seen otherwise`);
    }
  }
  return problems;
}
