import childProcess from "node:child_process";
import crypto, { randomFillSync } from "node:crypto";
import dgram from "node:dgram";
import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scheduler, setInterval as every } from "node:timers/promises";
import { promisify } from "node:util";
import workers from "node:worker_threads";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, onTestFinished, test } from "vitest";
import { applyShop, shopScenario, shopsThat } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { ContainerCommand } from "../contract/index.ts";
import { simulate } from "./simulate.ts";

/** Does some work in the first reconcile of an operator. Returns its value, or the message of its error. */
async function outcomeOf(work: () => unknown): Promise<unknown> {
  let outcome: unknown = "never began";
  let isFirst = true;
  const setup = shopsThat(async () => {
    if (!isFirst) return;
    isFirst = false;
    outcome = "never ended";
    outcome = await Promise.resolve()
      .then(work)
      .catch((error: unknown) => messageOf(error as Error));
  });
  await simulate({ ...shopScenario(setup), steps: [applyShop("a", { size: 1 })] });
  return outcome;
}

const messageOf = ({ message, cause }: Error): string =>
  cause instanceof Error ? `${message}: ${cause.message}` : message;

test.each<readonly [string, () => Promise<unknown>]>([
  ["promisify(setTimeout)", () => promisify(setTimeout)(3000)],
  ["scheduler.wait()", () => scheduler.wait(3000)],
  [
    "AbortSignal.timeout()",
    () => new Promise((resolve) => AbortSignal.timeout(3000).addEventListener("abort", resolve)),
  ],
  [
    "setInterval() of node:timers/promises",
    async () => {
      for await (const _ of every(3000)) break;
    },
  ],
])("%s takes virtual time", async (_, sleep) => {
  const took = await outcomeOf(async () => {
    const started = Date.now();
    await sleep();
    return Date.now() - started;
  });
  expect(took).toBe(3000);
});

test("functions that were promisified before are refused, too", async () => {
  // Node then keeps the promisified version as its own promisified version.
  promisify(childProcess.execFile);
  expect(await outcomeOf(() => promisify(childProcess.execFile)("true"))).toMatch(
    /child_process.execFile\(\)/,
  );
});

test.each<readonly [string, () => unknown]>([
  ["randomFillSync()", () => randomFillSync(Buffer.alloc(4)).toString("hex")],
  ["randomFill()", async () => String(await promisify(crypto.randomFill)(Buffer.alloc(4)))],
  ["randomBytes() with a callback", async () => String(await promisify(crypto.randomBytes)(4))],
  ["getRandomValues()", () => crypto.getRandomValues(new Uint8Array(4)).join()],
])("%s draws what the seed says", async (_, draw) => {
  const first = await outcomeOf(draw);
  expect(first).not.toMatch(/never/);
  expect(await outcomeOf(draw)).toBe(first);
});

const path = join(tmpdir(), "of-no-simulation");

test.each<readonly [string, () => unknown]>([
  ["fs.openSync()", () => fs.openSync(path, "w")],
  ["fs.promises.open()", () => fs.promises.open(path, "w")],
  ["fs.createWriteStream()", () => fs.createWriteStream(path)],
  ["fs.mkdtempSync()", () => fs.mkdtempSync(path)],
  ["fs.rmdirSync()", () => fs.rmdirSync(path)],
  ["dgram.Socket.send()", () => dgram.createSocket("udp4").send("x", 9, "127.0.0.1")],
])("%s is refused by name", async (name, work) => {
  expect(await outcomeOf(work)).toContain(`${name} is outside of the simulation`);
});

test("a server that answers others isn't reached by fetch()", async () => {
  const server = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = async (): Promise<string> => (await fetch(url)).text();
  expect(await outcomeOf(get)).toContain("is outside of the simulation");
  expect(await get()).toBe("hello");
});

test("a stand-in answers fetch() instead of other servers, and takes virtual time", async () => {
  const setup = shopsThat(async ({ client }, { metadata: { namespace, name }, spec: { size } }) => {
    const started = Date.now();
    const response = await fetch("https://prices.example.com/shops", { method: "POST", body: `${size}` });
    const data = { price: await response.text(), isLate: String(Date.now() > started) };
    await client.apply(ConfigMap, { metadata: { namespace, name }, data }, { force: true });
  });
  const http = async (request: Request): Promise<Response> =>
    new Response(`${request.method} ${new URL(request.url).host} ${await request.text()}`);
  const scenario = { ...shopScenario(setup), steps: [applyShop("a", { size: 7 })], http };
  const [run, again] = [await simulate(scenario), await simulate(scenario)];
  expect(run.state.list("ConfigMap")).toMatchObject([
    { data: { price: "POST prices.example.com 7", isLate: "true" } },
  ]);
  expect(JSON.stringify(again.trace)).toBe(JSON.stringify(run.trace));
});

test("a stand-in answers commands in containers; without it, they are refused by name", async () => {
  const setup = shopsThat(async ({ client }, { metadata: { namespace, name } }) => {
    const { exitCode, stdout } = await client
      .exec({ namespace: namespace, name: "db-0" }, ["mysql", "--version"], { container: "db" })
      .catch((error: Error) => ({ exitCode: -1, stdout: error.message }));
    const data = { exitCode: String(exitCode), stdout };
    await client.apply(ConfigMap, { metadata: { namespace, name }, data }, { force: true });
  });
  const scenario = { ...shopScenario(setup), steps: [applyShop("a", { size: 1 })] };
  const exec = ({ namespace, pod, command, options }: ContainerCommand) => ({
    stdout: `${namespace}/${pod}/${options.container}: ${command.join(" ")}`,
  });
  const answered = await simulate({ ...scenario, exec });
  expect(answered.state.list("ConfigMap")).toMatchObject([
    { data: { exitCode: "0", stdout: "default/db-0/db: mysql --version" } },
  ]);
  const refused = await simulate(scenario);
  expect(refused.state.list("ConfigMap")).toMatchObject([
    {
      data: { exitCode: "-1", stdout: expect.stringContaining("exec in a pod is outside of the simulation") },
    },
  ]);
});

test("other code makes workers meanwhile, and of classes of its own", async () => {
  const { Worker: real } = workers;
  const over = outcomeOf(() => 1);
  while (workers.Worker === real) await new Promise((resolve) => setImmediate(resolve));
  class Own extends workers.Worker {
    readonly own = "own";
  }
  const worker = new Own("0", { eval: true });
  expect(worker).toBeInstanceOf(workers.Worker);
  expect(worker).toBeInstanceOf(real);
  expect(worker.own).toBe("own");
  await worker.terminate();
  expect(await over).toBe(1);
});
