import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, type Kind, type KubernetesObject, loadConfig } from "@tsbuilder/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LongCommand, startTsbuilder } from "../../support/dev/dev-process.ts";
import { eventually } from "../../support/eventually.ts";
import { type Shell, tryRun } from "../../support/shell.ts";
import { editFile, scaffoldShop } from "../../support/projects/webhook-project.ts";

// Webhooks on a laptop: `tsbuilder dev` creates the certificates and points the configurations at its own operator,
// so saved code applies to the next `kubectl apply`.

const work = mkdtempSync(join(tmpdir(), "tsbuilder-webhooks-"));
const defaulter = "src/webhook/v1/order_defaulter.ts";
const validator = "src/webhook/v1/order_validator.ts";
const conversion = "src/webhook/v2/order_conversion.ts";
let project: Shell;
let dev: LongCommand;
let client: Client;
let orders: Record<"v1" | "v2", Kind<Order>>;

interface Order extends KubernetesObject {
  readonly spec: { readonly foo?: string };
}

beforeAll(async () => {
  project = await scaffoldShop(join(work, "shop-operator"), { HOME: work });
  dev = startTsbuilder(project, "dev", "--samples");
  await dev.sees("applied 2 samples");
  const kubeconfig = join(project.folder, ".tsbuilder/dev/kubeconfig");
  client = createClient(await loadConfig({ kubeconfig, env: {} }));
  const kind = "Order";
  orders = {
    v1: (await client.mapper.kindFor({ apiVersion: "shop.example.com/v1", kind })) as unknown as Kind<Order>,
    v2: (await client.mapper.kindFor({ apiVersion: "shop.example.com/v2", kind })) as unknown as Kind<Order>,
  };
});

afterAll(async () => {
  await dev?.stop();
  rmSync(work, { recursive: true, force: true });
});

// Linux has all of 127.0.0.0/8: whoever listens on all addresses is also reached at this one.
test.skipIf(process.platform !== "linux")("webhooks listen on loopback only", async () => {
  const configurations = await client.mapper.kindFor({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
  });
  const text = JSON.stringify(await client.list(configurations));
  const port = Number(/"url":"https:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
  expect(await tryConnect("127.0.0.1", port)).toBe("connected");
  expect(await tryConnect("127.0.0.2", port)).toBe("ECONNREFUSED");
});

test("an edited defaulter applies to the next object", async () => {
  expect((await create("plain")).spec).toEqual({ foo: "given" });
  const log = 'log.debug("Defaulting Order"';
  editFile(project, defaulter, log, `order.spec.foo = "from the webhook";\n    ${log}`);
  await takenUp(defaulter);
  await eventually(
    async () => expect((await create("defaulted")).spec).toEqual({ foo: "from the webhook" }),
    dev.watch,
  );
});

test("an edited validator rejects the next write, and accepts it after it is fixed", async () => {
  editFile(
    project,
    validator,
    "return [];",
    'return order.metadata.name === "odd" ? [{ field: "spec.foo", value: "x", message: "is too odd" }] : [];',
  );
  await takenUp(validator);
  await eventually(
    () => expect(create("odd")).rejects.toThrow('spec.foo: Invalid value: "x": is too odd'),
    dev.watch,
  );
  expect(await client.find(orders.v1, { namespace: "default", name: "odd" })).toBeUndefined();
  editFile(project, validator, 'order.metadata.name === "odd"', "order.metadata.name === undefined");
  await takenUp(validator, 2);
  await eventually(() => create("odd"), dev.watch);
});

test("an edited conversion applies to the next read of the other version", async () => {
  const key = { namespace: "default", name: "plain" };
  expect(await client.get(orders.v2, key)).toMatchObject({ spec: { foo: "given" } });
  editFile(
    project,
    conversion,
    "fromHub({ spec, status }: OrderHub): ConvertedObject<Order> {\n    return { spec, status };",
    "fromHub({ spec, status }: OrderHub): ConvertedObject<Order> {\n    return { spec: { foo: `v2 of ${spec.foo}` }, status };",
  );
  await takenUp(conversion);
  await eventually(
    async () => expect(await client.get(orders.v2, key)).toMatchObject({ spec: { foo: "v2 of given" } }),
    dev.watch,
  );
  expect(await client.get(orders.v1, key)).toMatchObject({ spec: { foo: "given" } });
});

test("an error in webhook code is shown to the client and in dev's output", async () => {
  editFile(project, defaulter, 'order.spec.foo = "from the webhook";', 'throw new Error("not today");');
  await takenUp(defaulter, 2);
  await eventually(() => expect(create("failing")).rejects.toThrow("not today"), dev.watch);
  await dev.sees("defaulter.ts");
});

test("Ctrl-C stops dev and the operator", async () => {
  expect(await dev.stop("SIGINT")).toBe(0);
  const operator = join(project.folder, ".tsbuilder/dev/operator.mjs");
  expect((await tryRun(project, "pgrep", "-f", operator)).stdout).toBe("");
});

function tryConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve("connected");
    });
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  });
}

function create(name: string) {
  return client.create(orders.v1, { metadata: { namespace: "default", name }, spec: { foo: "given" } });
}

/** The n-th time that dev prints it. */
function takenUp(file: string, times = 1): Promise<unknown> {
  return eventually(() => {
    const said = dev.lines.filter((line) => line.startsWith(`${file}: reloaded`));
    if (said.length < times) throw new Error(`${file} was not reloaded ${times} times`);
  }, dev.watch);
}
