import { once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { send } from "../testing/send.ts";
import { FakeClock, startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  cluster = await startTestCluster({
    clock,
    tokens: { secret: { name: "ann", groups: ["system:masters"] } },
  });
});
afterEach(() => cluster.stop());

const path = "/api/v1/namespaces/default/configmaps";
const origin = "https://page.example.com";
const tokenOf = (text: string): string =>
  `base64url.bearer.authorization.k8s.io.${Buffer.from(text).toString("base64url")}`;

/** Opens a watch as a page in a browser does, which can set no headers. */
function open(
  subprotocols: string[],
  { query = "", headers = { origin } }: { query?: string; headers?: object } = {},
) {
  const url = `${cluster.url.replace("https", "wss")}${path}?watch=true${query}`;
  const { "certificate-authority-data": authority = "" } = cluster.kubeconfig.clusters[0].cluster;
  const ca = Buffer.from(authority, "base64");
  const socket = new WebSocket(url, subprotocols, { headers: { ...headers }, ca });
  const events: object[] = [];
  socket.on("message", (message: Buffer, isBinary) =>
    events.push({ isBinary, ...(JSON.parse(message.toString()) as object) }),
  );
  return { socket, events };
}

/** Some of what regular expressions and old scripts take for ends of lines. */
const data = { text: "one\u2028two\u2029three\rfour\nfive" };

const create = (name: string) =>
  send(cluster.kubeconfig, { method: "POST", path, body: { metadata: { name }, data } });

test("a watch by WebSocket sends each event as a text, until it times out", async () => {
  await create("a");
  const { socket, events } = open([tokenOf("secret"), "v1.events"], { query: "&timeoutSeconds=60" });
  await expect.poll(() => events).toHaveLength(1);
  await Promise.all([create("b"), create("c")]);
  await expect.poll(() => events).toHaveLength(3);
  expect(events).toMatchObject(
    ["a", "b", "c"].map((name) => ({ isBinary: false, type: "ADDED", object: { metadata: { name }, data } })),
  );
  expect(socket.protocol).toBe("v1.events");
  const closed = once(socket, "close");
  await clock.advance(60_000);
  expect((await closed)[0]).toBe(1000);
});

test("a watch by WebSocket ends with its client", async () => {
  await create("a");
  const { socket, events } = open([tokenOf("secret"), "v1.events"]);
  await expect.poll(() => events).toHaveLength(1);
  const timers = clock.timers;
  socket.close();
  await once(socket, "close");
  await expect.poll(() => clock.timers).toBeLessThan(timers);
});

test.each([
  ["a token that is wrong", [tokenOf("other"), "v1.events"], { origin }, 401],
  ["a token without another subprotocol", [tokenOf("secret")], { origin }, 401],
  ["two tokens", [tokenOf("secret"), tokenOf("other"), "v1.events"], { origin }, 401],
  ["no token", ["v1.events"], { origin }, 403],
  ["no origin", [tokenOf("secret"), "v1.events"], {}, 403],
  ["two subprotocols", [tokenOf("secret"), "v1.events", "v2.events"], { origin }, 400],
])("a WebSocket with %s is refused", async (_, subprotocols, headers, code) => {
  const { socket } = open(subprotocols, { headers });
  expect(await once(socket, "error")).toMatchObject([
    { message: expect.stringContaining(`${code}`) as string },
  ]);
});
