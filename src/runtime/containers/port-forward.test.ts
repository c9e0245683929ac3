import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { expect, onTestFinished, test } from "vitest";
import type { ContainerBehaviour, ContainerServer } from "../../../e2e/support/runtime/container-server.ts";
import { startContainerServer } from "../../../e2e/support/runtime/container-server.ts";
import { createClient, type LiveClient } from "../client/live-client.ts";
import { eventually } from "../testing/eventually.ts";

const pod = { namespace: "default", name: "db-0" };

/** A program in the pod. */
async function listen(onConnection: (socket: Socket) => unknown): Promise<number> {
  const server = net.createServer((socket) => onConnection(socket.on("error", () => {})));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function connect(
  phase = "Running",
  behaviour: ContainerBehaviour = {},
): Promise<{ server: ContainerServer; client: LiveClient }> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: pod, status: { phase } });
  const server = await startContainerServer({
    answer: ({ url }) => (url!.endsWith("/db-0") ? { code: 200, body } : undefined),
    ...behaviour,
  });
  const client = createClient(server.config);
  onTestFinished(() => client.close());
  return { server, client };
}

test("a stream to a port passes ten megabytes both ways, whoever reads slowly", async () => {
  const data = Buffer.alloc(10 * 2 ** 20, "0123456789abcdef!");
  const port = await listen((socket) => void socket.pipe(socket));
  const { server, client } = await connect();
  const stream = await client.openPort(pod, port);
  stream.write(data);
  const received: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    received.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size >= data.length) break;
    await new Promise(setImmediate);
  }
  expect(Buffer.concat(received).equals(data)).toBe(true);
  await eventually(() => expect(server.open).toBe(0));
});

test("what a slow reader has not taken from a stream waits in the connection", async () => {
  const size = 16 * 2 ** 20;
  const port = await listen((socket) => socket.end(Buffer.alloc(size)));
  const { client } = await connect();
  const lengths: number[] = [];
  for await (const { length } of await client.openPort(pod, port)) {
    lengths.push(length as number);
    for (let turn = 0; lengths.length === 1 && turn < 1000; turn++) await new Promise(setImmediate);
  }
  expect(lengths.reduce((sum, length) => sum + length)).toBe(size);
  // Bytes that wait in the stream arrive at once.
  expect(Math.max(...lengths)).toBeLessThan(size / 8);
});

test("the end of a program in the pod ends the stream after all that it wrote", async () => {
  const port = await listen((socket) => socket.end(Buffer.alloc(2 ** 20, "x")));
  const { server, client } = await connect();
  expect(await buffer(await client.openPort(pod, port))).toHaveLength(2 ** 20);
  await eventually(() => expect(server.open).toBe(0));
});

test("a port on which nobody listens destroys the stream with what the kubelet says", async () => {
  const { server, client } = await connect();
  const stream = await client.openPort(pod, await freePort());
  const [error] = (await once(stream, "error")) as [Error];
  expect(error).toMatchObject({
    name: "ApiError",
    message: expect.stringContaining("ECONNREFUSED") as string,
  });
  await eventually(() => expect(server.open).toBe(0));
});

test("the signal breaks off a stream to a port", async () => {
  const port = await listen((socket) => void socket.write("hello"));
  const { server, client } = await connect();
  const abort = new AbortController();
  const stream = await client.openPort(pod, port, { signal: abort.signal });
  await once(stream, "data");
  abort.abort(new Error("enough"));
  expect(await once(stream, "error")).toMatchObject([{ message: "enough" }]);
  await eventually(() => expect(server.open).toBe(0));
});

test("portForward() makes a port reachable here, for many connections at once, until it is closed", async () => {
  const port = await listen((socket) => void socket.pipe(socket));
  const { server, client } = await connect();
  const errors: Error[] = [];
  const forward = await client.portForward(pod, port, { onError: (error) => errors.push(error) });
  expect(forward.host).toBe("127.0.0.1");
  const echo = async (text: string): Promise<string> => {
    const socket = net.connect(forward.port, forward.host);
    socket.write(text);
    const [answer] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return answer.toString();
  };
  const texts = Array.from({ length: 5 }, (_, at) => `number ${at}`);
  expect(await Promise.all(texts.map(echo))).toEqual(texts);
  const open = net.connect(forward.port, forward.host);
  open.write("still there");
  await once(open, "data");
  await Promise.all([once(open, "close"), forward.close()]);
  await forward.close();
  await eventually(() =>
    expect(server.requests.filter(({ socket }) => !socket.destroyed)).toEqual([server.requests[0]]),
  );
  expect(errors).toEqual([]);
});

test("portForward() passes on the end of a connection from either side", async () => {
  const ended: string[] = [];
  let begun = 0;
  const port = await listen((socket) => {
    begun++;
    socket.on("data", (data) => data.toString() === "bye" && socket.end("bye"));
    socket.on("close", () => ended.push("closed"));
  });
  const { client } = await connect();
  const errors: Error[] = [];
  const forward = await client.portForward(pod, port, { onError: (error) => errors.push(error) });
  const first = net.connect(forward.port, forward.host);
  first.write("bye");
  expect((await buffer(first)).toString()).toBe("bye");
  await eventually(() => expect(ended).toHaveLength(1));
  const second = net.connect(forward.port, forward.host);
  await pipeline([Buffer.from("thanks")], second);
  await eventually(() => expect(ended).toHaveLength(2));
  const third = net.connect(forward.port, forward.host);
  await once(third, "connect");
  third.resetAndDestroy();
  const fourth = net.connect(forward.port, forward.host);
  fourth.write("hello");
  await eventually(() => expect(begun).toBe(4));
  fourth.resetAndDestroy();
  await eventually(() => expect(ended).toHaveLength(begun));
  expect(errors).toEqual([]);
  await forward.close();
});

test("portForward() reports what can't be forwarded, and closes the local end", async () => {
  const { client } = await connect();
  const errors: Error[] = [];
  const forward = await client.portForward(pod, await freePort(), { onError: (error) => errors.push(error) });
  await once(net.connect(forward.port, forward.host), "close");
  await eventually(() => expect(errors).toMatchObject([{ name: "ApiError" }]));
  await forward.close();
});

test("the signal closes a forwarded port and its connections", async () => {
  const port = await listen((socket) => void socket.pipe(socket));
  const { client } = await connect();
  const abort = new AbortController();
  const forward = await client.portForward(pod, port, { signal: abort.signal });
  const socket = net.connect(forward.port, forward.host);
  socket.write("a");
  await once(socket, "data");
  abort.abort();
  await once(socket, "close");
  const [error] = (await once(net.connect(forward.port, forward.host), "error")) as [Error];
  expect(error).toMatchObject({ code: "ECONNREFUSED" });
});

test("portForward() refuses a pod that doesn't run, and a local port that is taken", async () => {
  const { client } = await connect("Pending");
  await expect(client.portForward(pod, 80)).rejects.toThrow("the pod default/db-0 is Pending");
  const { client: running } = await connect();
  const localPort = await listen(() => {});
  await expect(running.portForward(pod, 80, { localPort })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
