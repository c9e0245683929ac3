import { Agent } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { ca, db, MySQL, OldMySQL, review, serve } from "../../../e2e/support/runtime/served-webhooks.ts";
import { createLogger } from "../log/logger.ts";
import { Manager } from "../manager/manager.ts";
import { eventually } from "../testing/eventually.ts";

test("a replaced certificate is served to the next caller, and a broken one is not", async () => {
  const { call, served, writeCertificate, clock } = await serve((builder) => builder.validator({}));
  const path = "/validate-apps-example-com-v1-mysql";
  const { serial } = await call(path, review("CREATE", db({})));
  await writeCertificate({ cert: "broken", key: "broken" });
  await clock.advance(10_000);
  expect((await call(path, review("CREATE", db({})))).serial).toBe(serial);
  await writeCertificate();
  await clock.advance(10_000);
  await eventually(async () => (await call(path, review("CREATE", db({})))).serial !== serial);
  expect(served).toEqual([serial, (await call(path, review("CREATE", db({})))).serial]);
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

test.each([
  ["is too large", 413, "/validate-apps-example-com-v1-mysql", "application/json"],
  ["has another type", 400, "/validate-apps-example-com-v1-mysql", "text/plain"],
  ["is for nobody", 404, "/nowhere", "application/json"],
])(
  "after a body that %s, the next call over a kept connection is answered",
  async (_what, status, path, type) => {
    const { call } = await serve((builder) => builder.validator({}));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    expect((await call(path, `"${"x".repeat(9 * 1024 * 1024)}"`, { agent, type })).status).toBe(status);
    const next = call("/validate-apps-example-com-v1-mysql", review("CREATE", db({})), { agent });
    expect((await next).status).toBe(200);
  },
);

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
