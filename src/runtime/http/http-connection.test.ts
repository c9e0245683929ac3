import { spawn } from "node:child_process";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { FakeClock, settled, systemClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test, vi } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { answerJSON, type StubAnswer, type StubServer, startStubServer } from "../testing/stub-server.ts";
import { HttpConnection } from "./http-connection.ts";
import { HttpTransport } from "./http-transport.ts";
import { TerminalError } from "../errors/api-error.ts";
import type { TransportOptions } from "./transport.ts";

const path = "/version";

async function connect(
  answer: StubAnswer,
  options: TransportOptions = {},
): Promise<{ server: StubServer; transport: HttpTransport }> {
  const server = await startStubServer(answer);
  return { server, transport: transportTo(server.config.server, options, () => server.close()) };
}

function transportTo(
  server: string,
  options: TransportOptions = {},
  close = async (): Promise<void> => {},
): HttpTransport {
  const transport = new HttpTransport({ server }, options);
  onTestFinished(async () => {
    await transport.close();
    await close();
  });
  return transport;
}

/** A server that writes exactly the given bytes. */
async function rawServer(answer: (socket: net.Socket, connection: number) => void): Promise<string> {
  let connections = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    const connection = ++connections;
    sockets.add(socket.on("error", () => {}));
    socket.on("data", () => answer(socket, connection));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answerOf = (text: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

test("a connection that the server closed while it was idle is not used again", async () => {
  const { server, transport } = await connect((request, response) => {
    answerJSON(response, {});
    response.once("finish", () => request.socket.end());
  });
  await transport.send({ method: "POST", path, body: {} });
  await settled();
  expect(server.connections.open).toBe(0);
  await transport.send({ method: "POST", path, body: {} });
  expect(server.connections.opened).toBe(2);
});

test("a request on a connection that has just ended fails, and doesn't wait for ever", async () => {
  const server = await startStubServer((_, response) => answerJSON(response, {}));
  onTestFinished(() => server.close());
  const socket = net.connect(Number(new URL(server.config.server).port), "127.0.0.1");
  await once(socket, "connect");
  const connection = new HttpConnection(socket, { onFree() {}, onGone() {} }, systemClock);
  connection.destroy();
  expect(connection.isGone).toBe(true);
  await expect(connection.send("GET / HTTP/1.1\r\n\r\n", { timeout: 1000, stream: false })).rejects.toThrow(
    "closed",
  );
});

test("a connection keeps a program alive while it has a request, and not before and after it", async () => {
  const server = await startStubServer((_, response) => answerJSON(response, {}));
  onTestFinished(() => server.close());
  const socket = net.connect(Number(new URL(server.config.server).port), "127.0.0.1");
  await once(socket, "connect");
  const refs = [vi.spyOn(socket, "ref"), vi.spyOn(socket, "unref")].map(
    (spy) => spy.mock.invocationCallOrder,
  );
  const isKept = (): boolean => (refs[0]!.at(-1) ?? 0) > (refs[1]!.at(-1) ?? 0);
  const connection = new HttpConnection(socket, { onFree() {}, onGone() {} }, systemClock);
  onTestFinished(() => connection.destroy());
  connection.rest();
  expect(isKept()).toBe(false);
  const answer = connection.send("GET / HTTP/1.1\r\nhost: x\r\n\r\n", { timeout: 1000, stream: false });
  expect(isKept()).toBe(true);
  await answer;
  await eventually(() => expect(isKept()).toBe(false));
});

test("a connection is closed before the keep-alive timeout of the server", async () => {
  const { server, transport } = await connect((_, response) =>
    answerJSON(response, {}, 200, { "keep-alive": "timeout=1" }),
  );
  await transport.send({ path });
  expect(server.connections.open).toBe(1);
  await expect.poll(() => server.connections.open).toBe(0);
});

test("data after an answer is never used as the answer to the next request", async () => {
  const url = await rawServer((socket, connection) => {
    if (connection === 1) socket.write(answerOf("first") + answerOf("smuggled"));
    else socket.write(answerOf("second"));
  });
  const transport = transportTo(url);
  expect((await transport.send({ path })).text).toBe("first");
  expect((await transport.send({ path })).text).toBe("second");
});

test("data without a request ends the connection", async () => {
  let first: net.Socket | undefined;
  const url = await rawServer((socket, connection) => {
    first ??= socket;
    socket.write(answerOf(String(connection)));
  });
  const transport = transportTo(url);
  expect((await transport.send({ path })).text).toBe("1");
  first!.write(answerOf("unasked"));
  await settled();
  expect((await transport.send({ path })).text).toBe("2");
});

test("kept connections that a firewall forgot cost one request, not one for each of them", async () => {
  const forgotten = new Set<net.Socket>();
  const known = new Set<net.Socket>();
  let arrived = 0;
  const url = await rawServer((socket) => {
    if (forgotten.has(socket)) return void socket.resetAndDestroy();
    known.add(socket);
    // The first five are answered together, so that there are five connections.
    if (++arrived < 5) return;
    for (const each of arrived === 5 ? known : [socket]) each.write(answerOf("{}"));
  });
  const transport = transportTo(url);
  const write = () => transport.send({ method: "POST", path, body: {} });
  await Promise.all(Array.from({ length: 5 }, write));
  for (const socket of known) forgotten.add(socket);
  await expect(write()).rejects.toMatchObject({ isUnreachable: true });
  expect((await write()).status).toBe(200);
  // Callers of repeatable requests notice nothing.
  for (const socket of known) forgotten.add(socket);
  expect((await transport.send({ path })).status).toBe(200);
});

test.for([
  ["the client", 60_000, { isTimeout: true }],
  ["the caller", 1000, { name: "TimeoutError" }],
] as const)(
  "a server that went silent costs %s one wait, not one for each kept connection",
  async ([who, patience, error]) => {
    const silent = new Set<net.Socket>();
    const known = new Set<net.Socket>();
    let arrived = 0;
    const url = await rawServer((socket) => {
      if (silent.has(socket)) return;
      known.add(socket);
      if (++arrived < 3) return;
      for (const each of arrived === 3 ? known : [socket]) each.write(answerOf("{}"));
    });
    const clock = new FakeClock();
    const transport = transportTo(url, { clock, timeout: 60_000 });
    await Promise.all(Array.from({ length: 3 }, () => transport.send({ path })));
    for (const socket of known) silent.add(socket);
    const abort = new AbortController();
    if (who === "the caller")
      clock.setTimer(() => abort.abort(new DOMException("", "TimeoutError")), patience);
    const sent = transport.send({ path, signal: abort.signal });
    sent.catch(() => {});
    await settled();
    await clock.advance(patience);
    await expect(sent).rejects.toMatchObject(error);
    expect((await transport.send({ path })).status).toBe(200);
  },
);

test("a signal ends the wait for a free connection, and the others are served", async () => {
  const answers: (() => void)[] = [];
  const { server, transport } = await connect(
    (_, response) => void answers.push(() => answerJSON(response, {})),
    {
      maxConnections: 1,
    },
  );
  const first = transport.send({ path });
  await expect.poll(() => answers).toHaveLength(1);
  const abort = new AbortController();
  const second = transport.send({ path, signal: abort.signal });
  const third = transport.send({ path });
  abort.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  answers.shift()!();
  await first;
  await expect.poll(() => answers).toHaveLength(1);
  answers.shift()!();
  expect((await third).status).toBe(200);
  expect(server.requests).toHaveLength(2);
});

test("all requests that wait for a connection are rejected if there is none", async () => {
  const server = await startStubServer(() => {});
  await server.close();
  const transport = transportTo(server.config.server, { maxConnections: 2 });
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => transport.send({ method: "POST", path, body: {} })),
  );
  for (const result of results)
    expect(result).toMatchObject({ status: "rejected", reason: { isUnreachable: true } });
});

test("a server that accepts no connections is given up after the timeout", async () => {
  // An address reserved for documentation.
  const clock = new FakeClock();
  const transport = transportTo("http://192.0.2.1:6443", { clock, connectTimeout: 10_000 });
  const sent = transport.send({ path });
  sent.catch(() => {});
  await settled();
  await clock.advance(10_000);
  await expect(sent).rejects.toMatchObject({ status: 0 });
});

test("a stream that nobody reads exerts backpressure on the server", async () => {
  let written = 0;
  const { transport } = await connect((_, response) => {
    const chunk = Buffer.alloc(1_000_000, "x");
    const more = (): void => {
      while (written < 200 && response.write(chunk)) written++;
      if (written < 200) response.once("drain", more);
    };
    more();
  });
  const { stream } = await transport.send({ path, stream: true });
  await settled();
  expect(written).toBeLessThan(100);
  stream!.destroy();
});

test("a stream that is given up closes its connection", async () => {
  const { server, transport } = await connect((_, response) => void response.write("never ends"));
  const { stream } = await transport.send({ path, stream: true });
  expect(server.connections.open).toBe(1);
  stream!.destroy();
  await eventually(() => expect(server.connections.open).toBe(0));
});

test("a path or header can't inject a second request", async () => {
  const { server, transport } = await connect((_, response) => answerJSON(response, {}));
  for (const request of [
    { path: "/a HTTP/1.1\r\nhost: b\r\n\r\nGET /c" },
    { path, headers: { "x-a": "b\r\nx-c: d" } },
    { path, headers: { "x-a: b\r\nx-c": "d" } },
  ])
    await expect(transport.send(request)).rejects.toBeInstanceOf(TerminalError);
  expect(server.requests).toHaveLength(0);
});

test("a header is checked, however many were sent before, and whatever was sent elsewhere", async () => {
  const { server, transport } = await connect((_, response) => answerJSON(response, {}));
  for (let at = 0; at <= 100; at++) await transport.send({ path, headers: { "x-a": `number ${at}` } });
  expect(server.requests.at(-1)).toMatchObject({ headers: { "x-a": "number 100" } });
  for (const headers of [{ "x-a": "number\n0" }, { "number 100": "a value, not a name" }])
    await expect(transport.send({ path, headers })).rejects.toBeInstanceOf(TerminalError);
  expect(server.requests).toHaveLength(101);
});

test("headers and bodies arrive unchanged, with any characters", async () => {
  const { server, transport } = await connect((_, response) => answerJSON(response, { größe: "🎉" }));
  const { text } = await transport.send({
    method: "POST",
    path,
    headers: { "X-Name": "Jürgen" },
    body: { größe: "ß" },
  });
  expect(JSON.parse(text)).toEqual({ größe: "🎉" });
  expect(server.requests[0]).toMatchObject({ headers: { "x-name": "Jürgen" }, body: '{"größe":"ß"}' });
});

test("idle connections don't keep a program alive", async () => {
  const { server } = await connect((_, response) => answerJSON(response, {}));
  const program = `
    import { createClient } from "@tsbuilder/runtime";
    await createClient({ server: ${JSON.stringify(server.config.server)} }).request({ path: "/version" });
    console.log("asked");
  `;
  const child = spawn(
    process.execPath,
    ["--conditions=@tsbuilder/source", "--import", "tsx", "--input-type=module", "-e", program],
    { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  // Node may announce the exit before the output.
  const [output, exit] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(output).toBe("asked\n");
  expect(exit).toEqual([0, null]);
  expect(server.requests).toHaveLength(1);
});
