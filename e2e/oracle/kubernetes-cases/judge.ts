import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { request as connect, Agent } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Condition, isConditionTrue } from "@tsbuilder/apimachinery/meta";
import { maskAnswer, type MaskedAnswer } from "../conformance/mask-answer.ts";
import type { ReceivedResponse } from "../../../src/cluster/testing/send.ts";
import { cacheFolder } from "../real/build-kubernetes.ts";
import { findBinaries } from "../real/control-plane-binaries.ts";
import { startControlPlane, type ControlPlane } from "../real/control-plane.ts";
import { type CustomResourceDefinition, crdPath, resourcePath } from "./custom-resources.ts";
import type { CaseRequest } from "./requests.ts";
import type { RecordedObject } from "./record.ts";

/** A case with what kube-apiserver answers. */
export interface JudgedCase {
  readonly request: CaseRequest;
  readonly answer: MaskedAnswer;
  /** The stored object of an update as kube-apiserver reads it. */
  readonly stored?: StoredObject;
}

interface StoredObject extends RecordedObject {
  metadata: { name?: string; namespace?: string; resourceVersion: string };
  readonly status?: { readonly conditions?: readonly Condition[] | null };
}

/** The verdicts in the cache. */
export const verdictsFile = (): string => join(cacheFolder("cases"), "verdicts.jsonl");

export function readVerdicts(): JudgedCase[] {
  if (!existsSync(verdictsFile())) return [];
  const lines = readFileSync(verdictsFile(), "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as JudgedCase);
}

/** Kinds whose stored objects change how a server answers other requests: they come last, in this order. */
const last = [
  "LimitRange",
  "ResourceQuota",
  "PriorityClass",
  "RuntimeClass",
  "StorageClass",
  "IngressClass",
  "Namespace",
  "Node",
  "Role",
  "RoleBinding",
  "ClusterRole",
  "ClusterRoleBinding",
  "ServiceCIDR",
  "IPAddress",
  "FlowSchema",
  "PriorityLevelConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "CustomResourceDefinition",
];

/** The order in which both servers get the cases: first those that store nothing. */
export function inOrder(requests: readonly CaseRequest[]): CaseRequest[] {
  const rank = ({ kind, old }: CaseRequest): number => (old ? 1 + last.indexOf(kind) : -1);
  return requests.toSorted((a, b) => rank(a) - rank(b));
}

/** Namespaces that cases name and a server may have. */
export function namespacesOf(requests: readonly CaseRequest[]): string[] {
  const names = requests.map(
    ({ path }) => /\/namespaces\/([a-z0-9][-a-z0-9]{0,60}[a-z0-9]?)\/[^/?]+[/?]/u.exec(path)?.[1],
  );
  return [...new Set(names)].filter(
    (name) => name !== undefined && !name.startsWith("kube-") && name !== "default",
  ) as string[];
}

/** Forgets the verdicts on the cases of a kind, or on all. */
export function forgetVerdicts(kind: string | undefined): void {
  const kept = readVerdicts().filter(({ request }) => kind !== undefined && request.kind !== kind);
  writeFileSync(verdictsFile(), linesOf(kept));
}

function linesOf(judged: readonly JudgedCase[]): string {
  return judged.map((each) => `${JSON.stringify(each)}\n`).join("");
}

/** Asks a kube-apiserver for its answers to the cases that have none yet, and stores all in the cache. */
export async function judge(
  all: readonly CaseRequest[],
  crds: readonly CustomResourceDefinition[] = [],
): Promise<void> {
  const ids = new Set(all.map(({ id }) => id));
  const known = readVerdicts().filter(({ request }) => ids.delete(request.id));
  const requests = all.filter(({ id }) => ids.has(id));
  if (requests.length === 0) return;
  const binaries = findBinaries();
  if ("missing" in binaries) throw new Error(binaries.missing);
  // A stored FlowSchema or level that is invalid ends the real server.
  const control = await startControlPlane(binaries.folder, {
    flags: ["--enable-priority-and-fairness=false"],
  });
  try {
    const server = new RealServer(control);
    for (const name of namespacesOf(all))
      await server.send("POST", "/api/v1/namespaces", { metadata: { name } });
    for (const crd of crds) await server.serve(crd);
    const file = `${verdictsFile()}.new`;
    writeFileSync(file, linesOf(known));
    for (const request of inOrder(requests)) {
      const judged = await server.judge(request).catch(ifEnded);
      if (judged) appendFileSync(file, `${JSON.stringify(judged)}\n`);
    }
    renameSync(file, verdictsFile());
  } finally {
    await control.stop();
  }
}

class RealServer {
  readonly #control: ControlPlane;
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  constructor(control: ControlPlane) {
    this.#control = control;
  }

  /** Creates a CRD, and waits until its resource is served. */
  async serve(crd: CustomResourceDefinition): Promise<void> {
    if ((await this.#receive("POST", crdPath, crd)).code !== 201) return;
    for (let turns = 0; turns < 200; turns++) {
      if (await this.#read(resourcePath(crd))) return;
      await sleep(50);
    }
  }

  async judge(request: CaseRequest): Promise<JudgedCase | undefined> {
    const { method, path, body, old } = request;
    if (!old) {
      const answer = await this.send(method, path, body);
      // A resource of several schemas may be too much for the server, though each of them isn't.
      return answer.code === 404 ? undefined : { request, answer };
    }
    await this.#put(old.key, old.object);
    try {
      // The server sets defaults in an object that it reads from etcd.
      const [whole = ""] = path.split(/(?:\/(?:status|approval|finalize|resize|ephemeralcontainers))?\?/u);
      let stored = await this.#read(whole);
      // A CRD is established a moment later, here at once.
      for (let turns = 0; stored && !isSettled(stored) && turns < 100; turns++) {
        await sleep(50);
        stored = await this.#read(whole);
      }
      if (!stored) return undefined;
      let answer = await this.#update(method, path, body, stored.metadata.resourceVersion);
      // The server writes the status of a CRD several times.
      for (let writes = 0; answer.code === 409 && writes < 10; writes++) {
        const { metadata } = (await this.#read(whole))!;
        answer = await this.#update(method, path, body, metadata.resourceVersion);
      }
      return { request, answer, stored };
    } finally {
      await this.#ask("deleterange", { key: base64(old.key) });
    }
  }

  async #read(path: string): Promise<StoredObject | undefined> {
    const { code, body } = await this.#receive("GET", path);
    return code === 200 ? (body as StoredObject) : undefined;
  }

  #update(
    method: string,
    path: string,
    body: RecordedObject,
    resourceVersion: string,
  ): Promise<MaskedAnswer> {
    return this.send(method, path, { ...body, metadata: { ...body.metadata, resourceVersion } });
  }

  async send(method: string, path: string, body?: object): Promise<MaskedAnswer> {
    return maskAnswer(await this.#receive(method, path, body), {
      ns: "no-such-namespace",
      group: "no.such.group",
    });
  }

  #put(key: string, object: RecordedObject): Promise<void> {
    return this.#ask("put", { key: base64(key), value: base64(JSON.stringify(object)) });
  }

  async #ask(call: string, body: object): Promise<void> {
    const url = `${this.#control.etcd}/v3/kv/${call}`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
    await response.text();
  }

  #receive(method: string, path: string, body?: object): Promise<ReceivedResponse> {
    const payload = body && JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${this.#control.token}`,
      "user-agent": "cases",
      ...(payload && { "content-type": "application/json", "content-length": Buffer.byteLength(payload) }),
    };
    return new Promise((resolve, reject) => {
      const call = connect(
        `${this.#control.url}${path}`,
        { method, headers, agent: this.#agent },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
          response.on("end", () => {
            const bytes = Buffer.concat(chunks);
            const text = bytes.toString();
            let parsed: unknown;
            try {
              parsed = JSON.parse(text);
            } catch {
              parsed = undefined;
            }
            resolve({ code: response.statusCode ?? 0, headers: response.headers, bytes, text, body: parsed });
          });
        },
      );
      call.on("error", reject);
      call.end(payload);
    });
  }
}

/** Returns false for a CRD that the server has still to establish. */
function isSettled({ kind, status }: StoredObject): boolean {
  const conditions = status?.conditions ?? [];
  const isRefused = conditions.some((each) => each.type === "NamesAccepted" && each.status === "False");
  return kind !== "CustomResourceDefinition" || isRefused || isConditionTrue(conditions, "Established");
}

/** The real server ends a connection without an answer where its own code panics: then it has no verdict. */
function ifEnded(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
