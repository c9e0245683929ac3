import { defineKind } from "@tsbuilder/apimachinery/meta";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import { ConfigMap, Pod, Secret } from "../k8s/core/v1.ts";
import { startTestManager } from "../testing/test-manager.ts";
import type { Client } from "./client.ts";
import { type ClientCall, interceptClient } from "./intercept-client.ts";
import { createClient } from "./live-client.ts";

const Note = defineKind({ group: "", version: "v1" }, { kind: "Note", plural: "notes" });

/** A client that reaches no server. */
const lost = (): Client => createClient({ server: "http://127.0.0.1:1" });

test("an interceptor gets verb, kind and arguments, and may answer itself, also for `with`", async () => {
  const calls: unknown[] = [];
  const note = { apiVersion: "v1", kind: "Note", metadata: { name: "a" } };
  const client = interceptClient(lost(), {
    get(call) {
      calls.push(call);
      return Promise.resolve(note);
    },
  });
  const key = { namespace: "default", name: "a" };
  expect(await client.get(Note, key, { live: true })).toBe(note);
  expect(await client.with({ namespace: "default" }).get(Note, key)).toBe(note);
  expect(calls).toEqual([
    { verb: "get", kind: Note, args: [key, { live: true }] },
    { verb: "get", kind: Note, args: [key] },
  ]);
});

test("an interceptor answers for the containers of a pod, or passes the call on", async () => {
  const pod = { namespace: "default", name: "db-0" };
  const calls: ClientCall[] = [];
  const client = interceptClient(lost(), {
    async exec(call) {
      calls.push(call);
      return { exitCode: 3, stdout: "", stderr: "" };
    },
    logs: async () => ["one", "two"],
    portForward: (call, next) => next(call),
  });
  expect(await client.exec(pod, ["ping"], { tty: true })).toMatchObject({ exitCode: 3 });
  expect(calls).toEqual([{ verb: "exec", kind: Pod, args: [pod, ["ping"], { tty: true }] }]);
  expect(await client.logs(pod).text()).toBe("one\ntwo\n");
  await expect(client.portForward(pod, 80)).rejects.toMatchObject({ isUnreachable: true });
  const passing = interceptClient(lost(), { logs: (call, next) => next(call) });
  await expect(passing.logs(pod).text()).rejects.toMatchObject({ isUnreachable: true });
});

test("what an interceptor throws rejects the call", async () => {
  const client = interceptClient(lost(), {
    patchStatus() {
      throw new ApiError({ code: 409, reason: "Conflict" });
    },
  });
  const note = { apiVersion: "v1", kind: "Note", metadata: { name: "a", namespace: "default" } };
  await expect(client.patchStatus(Note, note, {} as never)).rejects.toMatchObject({ isConflict: true });
});

test("a manager's client option wraps what controllers use, and its interceptors see every request", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const paths: string[] = [];
  const { manager, client, stop } = await startTestManager({
    kubeconfig: cluster.kubeconfig,
    client: {
      dryRun: false,
      interceptors: [
        (request, next) => {
          if (request.method === "POST") paths.push(request.path);
          return next(request);
        },
      ],
      wrap: (own) =>
        interceptClient(own, {
          create({ verb, kind, args: [object, ...rest] }, next) {
            if (kind.kind === "Secret") throw new Error("no Secrets");
            const { metadata } = object as ConfigMap;
            const labelled = { ...(object as ConfigMap), metadata: { ...metadata, labels: { by: "us" } } };
            return next({ verb, kind, args: [labelled, ...rest] });
          },
        }),
    },
  });
  onTestFinished(stop);
  const metadata = { name: "a", namespace: "default" };
  await manager.client.create(ConfigMap, { metadata });
  await expect(manager.client.create(Secret, { metadata })).rejects.toThrow("no Secrets");
  expect((await client.get(ConfigMap, metadata)).metadata.labels).toEqual({ by: "us" });
  expect(paths).toEqual(["/api/v1/namespaces/default/configmaps"]);
});

test("an interceptor that is not a function is refused: each of its calls would fail", () => {
  expect(() => interceptClient(lost(), { get: {} as never })).toThrow(
    'the interceptor of "get" must be a function',
  );
  expect(() => interceptClient(lost(), { get: undefined })).not.toThrow();
});

test("an interceptor of a call that no client has is refused: it would never be called", () => {
  expect(() => interceptClient(lost(), { fetch: () => Promise.resolve() } as object)).toThrow(
    'a client has no call "fetch" to intercept: there are find, get,',
  );
});
