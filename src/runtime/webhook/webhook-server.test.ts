import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { type CustomResource, defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { applyJSONPatch, type JSONObject, parseJSONPatch } from "@tsbuilder/apimachinery/patch";
import { ApiError } from "../errors/api-error.ts";
import { createLogger } from "../log/create-logger.ts";
import { Manager } from "../manager/manager.ts";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { eventually } from "../testing/eventually.ts";
import type { AdmissionContext, InvalidField } from "./webhooks.ts";
import { WebhookBuilder } from "./webhook-builder.ts";
import { WebhookServer } from "./webhook-server.ts";
import type { WebhookServerOptions } from "./webhook-server-options.ts";

interface MySQL extends CustomResource<{ replicas?: number; storage?: string }> {}
const group = { group: "apps.example.com" };
const names = { kind: "MySQL", plural: "mysqls" };
const MySQL = defineKind<MySQL>({ ...group, version: "v1" }, names);
interface OldMySQL extends CustomResource<{ size: number }> {}
const OldMySQL = defineKind<OldMySQL>({ ...group, version: "v1beta1" }, names);

const ca = createCA({ commonName: "test-ca" });
const makeServing = () => issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });

type Answer = { status: number; body: Record<string, never> & { response?: Record<string, never> } };

/** Serves webhooks with a certificate from a folder; `call` posts to them like an API server. */
async function serve(
  add: (builder: WebhookBuilder<MySQL>) => void,
  options: Pick<WebhookServerOptions, "clientCaName" | "shutdownDelay"> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "tsbuilder-webhook-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const writeCertificate = async ({ cert, key } = makeServing()) => {
    await writeFile(join(folder, "tls.key"), key);
    await writeFile(join(folder, "tls.crt"), cert);
  };
  await writeCertificate();
  await writeFile(join(folder, "clients.crt"), ca.cert);
  const clock = new FakeClock();
  const lines: string[] = [];
  const server = new WebhookServer({
    options: { port: 0, host: "127.0.0.1", certPath: folder, ...options },
    log: createLogger({ write: (line) => void lines.push(line) }),
    clock,
  });
  const counted: string[] = [];
  server.observer = {
    serves() {},
    began: (path) => (code) => void counted.push(`${path} ${code}`),
    panicked: (path) => void counted.push(`${path} panic`),
    read() {},
  };
  const builder = new WebhookBuilder(server, MySQL);
  add(builder);
  builder.complete();
  await server.start();
  onTestFinished(() => server.stop(AbortSignal.abort()));
  const call = (
    path: string,
    body: unknown,
    { type = "application/json", ...tls }: { type?: string; cert?: string; key?: string } = {},
  ) =>
    new Promise<Answer & { serial: string }>((resolve, reject) => {
      const request = httpsRequest(
        `https://${server.address}${path}`,
        { method: "POST", ca: ca.cert, agent: false, headers: { "content-type": type }, ...tls },
        (response) => {
          const socket = response.socket as unknown as { getPeerCertificate(): { serialNumber: string } };
          const serial = socket.getPeerCertificate().serialNumber;
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.on("end", () =>
            resolve({ status: response.statusCode!, body: JSON.parse(text) as Answer["body"], serial }),
          );
        },
      );
      request.on("error", reject);
      request.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  return { server, call, lines, counted, clock, writeCertificate };
}

function review(operation: string, object: unknown, more: object = {}): object {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "u-1",
      operation,
      kind: { ...group, version: "v1", kind: "MySQL" },
      resource: { ...group, version: "v1", resource: "mysqls" },
      name: "db",
      namespace: "default",
      userInfo: { username: "alice" },
      object,
      ...more,
    },
  };
}

const db = (spec: object, metadata: object = {}) => ({
  apiVersion: "apps.example.com/v1",
  kind: "MySQL",
  metadata: { name: "db", namespace: "default", ...metadata },
  spec,
});

describe("defaulting", () => {
  test("a defaulter answers with a minimal patch against the original object", async () => {
    const { call } = await serve((builder) =>
      builder.defaulter({
        default(mysql) {
          mysql.spec.replicas ??= 3;
        },
      }),
    );
    const object = { ...db({ storage: "1Gi", fieldOfTheFuture: { a: [1] } }), status: { x: 1 } };
    const { status, body } = await call("/mutate-apps-example-com-v1-mysql", review("CREATE", object));
    expect(status).toBe(200);
    const { response } = body as unknown as {
      response: { patch: string; patchType: string; uid: string; allowed: boolean };
    };
    expect(response).toMatchObject({ uid: "u-1", allowed: true, patchType: "JSONPatch" });
    const patch = JSON.parse(Buffer.from(response.patch, "base64").toString()) as unknown;
    expect(patch).toEqual([{ op: "add", path: "/spec/replicas", value: 3 }]);
    expect(applyJSONPatch(object as unknown as JSONObject, parseJSONPatch(patch))).toEqual({
      ...object,
      spec: { ...object.spec, replicas: 3 },
    });
  });

  test("without a change there is no patch, and a deletion is not defaulted", async () => {
    let calls = 0;
    const { call } = await serve((builder) => builder.defaulter({ default: () => void calls++ }));
    const unchanged = await call("/mutate-apps-example-com-v1-mysql", review("UPDATE", db({})));
    expect(unchanged.body.response).toEqual({ uid: "u-1", allowed: true });
    await call("/mutate-apps-example-com-v1-mysql", review("DELETE", null, { oldObject: db({}) }));
    expect(calls).toBe(1);
  });
});

describe("validating", () => {
  const path = "/validate-apps-example-com-v1-mysql";

  test("a validator sees old and new object, user and dry run; its wrong fields become a 422 with causes", async () => {
    const seen: unknown[] = [];
    const { call } = await serve((builder) =>
      builder.validator({
        validateUpdate(mysql, old, { request, warn }: AdmissionContext): InvalidField[] {
          seen.push([mysql.spec.storage, old.spec.storage, request.userInfo.username, request.dryRun]);
          warn("storage will be moved");
          return [
            { field: "spec.storage", value: mysql.spec.storage, message: "can't shrink" },
            { field: "spec.replicas", message: "is needed", reason: "Required" },
          ];
        },
      }),
    );
    const more = { oldObject: db({ storage: "2Gi" }), dryRun: true };
    const { body } = await call(path, review("UPDATE", db({ storage: "1Gi" }), more));
    expect(seen).toEqual([["1Gi", "2Gi", "alice", true]]);
    expect(body.response).toMatchObject({
      allowed: false,
      warnings: ["storage will be moved"],
      status: {
        code: 422,
        reason: "Invalid",
        message:
          'MySQL.apps.example.com "db" is invalid: [spec.storage: Invalid value: "1Gi": can\'t shrink, spec.replicas: Required value: is needed]',
        details: {
          name: "db",
          group: "apps.example.com",
          kind: "MySQL",
          causes: [
            { field: "spec.storage", reason: "FieldValueInvalid" },
            { field: "spec.replicas", reason: "FieldValueRequired" },
          ],
        },
      },
    });
  });

  test.each([
    [
      "an error is a rejection with its message",
      new Error("not on Fridays"),
      { code: 403, message: "not on Fridays" },
    ],
    ["an ApiError keeps its status", new ApiError({ code: 429, reason: "TooManyRequests" }), { code: 429 }],
  ])("%s", async (_name, error, status) => {
    const { call } = await serve((builder) =>
      builder.validator({ validateCreate: () => Promise.reject(error) }),
    );
    const { body } = await call(path, review("CREATE", db({})));
    expect(body.response).toMatchObject({ allowed: false, status });
  });

  test("a bug results in a 500 whose message is only in the log, and the server continues", async () => {
    const { call, lines, counted } = await serve((builder) =>
      builder.validator({
        validateCreate: (mysql) => (mysql as unknown as { spec: { a: { b: never } } }).spec.a.b,
      }),
    );
    const { status, body } = await call(path, review("CREATE", db({})));
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain("undefined");
    expect(lines.join()).toContain("Cannot read properties");
    expect(counted).toEqual([`${path} panic`, `${path} 500`]);
    expect((await call(path, review("DELETE", null, { oldObject: db({}) }))).status).toBe(200);
  });

  test("a bug in a conversion is counted and logged", async () => {
    const toHub = () => (undefined as unknown as { spec: { spec: object } }).spec;
    const { call, counted, lines } = await serve((builder) =>
      builder.conversion(OldMySQL, { toHub, fromHub: () => ({ spec: { size: 1 } }) }),
    );
    const objects = [{ ...db({}), apiVersion: OldMySQL.apiVersion }];
    const request = { uid: "c", desiredAPIVersion: MySQL.apiVersion, objects };
    await call("/convert", { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
    expect(lines.join()).toContain("Cannot read properties");
    expect(counted).toEqual(["/convert panic", "/convert 200"]);
  });

  test("an invalid request is rejected: type, size, JSON, kind, path", async () => {
    const { call } = await serve((builder) => builder.validator({}));
    expect((await call(path, "{}", { type: "text/plain" })).status).toBe(400);
    expect((await call(path, "{")).status).toBe(400);
    expect((await call(path, { kind: "Pod" })).status).toBe(400);
    expect((await call("/elsewhere", {})).status).toBe(404);
    const tooLarge = JSON.stringify({ a: "x".repeat(7 * 1024 * 1024) });
    expect((await call(path, tooLarge).catch(() => ({ status: 413 }))).status).toBe(413);
  });
});

describe("the server", () => {
  test("a replaced certificate is served to the next caller, and a broken one is not", async () => {
    const { call, writeCertificate, clock } = await serve((builder) => builder.validator({}));
    const path = "/validate-apps-example-com-v1-mysql";
    const { serial } = await call(path, review("CREATE", db({})));
    await writeCertificate({ cert: "broken", key: "broken" });
    await clock.advance(10_000);
    expect((await call(path, review("CREATE", db({})))).serial).toBe(serial);
    await writeCertificate();
    await clock.advance(10_000);
    await eventually(async () => (await call(path, review("CREATE", db({})))).serial !== serial);
  });

  test("with a client CA, only callers with a certificate from it are served", async () => {
    const { call } = await serve((builder) => builder.validator({}), { clientCaName: "clients.crt" });
    const path = "/validate-apps-example-com-v1-mysql";
    const client = issueCertificate(ca, { commonName: "apiserver", usages: ["client"] });
    expect((await call(path, review("CREATE", db({})), client)).status).toBe(200);
    await expect(call(path, review("CREATE", db({})))).rejects.toThrow();
    const stranger = issueCertificate(createCA({ commonName: "other" }), {
      commonName: "x",
      usages: ["client"],
    });
    await expect(call(path, review("CREATE", db({})), stranger)).rejects.toThrow();
  });

  test("webhooks are served until the delay of the shutdown is over", async () => {
    const { call, clock, server } = await serve((builder) => builder.defaulter({ default() {} }), {
      shutdownDelay: "5s",
    });
    const create = () => call("/mutate-apps-example-com-v1-mysql", review("CREATE", db({})));
    const ended = server.stop(new AbortController().signal);
    await clock.advance(4000);
    expect(await create()).toMatchObject({ status: 200 });
    await clock.advance(1000);
    await ended;
    await expect(create()).rejects.toThrow();
  });

  test("a path that is already used, a spoke that is the hub itself, and a second hub are rejected", () => {
    const manager = new Manager({ name: "test", logger: createLogger({ write() {} }) });
    manager.webhookFor(MySQL).validator({}).complete();
    expect(() => manager.webhookFor(MySQL).validator({}).complete()).toThrow(/two webhooks at \/validate-/);
    const identity = {
      toHub: (object: KubernetesObject) => object,
      fromHub: (object: KubernetesObject) => object,
    };
    const untyped = MySQL as typeof MySQL & { spec?: never };
    expect(() =>
      manager
        .webhookFor(untyped)
        .conversion(MySQL, identity as never)
        .complete(),
    ).toThrow(/not another version/);
    manager
      .webhookFor(MySQL)
      .conversion(OldMySQL, identity as never)
      .complete();
    expect(() =>
      manager
        .webhookFor(OldMySQL)
        .conversion(MySQL, identity as never)
        .complete(),
    ).toThrow(/two hubs/);
  });

  test("a missing certificate fails the start, and the message says where it is expected", async () => {
    const manager = new Manager({
      name: "test",
      config: { server: "http://127.0.0.1:1" },
      logger: createLogger({ write() {} }),
      webhooks: { port: 0, host: "127.0.0.1", certPath: "/nowhere" },
    });
    manager.webhookFor(MySQL).validator({}).complete();
    await expect(manager.start()).rejects.toThrow(/\/nowhere\/tls\.crt/);
  });
});
