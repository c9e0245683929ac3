import { PassThrough, Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, onTestFinished, test } from "vitest";
import type { ContainerBehaviour, ContainerServer } from "../../../e2e/support/runtime/container-server.ts";
import { startContainerServer } from "../../../e2e/support/runtime/container-server.ts";
import { createClient, type LiveClient } from "../client/live-client.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { TransportOptions } from "../http/transport.ts";
import { runInCallContext } from "../scope/scope.ts";
import { eventually } from "../testing/eventually.ts";

const pod = { namespace: "default", name: "db-0" };
const success = { status: "Success" };

async function connect(
  behaviour: ContainerBehaviour,
  config: Partial<ClusterConfig> = {},
  options: TransportOptions = {},
): Promise<{ server: ContainerServer; client: LiveClient }> {
  const server = await startContainerServer(behaviour);
  const client = createClient({ ...server.config, ...config }, options);
  onTestFinished(() => client.close());
  return { server, client };
}

/** A slow piece of work. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
}

function exited(code: number): object {
  const causes = [{ reason: "ExitCode", message: String(code) }];
  return { status: "Failure", reason: "NonZeroExitCode", message: `exit code ${code}`, details: { causes } };
}

test("exec() returns what a command wrote, and its exit code", async () => {
  const { server, client } = await connect({
    async run({ command, write }) {
      await write("stdout", `ran ${command.join("|")}\n`);
      await write("stderr", "half a ch\xc3");
      return exited(3);
    },
  });
  const result = await client.exec(pod, ["mysqladmin", "-u root", "ping"], { container: "mysql" });
  expect(result).toEqual({ exitCode: 3, stdout: "ran mysqladmin|-u root|ping\n", stderr: "half a ch\xc3" });
  expect(server.requests[0]!.url).toBe(
    "/api/v1/namespaces/default/pods/db-0/exec?command=mysqladmin&command=-u%20root&command=ping" +
      "&container=mysql&stdin=false&stdout=true&stderr=true&tty=false",
  );
  await eventually(() => expect(server.open).toBe(0));
});

test("exec() passes ten megabytes in and out unchanged, through streams that are ended", async () => {
  const data = Buffer.alloc(10 * 2 ** 20, "0123456789abcdef!");
  const { client } = await connect({
    async run({ stdin, write }) {
      for await (const chunk of stdin) await write("stdout", chunk);
      return success;
    },
  });
  const stdout = new PassThrough();
  const [received, { exitCode }] = await Promise.all([
    text(stdout),
    client.exec(pod, ["cat"], { stdin: data, stdout }),
  ]);
  expect(exitCode).toBe(0);
  expect(received === data.toString()).toBe(true);
  const pieces = Readable.from(["a", Buffer.from("b"), "c"]);
  expect(await client.exec(pod, ["cat"], { stdin: pieces })).toMatchObject({ stdout: "abc" });
});

test("a slow reader of the output slows the command down", async () => {
  const [chunk, count] = [Buffer.alloc(65_536), 1024];
  let [sent, taken, furthest] = [0, 0, 0];
  const { client } = await connect({
    async run({ write }) {
      for (; sent < count; sent++) await write("stdout", chunk);
      return success;
    },
  });
  const stdout = new Writable({
    write({ length }: Buffer, _, done) {
      furthest = Math.max(furthest, sent - taken / chunk.length);
      taken += length;
      void manyTurns().then(() => done());
    },
  });
  await client.exec(pod, ["dump"], { stdout });
  expect(taken).toBe(count * chunk.length);
  // Bytes that do not fit the buffers of the two sockets wait at their source.
  expect(furthest).toBeLessThan(count * 0.75);
});

test("a slow command slows the reader of the input down", async () => {
  const [chunk, count] = [Buffer.alloc(65_536), 1024];
  let [read, taken, furthest] = [0, 0, 0];
  const input = async function* (): AsyncGenerator<Buffer> {
    for (; read < count; read++) {
      furthest = Math.max(furthest, read - taken / chunk.length);
      yield chunk;
    }
  };
  const { client } = await connect({
    async run({ stdin }) {
      for await (const { length } of stdin) {
        taken += length;
        await manyTurns();
      }
      return success;
    },
  });
  await client.exec(pod, ["restore"], { stdin: input() });
  expect(taken).toBe(count * chunk.length);
  // Bytes that do not fit the buffers of the two sockets wait at their source.
  expect(furthest).toBeLessThan(count * 0.75);
});

test.each(["signal", "context", "client"])(
  "the %s ends a command that is running, and its connection",
  async (by) => {
    const abort = new AbortController();
    const { server, client } = await connect({
      async run({ write }) {
        await write("stdout", "begun");
        return new Promise(() => {});
      },
    });
    const stdout = new PassThrough();
    const failed = new Promise((resolve) => stdout.once("error", resolve));
    const run = (signal?: AbortSignal) => client.exec(pod, ["sleep"], { stdout, signal });
    const running = by === "context" ? runInCallContext({ signal: abort.signal }, run) : run(abort.signal);
    const ended = running.catch((error: unknown) => error);
    await new Promise((resolve) => stdout.once("data", resolve));
    if (by === "client") await client.close();
    else abort.abort(new Error("the client was closed"));
    expect(await ended).toMatchObject({ message: "the client was closed" });
    expect(await failed).toMatchObject({ message: "the client was closed" });
    await eventually(() => expect(server.open).toBe(0));
  },
);

test("a command that ends before it has read its input is no failure", async () => {
  let end = (): void => {};
  const mayEnd = new Promise<void>((resolve) => (end = resolve));
  const { client } = await connect({ run: () => mayEnd.then(() => exited(1)) });
  const idle = new PassThrough();
  idle.write("a");
  const ended = client.exec(pod, ["false"], { stdin: idle });
  // The stream waits for more input when the command ends.
  await eventually(() => {
    expect(idle.readableLength).toBe(0);
    expect(idle.listenerCount("readable")).toBe(1);
  });
  end();
  expect(await ended).toMatchObject({ exitCode: 1 });
  await eventually(() => expect(idle.destroyed).toBe(true));
  expect(idle.listenerCount("readable")).toBe(0);
});

test("exec() rejects if its input can't be read or its output can't be written", async () => {
  const { server, client } = await connect({
    async run({ stdin, write }) {
      for await (const chunk of stdin) await write("stdout", chunk);
      return success;
    },
  });
  const broken = new Readable({ read: () => void broken.destroy(new Error("the disk is gone")) });
  await expect(client.exec(pod, ["cat"], { stdin: broken })).rejects.toThrow("the disk is gone");
  const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error("the disk is full")) });
  await expect(client.exec(pod, ["cat"], { stdin: "a", stdout: full })).rejects.toThrow("the disk is full");
  await eventually(() => expect(server.open).toBe(0));
});

test("exec() tells a terminal its sizes, and gets one output", async () => {
  const { server, client } = await connect({
    async run({ sizes, write }) {
      await eventually(() => expect(sizes).toHaveLength(2));
      await write("stdout", JSON.stringify(sizes));
      return success;
    },
  });
  const resize = [
    { columns: 80, rows: 24 },
    { columns: 132, rows: 50 },
  ];
  const { stdout } = await client.exec(pod, ["top"], { tty: true, resize });
  expect(JSON.parse(stdout)).toEqual([
    { Width: 80, Height: 24 },
    { Width: 132, Height: 50 },
  ]);
  expect(server.requests[0]!.url).toContain("stderr=false&tty=true");
});

test("exec() tells why a command did not run, and when nobody knows how it ended", async () => {
  const message = 'exec: "nope": executable file not found in $PATH';
  const missing = { status: "Failure", reason: "InternalError", code: 500, message };
  const { client } = await connect({
    run: async ({ command }) => (command[0] === "nope" ? missing : undefined),
  });
  await expect(client.exec(pod, ["nope"])).rejects.toMatchObject({
    name: "ApiError",
    status: 500,
    message: `GET /api/v1/namespaces/default/pods/db-0/exec: ${message}`,
  });
  await expect(client.exec(pod, ["killed"])).rejects.toMatchObject({ isUnreachable: true });
});

test("exec() rejects with the answer of a server that opens no WebSocket", async () => {
  const body = JSON.stringify({
    kind: "Status",
    reason: "NotFound",
    message: 'pods "db-0" not found',
    code: 404,
  });
  const { server, client } = await connect({ answer: () => ({ code: 404, body }) });
  await expect(client.exec(pod, ["ls"])).rejects.toMatchObject({ isNotFound: true, body: { code: 404 } });
  await eventually(() => expect(server.open).toBe(0));
});

test("exec() goes through TLS with the client's certificate, renews a token after a 401, and impersonates", async () => {
  const ca = createCA({ commonName: "a server" });
  const { cert, key } = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
  const mine = issueCertificate(ca, { commonName: "operator", usages: ["client"] });
  const { server, client } = await connect(
    {
      tls: { cert, key, ca: ca.cert, requestCert: true, rejectUnauthorized: true },
      answer: ({ headers }) => (headers.authorization === "Bearer new" ? undefined : { code: 401, body: "" }),
      run: async () => success,
    },
    {
      ca: ca.cert,
      impersonate: { user: "jane", groups: ["a", "b"] },
      credentials: {
        current: ({ refresh }) => ({ token: refresh ? "new" : "old", cert: mine.cert, key: mine.key }),
      },
    },
  );
  expect(await client.exec(pod, ["true"])).toMatchObject({ exitCode: 0 });
  const [, { headers }] = server.requests as unknown as [unknown, { headers: object }];
  expect(headers).toMatchObject({
    "impersonate-user": "jane",
    "impersonate-group": "a, b",
    "user-agent": "tsbuilder-runtime",
  });
});

test("a WebSocket is asked of interceptors and of beforeSend, and counted", async () => {
  const seen: unknown[] = [];
  const { client } = await connect(
    { run: async () => success },
    {},
    {
      interceptors: [
        (request, next) => {
          seen.push(request.webSocket);
          return next(request);
        },
      ],
      beforeSend({ webSocket }) {
        seen.push(webSocket);
      },
      onRequest: ({ code }) => seen.push(code),
    },
  );
  await client.exec(pod, ["true"]);
  expect(seen).toEqual([["v5.channel.k8s.io"], ["v5.channel.k8s.io"], "101"]);
});
